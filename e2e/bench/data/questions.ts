import { type History, phoneOf } from './history.ts'

/** One random question to the API, and the same question in SQL, out of the raw rows. */
export type Question = { path: string; sql: string; values: unknown[] }

export type QuestionKind = { name: string; ask(history: History): Question }

const PAGE_SIZE = 20
const BASE = '/api/v1/transaction'

/** Pages of the three lists, at any depth. */
export const PAGE_QUESTIONS: QuestionKind[] = [
  {
    name: 'all',
    ask({ applicationId, size }) {
      const page = randomBelow(Math.ceil(size / PAGE_SIZE))
      return {
        path: `${BASE}/getByApplicationProduct?page=${page}&size=${PAGE_SIZE}`,
        ...pageSql('', 'sequence', [applicationId, page * PAGE_SIZE]),
      }
    },
  },
  {
    name: 'by status',
    ask({ applicationId, successes, failures }) {
      const [status, count] = Math.random() < 0.5 ? ['SUCCESS', successes] : ['FAILED', failures]
      const page = randomBelow(Math.ceil(count / PAGE_SIZE))
      return {
        path: `${BASE}/getByApplicationProductAndStatus?transactionStatus=${status}&page=${page}&size=${PAGE_SIZE}`,
        ...pageSql('and to_status = $3', 'final_sequence', [applicationId, page * PAGE_SIZE, status], 'final_transactions'),
      }
    },
  },
  {
    name: 'by phone',
    ask({ applicationId, phones }) {
      const phone = phoneOf(randomBelow(phones))
      return {
        path: `${BASE}/getByApplicationProductAndPhoneReceiver?phoneNumber=${phone}&page=0&size=${PAGE_SIZE}`,
        ...pageSql('and phone_number = $3', 'sequence', [applicationId, 0, phone]),
      }
    },
  },
]

/** Totals over ranges of any length. */
export const RANGE_QUESTIONS: QuestionKind[] = [
  {
    name: 'by range',
    ask({ applicationId, days }) {
      const [start = 0, end = 0] = [randomBelow(days), randomBelow(days)].sort((left, right) => left - right)
      const [startDate, endDate] = [dayBack(days - start), dayBack(days - end)]
      const status = Math.random() < 0.7 ? 'SUCCESS' : 'FAILED'
      return {
        path: `${BASE}/getTotalAmountByApplicationProductAndDateRange?startDate=${startDate}&endDate=${endDate}&status=${status}`,
        sql: `select coalesce(sum(amount_minor), 0)::text as answer from transactions where application_id = $1 and status = $2
          and created_at >= $3::date::timestamp at time zone 'UTC' and created_at < ($4::date + 1)::timestamp at time zone 'UTC'`,
        values: [applicationId, status, startDate, endDate],
      }
    },
  },
]

/** Exact count and the ids in order: what a right page shows. */
function pageSql(condition: string, order: string, values: unknown[], source = 'transactions'): { sql: string; values: unknown[] } {
  const where = `application_id = $1 ${condition}`
  return {
    sql: `select (select count(*) from ${source} where ${where})::text || ' ' || coalesce(string_agg(transaction_id::text, ' ' order by place), '') as answer
      from (select transaction_id, row_number() over (order by ${order} desc) as place from ${source} where ${where}
            order by ${order} desc offset $2::bigint limit ${PAGE_SIZE}) page`,
    values,
  }
}

function randomBelow(count: number): number {
  return Math.floor(Math.random() * count)
}

function dayBack(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
}

import { type Currency, formatMinor } from '#lib/money/money.ts'
import type { CountryName, OperatorCode } from '#lib/operators/operators.ts'
import { type LinkPayment, PAYMENT_LINK_PAGE_SIZE, type PaymentLinkDto, type PaymentLinkItem } from '#lib/payments/payment-links.ts'
import type { PaymentLinkFilter } from '#lib/schemas/payment-link.ts'
import { runQuery, type Sql, sql } from '#server/database/compose-sql.ts'
import type { Queryable } from '#server/database/pool.ts'

type LinkRow = Omit<PaymentLinkItem, 'amount' | 'minimum' | 'maximum' | 'collected' | 'createdAt'> & {
  amountMinor: bigint | null
  minimumMinor: bigint | null
  maximumMinor: bigint | null
  collectedMinor: bigint
  createdAt: Date
  token: string
  operators: OperatorCode[]
  closedBy: string | null
  closedAt: Date | null
  currency: Currency
  country: CountryName
}

/** A link that took all that it accepts is paid, also once it is closed or has ended. */
const STATE = sql`case when l.paid_count + l.late_count >= l.payments_max then 'paid' when l.closed_at is not null then 'closed'
  when l.ends_at <= clock_timestamp() then 'expired' else 'open' end`

/** Failed payments are only read for links that can be paid too often. */
const COLUMNS = sql`l.link_id as "linkId", l.token, l.purpose, l.country, l.currency, l.operators, l.amount_minor as "amountMinor",
  l.minimum_minor as "minimumMinor", l.maximum_minor as "maximumMinor", l.payments_max as "paymentsMax", ${STATE} as state,
  l.last_day::text as "lastDay", l.open_count as "openCount", l.paid_count + l.late_count as "paidCount",
  case when l.payments_max is null then 0 else payment_link_doubts(l.application_id, l.link_id) end as "doubtCount",
  l.collected_minor as "collectedMinor", p.name as "createdBy", l.created_at as "createdAt", c.name as "closedBy", l.closed_at as "closedAt"`

const PEOPLE = sql`join people p on p.person_id = l.created_by left join people c on c.person_id = l.closed_by`

/** One page of the links of an application, the newest first. */
export async function listPaymentLinks(
  queryable: Queryable,
  applicationId: string,
  { q, state, page }: PaymentLinkFilter,
): Promise<{ links: PaymentLinkItem[]; total: number }> {
  const conditions: Sql[] = [sql`l.application_id = ${applicationId}`]
  if (state) conditions.push(sql`${STATE} = ${state}`)
  if (q) conditions.push(sql`l.purpose ilike ${`%${q.replace(/[\\%_]/g, '\\$&')}%`}`)
  const where = sql.join(conditions, sql` and `)
  const [rows, counted] = await Promise.all([
    runQuery<LinkRow>(
      queryable,
      sql`select ${COLUMNS} from (select l.* from payment_links l where ${where} order by l.created_at desc, l.link_id
            limit ${PAYMENT_LINK_PAGE_SIZE} offset ${page * PAYMENT_LINK_PAGE_SIZE}) l ${PEOPLE} order by l.created_at desc, l.link_id`,
    ),
    runQuery<{ total: number }>(queryable, sql`select count(*)::integer as total from payment_links l where ${where}`),
  ])
  return { links: rows.map(toItem), total: counted[0]?.total ?? 0 }
}

/** A link with everything that its page shows; undefined if the application has no such link. */
export async function findPaymentLink(queryable: Queryable, applicationId: string, linkId: string): Promise<PaymentLinkDto | undefined> {
  const [row] = await runQuery<LinkRow>(
    queryable,
    sql`select ${COLUMNS} from payment_links l ${PEOPLE} where l.application_id = ${applicationId} and l.link_id = ${linkId}`,
  )
  if (!row) return undefined
  const { token, operators, closedBy, closedAt } = row
  return { ...toItem(row), token, operators, closedBy, closedAt: closedAt?.toISOString() ?? null }
}

function toItem(row: LinkRow): PaymentLinkItem {
  const { linkId, purpose, country, currency, paymentsMax, state, lastDay, openCount, paidCount, doubtCount, createdBy } = row
  const decimal = (amountMinor: bigint | null) => (amountMinor === null ? null : formatMinor(amountMinor))
  return {
    ...{ linkId, purpose, country, currency, paymentsMax, state, lastDay, openCount, paidCount, doubtCount, createdBy },
    amount: decimal(row.amountMinor),
    minimum: decimal(row.minimumMinor),
    maximum: decimal(row.maximumMinor),
    collected: formatMinor(row.collectedMinor),
    createdAt: row.createdAt.toISOString(),
  }
}

type PaymentRow = Omit<LinkPayment, 'amount' | 'createdAt'> & { amountMinor: bigint; createdAt: Date }

/** One page of the payments of a link, the newest first. */
export async function listLinkPayments(
  queryable: Queryable,
  applicationId: string,
  linkId: string,
  page: number,
): Promise<{ payments: LinkPayment[]; total: number }> {
  const [{ rows }, counted] = await Promise.all([
    queryable.query<PaymentRow>(
      `select t.transaction_id as "transactionId", t.customer_name as "customerName", t.phone_number as "phoneNumber", t.operator,
         t.amount_minor as "amountMinor", t.status, t.created_at as "createdAt",
         exists (select from ledger_postings l where l.application_id = t.application_id and l.subject_id = t.transaction_id and l.kind = 'late') as "isLate",
         t.status = 'FAILED' and is_contradicted(t.application_id, t.transaction_id) as "isDoubted"
       from (select m.transaction_id from payment_link_payments m where m.application_id = $1 and m.link_id = $2
               order by m.transaction_id desc limit $3 offset $4) m
       join transactions t on t.application_id = $1 and t.transaction_id = m.transaction_id
       order by t.transaction_id desc`,
      [applicationId, linkId, PAYMENT_LINK_PAGE_SIZE, page * PAYMENT_LINK_PAGE_SIZE],
    ),
    queryable.query<{ total: number }>(
      'select count(*)::integer as total from payment_link_payments where application_id = $1 and link_id = $2',
      [applicationId, linkId],
    ),
  ])
  const payments = rows.map(({ amountMinor, createdAt, ...payment }) => ({
    ...payment,
    amount: formatMinor(amountMinor),
    createdAt: createdAt.toISOString(),
  }))
  return { payments, total: counted.rows[0]?.total ?? 0 }
}

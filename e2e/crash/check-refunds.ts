import type { Pool } from '#server/database/pool.ts'
import { judge, type Verdict } from './judge.ts'

type Refunded = {
  collect_id: string
  collected_minor: bigint
  refunds: { id: string; status: string; amountMinor: string; refundedMinor: string }[]
}

/** The refunds of a collect never exceed it, neither in our books nor in those of the operators. `books`: how often each transaction was executed. */
export async function checkRefunds(pool: Pool, books: ReadonlyMap<string, { executed: number }>): Promise<Verdict[]> {
  const { rows } = await pool.query<Refunded>(
    `select r.collect_id, c.amount_minor as collected_minor,
            json_agg(json_build_object('id', t.transaction_id, 'status', t.status, 'amountMinor', t.amount_minor::text,
              'refundedMinor', r.refunded_minor::text)) as refunds
       from transaction_refunds r
       join transactions t on t.application_id = r.application_id and t.transaction_id = r.transaction_id
       join transactions c on c.application_id = r.application_id and c.transaction_id = r.collect_id
      where t.webhook_url like 'http://127.0.0.1:%' group by r.application_id, r.collect_id, c.amount_minor`,
  )
  const sumOf = (amounts: string[]) => amounts.reduce((sum, amount) => sum + BigInt(amount), 0n)
  return [
    judge('the refunds of a collect count at most what was collected', rows, ({ collect_id, collected_minor, refunds }) => {
      const counted = sumOf(refunds.filter(({ status }) => status !== 'FAILED').map(({ refundedMinor }) => refundedMinor))
      return counted > collected_minor ? `${collect_id} of ${collected_minor} has refunds of ${counted}` : undefined
    }),
    judge('operators returned at most what was collected', rows, ({ collect_id, collected_minor, refunds }) => {
      const paid = sumOf(refunds.flatMap(({ id, amountMinor }) => Array<string>(books.get(id)?.executed ?? 0).fill(amountMinor)))
      return paid > collected_minor ? `${paid} of the collect ${collect_id} of ${collected_minor} was paid back` : undefined
    }),
  ]
}

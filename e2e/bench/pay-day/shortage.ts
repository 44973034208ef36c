import { z } from 'zod'
import type { Visitor } from '#e2e/bench/web/visitor.ts'
import type { Pool } from '#server/database/pool.ts'
import { fundWallet, type SimulatorPlace } from '#server/operators/testing/simulated-wallets.ts'
import { OPERATOR } from './plan.ts'

/** Deposits that wait for float, and what a person in finance is shown to be missing for the first, in units of the currency. */
export type Shortage = { waiting: number; missing: number; balance: number }

const overviewSchema = z.object({
  disturbed: z.array(z.object({ operator: z.string(), type: z.string(), state: z.string(), missing: z.string().nullable() })),
})

/**
 * Returns the shortage once no deposit is on its way and the page shows exactly what one of the oldest deposits lacks; undefined before,
 * when the balance that the service knows is older than the last payments.
 */
export async function readShortage(
  pool: Pool,
  { wallet, baseUrl, finance }: { wallet: SimulatorPlace; baseUrl: string; finance: Visitor },
): Promise<Shortage | undefined> {
  const { rows } = await pool.query<{ waiting: number; inProgress: number; amounts: number[] | null }>(
    `select (select count(*)::integer from operator_work w where w.operator = $1 and w.phase = 'queued') as waiting,
            (select count(*)::integer from operator_work w where w.operator = $1 and w.phase <> 'queued') as "inProgress",
            (select array_agg(t.amount_minor::float8 / 100) from operator_work w join transactions t using (application_id, transaction_id)
              where w.operator = $1 and w.phase = 'queued' and w.next_at = (select min(o.next_at) from operator_work o
                where o.operator = $1 and o.phase = 'queued')) as amounts`,
    [OPERATOR],
  )
  const [found] = rows
  if (!found?.amounts || found.inProgress > 0) return undefined
  const missing = await readMissing(baseUrl, finance)
  const balance = await fundWallet(wallet, { operator: OPERATOR, amount: 0 })
  return missing !== undefined && found.amounts.includes(balance + missing) ? { waiting: found.waiting, missing, balance } : undefined
}

/** Returns the missing amount that the overview shows; undefined if it shows none for the deposits of the operator. */
async function readMissing(baseUrl: string, { cookie, slug }: Visitor): Promise<number | undefined> {
  const answer = await fetch(`${baseUrl}/api/back-office/${slug}/overview`, { headers: { cookie } })
  const { disturbed } = overviewSchema.parse(await answer.json())
  const short = disturbed.find(({ operator, type, state }) => operator === OPERATOR && type === 'DEPOSIT' && state === 'SHORT')
  return short?.missing ? Number(short.missing) : undefined
}

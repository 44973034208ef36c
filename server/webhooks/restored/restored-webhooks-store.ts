import type { TrxClient } from '#server/database/pool.ts'

const DETAIL = 'The database was restored; whether this webhook was delivered before is not known.'

/** Ends all waiting deliveries as given up, with an interrupted attempt. Returns how many. */
export async function giveUpDeliveries(trx: TrxClient): Promise<number> {
  const { rows } = await trx.query<{ held: number }>(
    `with held as (
       update webhook_deliveries
         set state = 'exhausted', attempts = least(attempts + 1, 4), claimed_until = null, finished_at = clock_timestamp()
         where state = 'due' returning application_id, transaction_id, attempts),
     interrupted as (insert into webhook_attempts (application_id, transaction_id, number, started_at, duration_ms, outcome, detail)
       select application_id, transaction_id, attempts, clock_timestamp(), 0, 'interrupted', $1 from held
       on conflict do nothing)
     select count(*)::integer as held from held`,
    [DETAIL],
  )
  return rows[0]?.held ?? 0
}

/** Ends the resends that wait, and the recoveries that would request more. Returns how many resends. */
export async function giveUpResends(trx: TrxClient): Promise<number> {
  await trx.query('update webhook_recoveries set ended_at = clock_timestamp() where ended_at is null')
  const { rowCount } = await trx.query(
    `update webhook_resends set outcome = 'interrupted', started_at = clock_timestamp(), duration_ms = 0, detail = $1 where outcome is null`,
    [DETAIL],
  )
  return rowCount ?? 0
}

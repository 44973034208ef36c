import type { Queryable } from '#server/database/pool.ts'
import { DEFAULT_TIMES, type NoticeTimes } from './notice-times.ts'

/** When a person wants e-mails. */
export async function readTimes(queryable: Queryable, personId: string): Promise<NoticeTimes> {
  const { rows } = await queryable.query<NoticeTimes>(
    `select digest_hour as "digestHour", quiet_from as "quietFrom", quiet_until as "quietUntil" from notice_times where person_id = $1`,
    [personId],
  )
  return rows[0] ?? DEFAULT_TIMES
}

export async function upsertTimes(trx: Queryable, personId: string, { digestHour, quietFrom, quietUntil }: NoticeTimes): Promise<void> {
  await trx.query(
    `insert into notice_times (person_id, digest_hour, quiet_from, quiet_until) values ($1, $2, $3, $4)
       on conflict (person_id) do update set digest_hour = excluded.digest_hour, quiet_from = excluded.quiet_from, quiet_until = excluded.quiet_until`,
    [personId, digestHour, quietFrom, quietUntil],
  )
}

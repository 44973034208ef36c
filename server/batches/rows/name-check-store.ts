import type { OperatorCode } from '#lib/operators/operators.ts'
import type { Queryable, TrxClient } from '#server/database/pool.ts'

type Place = { applicationId: string; batchId: string }

export type NameCheckEnding = 'complete' | 'limited' | 'stopped'

/** An open wish; `isWanted`: the batch was not discarded, and the person may still make payments. */
export type OpenNameCheck = Place & { askedBy: string; isWanted: boolean }

/** Opens the checks of a batch, again if they have ended. Returns false if they are open. */
export async function openNameCheck(trx: TrxClient, { applicationId, batchId }: Place, personId: string): Promise<boolean> {
  const { rowCount } = await trx.query(
    `insert into batch_name_checks as n (application_id, batch_id, asked_by) values ($1, $2, $3)
       on conflict (application_id, batch_id) do update
         set asked_by = excluded.asked_by, asked_at = clock_timestamp(), ended_at = null, ending = null where n.ended_at is not null`,
    [applicationId, batchId, personId],
  )
  return (rowCount ?? 0) > 0
}

/** The oldest open wishes of all applications. */
export async function listOpenNameChecks(queryable: Queryable, limit: number): Promise<OpenNameCheck[]> {
  const { rows } = await queryable.query<OpenNameCheck>(
    `select n.application_id as "applicationId", n.batch_id as "batchId", n.asked_by as "askedBy",
            b.state <> 'discarded' and not p.is_blocked and coalesce(m.is_active and 'maker' = any (m.roles), false) as "isWanted"
       from batch_name_checks n
       join batches b on b.application_id = n.application_id and b.batch_id = n.batch_id
       join people p on p.person_id = n.asked_by
       left join memberships m on m.application_id = n.application_id and m.person_id = n.asked_by
      where n.ended_at is null order by n.asked_at limit $1`,
    [limit],
  )
  return rows
}

/**
 * The next accounts of a batch that were not asked about since the wish, and of which no answer is known from the last 24 hours. Rows that cannot be
 * submitted or are left out ask nothing.
 */
export async function selectUncheckedAccounts(
  queryable: Queryable,
  { applicationId, batchId }: Place,
  { operators, limit }: { operators: readonly OperatorCode[]; limit: number },
): Promise<{ operator: OperatorCode; phoneNumber: string }[]> {
  const { rows } = await queryable.query<{ operator: OperatorCode; phoneNumber: string }>(
    `select r.operator, r.phone_number as "phoneNumber"
       from batch_rows r join batch_name_checks n on n.application_id = r.application_id and n.batch_id = r.batch_id
      where r.application_id = $1 and r.batch_id = $2 and r.problems = '[]' and r.exclusion is null and r.operator = any ($3)
        and not exists (select from account_checks c
          where c.application_id = r.application_id and c.phone_number = r.phone_number and c.operator = r.operator
            and (c.asked_at > n.asked_at or c.asked_at > clock_timestamp() - interval '24 hours' and c.answer in ('active', 'not_registered', 'barred')))
      group by r.operator, r.phone_number order by min(r.row_number) limit $4`,
    [applicationId, batchId, operators, limit],
  )
  return rows
}

export async function endNameCheck(queryable: Queryable, { applicationId, batchId }: Place, ending: NameCheckEnding): Promise<void> {
  await queryable.query(
    `update batch_name_checks set ended_at = clock_timestamp(), ending = $3
       where application_id = $1 and batch_id = $2 and ended_at is null`,
    [applicationId, batchId, ending],
  )
}

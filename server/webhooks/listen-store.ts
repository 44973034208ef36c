import type { Queryable } from '#server/database/pool.ts'

/** Up to which result of each status an application's webhooks were read. Results of one status are numbered without a gap. */
export type ResultCursor = { success: bigint; failed: bigint }

export type ResultRow = {
  transactionId: string
  sequence: bigint
  at: Date
  externalId: string
  status: string
  amountMinor: bigint
  phoneNumber: string
  operator: string
  message: string | null
  finalAt: Date
  url: string | null
}

/** The cursor behind all results that are committed. */
export async function readLastResults(queryable: Queryable, applicationId: string): Promise<ResultCursor> {
  const { rows } = await queryable.query<ResultCursor>(
    `select coalesce((select max(final_sequence) from transaction_events where application_id = $1 and to_status = 'SUCCESS'), 0) as success,
            coalesce((select max(final_sequence) from transaction_events where application_id = $1 and to_status = 'FAILED'), 0) as failed`,
    [applicationId],
  )
  return rows[0] ?? { success: 0n, failed: 0n }
}

/**
 * The next results of each status in their order, up to `limit` of each. The lock of the application's counters makes their numbers visible in that
 * order. One statement, so one snapshot: read one after the other, a success that is committed between them would come behind a later failure.
 */
export async function listResultsAfter(
  queryable: Queryable,
  applicationId: string,
  after: ResultCursor,
  limit: number,
): Promise<Record<'SUCCESS' | 'FAILED', ResultRow[]>> {
  const { rows } = await queryable.query<ResultRow>(
    `select e.transaction_id as "transactionId", e.final_sequence as sequence, e.at, t.external_id as "externalId", e.to_status as status,
            t.amount_minor as "amountMinor", t.phone_number as "phoneNumber", t.operator, t.message, t.final_at as "finalAt", t.webhook_url as url
       from (values ('SUCCESS', $2::bigint), ('FAILED', $3::bigint)) wanted (status, after_sequence)
       cross join lateral (
         select transaction_id, application_id, final_sequence, at, to_status from transaction_events
          where application_id = $1 and to_status = wanted.status and final_sequence > wanted.after_sequence
          order by final_sequence limit $4) e
       join transactions t on t.application_id = e.application_id and t.transaction_id = e.transaction_id
      order by e.final_sequence`,
    [applicationId, after.success, after.failed, limit],
  )
  return { SUCCESS: rows.filter(({ status }) => status === 'SUCCESS'), FAILED: rows.filter(({ status }) => status === 'FAILED') }
}

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

/** The next results of one status in their order. The lock of the application's counters makes their numbers visible in that order. */
export async function listResultsAfter(
  queryable: Queryable,
  applicationId: string,
  { status, after, limit }: { status: 'SUCCESS' | 'FAILED'; after: bigint; limit: number },
): Promise<ResultRow[]> {
  const { rows } = await queryable.query<ResultRow>(
    `select e.transaction_id as "transactionId", e.final_sequence as sequence, e.at, t.external_id as "externalId", e.to_status as status,
            t.amount_minor as "amountMinor", t.phone_number as "phoneNumber", t.operator, t.message, t.final_at as "finalAt", t.webhook_url as url
       from transaction_events e
       join transactions t on t.application_id = e.application_id and t.transaction_id = e.transaction_id
      where e.application_id = $1 and e.to_status = $2 and e.final_sequence > $3
      order by e.final_sequence limit $4`,
    [applicationId, status, after, limit],
  )
  return rows
}

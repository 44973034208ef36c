import {
  type ApiCallDetailDto,
  type ApiCallDto,
  type ApiCallListDto,
  CALLS_PAGE_SIZE,
  isRefusalCause,
  type RefusalCause,
} from '#lib/partner/partner-requests.ts'
import type { ApiCallFilter } from '#lib/schemas/page-address.ts'
import { runQuery, type Sql, sql } from '#server/database/compose-sql.ts'
import type { Queryable } from '#server/database/pool.ts'

export type CallRow = {
  applicationId: string
  requestId: string
  at: Date
  method: string
  path: string
  query: string
  status: number
  cause: RefusalCause | null
  message: string | null
  address: string
  durationMs: number
  isProven: boolean
  keyPrefix: string | null
  requestHeaders: string
  requestBody: string
  requestBytes: number
  answerHeaders: string
  answerBody: string
  answerBytes: number
  transactionIds: string[]
  externalIds: string[]
}

/** Calls that are kept per application: of callers who proved that they belong to it, and of others, who cannot displace those. */
const PROVEN_KEPT = 400
const OTHERS_KEPT = 100

/** Stores calls, removes what exceeds the limits of an application, and lets its open pages know. */
export async function storeCalls(queryable: Queryable, calls: readonly CallRow[]): Promise<void> {
  const applicationIds = [...new Set(calls.map(({ applicationId }) => applicationId))]
  // As JSON, because unnest would flatten the lists of ids.
  await queryable.query(
    `insert into api_requests (application_id, request_id, at, method, path, query, status, cause, message, address, duration_ms, is_proven,
                               key_prefix, request_headers, request_body, request_bytes, answer_headers, answer_body, answer_bytes,
                               transaction_ids, external_ids)
       select "applicationId", "requestId", at, method, path, query, status, cause, message, address, "durationMs", "isProven", "keyPrefix",
              "requestHeaders", "requestBody", "requestBytes", "answerHeaders", "answerBody", "answerBytes", "transactionIds", "externalIds"
         from jsonb_to_recordset($1::jsonb) as r("applicationId" uuid, "requestId" uuid, at timestamptz, method text, path text, query text,
              status integer, cause text, message text, address text, "durationMs" integer, "isProven" boolean, "keyPrefix" text,
              "requestHeaders" text, "requestBody" text, "requestBytes" integer, "answerHeaders" text, "answerBody" text,
              "answerBytes" integer, "transactionIds" uuid[], "externalIds" uuid[])`,
    [JSON.stringify(calls)],
  )
  await queryable.query(
    `delete from api_requests a using (
       select application_id, request_id, is_proven,
              row_number() over (partition by application_id, is_proven order by at desc, request_id) as place
         from api_requests where application_id = any ($1)) r
      where a.application_id = r.application_id and a.request_id = r.request_id
        and r.place > case when r.is_proven then $2::integer else $3::integer end`,
    [applicationIds, PROVEN_KEPT, OTHERS_KEPT],
  )
  // In the order in which intake and settlement lock the counters of several applications.
  await queryable.query(
    `update application_counters c set change_number = c.change_number + 1
       from (select application_id from application_counters where application_id = any ($1) order by application_id for no key update) l
      where c.application_id = l.application_id`,
    [applicationIds],
  )
}

/** Removes calls that are older than pages show. */
export async function deleteCallsBefore(queryable: Queryable, before: Date): Promise<number> {
  const { rowCount } = await queryable.query('delete from api_requests where at < $1', [before])
  return rowCount ?? 0
}

const SHOWN = sql`request_id as "requestId", at, method, path, status, cause, message, duration_ms as "durationMs", key_prefix as "keyPrefix", address`

type ShownRow = Omit<ApiCallDto, 'at' | 'cause'> & { at: Date; cause: string | null }

function toDto<Row extends ShownRow>({ at, cause, ...row }: Row) {
  return { ...row, at: at.toISOString(), cause: cause !== null && isRefusalCause(cause) ? cause : null }
}

type Wanted = { applicationId: string; filter: ApiCallFilter; zone: string; pageSize?: number }

/** A page of the calls of an application that match, the newest first. Nothing outside of a sandbox. */
export async function listCalls(
  queryable: Queryable,
  { applicationId, filter, zone, pageSize = CALLS_PAGE_SIZE }: Wanted,
): Promise<ApiCallListDto> {
  const where = sql.join(conditionsOf(applicationId, filter, zone), sql` and `)
  const [rows, counts] = await Promise.all([
    runQuery<ShownRow>(
      queryable,
      sql`select ${SHOWN} from api_requests where ${where} order by at desc, request_id limit ${pageSize} offset ${filter.page * pageSize}`,
    ),
    runQuery<{ total: number }>(queryable, sql`select count(*)::integer as total from api_requests where ${where}`),
  ])
  return { rows: rows.map(toDto), total: counts[0]?.total ?? 0 }
}

function conditionsOf(applicationId: string, { status, path, q, from, to }: ApiCallFilter, zone: string): Sql[] {
  return [
    sql`application_id = ${applicationId}`,
    ...(status === null ? [] : [sql`status / 100 = ${Number(status)}`]),
    ...(path === '' ? [] : [sql`path ilike ${containing(path)}`]),
    ...(q === ''
      ? []
      : [
          sql`concat_ws(' ', path, query, message, request_body, answer_body, key_prefix, address, transaction_ids::text, external_ids::text) ilike ${containing(q)}`,
        ]),
    ...(from === null ? [] : [sql`at >= ${from}::date::timestamp at time zone ${zone}`]),
    ...(to === null ? [] : [sql`at < (${to}::date + 1)::timestamp at time zone ${zone}`]),
  ]
}

/** A pattern for texts that contain this one. */
function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}

/** The bytes of a body that are kept. */
export const BODY_BYTES_KEPT = 16_384

function sideOf(headers: string, body: string, bytes: number): ApiCallDetailDto['request'] {
  return { headers, body, bytes, isCut: bytes > BODY_BYTES_KEPT }
}

/** Of depositMultiple a thousand; a page of a call links to the first. */
const TRANSACTIONS_LISTED = 20

/** One call with what was kept of its request and answer; undefined if the application has no such call. */
export async function findCall(queryable: Queryable, applicationId: string, requestId: string): Promise<ApiCallDetailDto | undefined> {
  const [row] = await runQuery<ShownRow & Omit<CallRow, keyof ShownRow>>(
    queryable,
    sql`select ${SHOWN}, query, request_headers as "requestHeaders", request_body as "requestBody", request_bytes as "requestBytes",
            answer_headers as "answerHeaders", answer_body as "answerBody", answer_bytes as "answerBytes",
            transaction_ids as "transactionIds", external_ids as "externalIds"
       from api_requests where application_id = ${applicationId} and request_id = ${requestId}`,
  )
  if (!row) return undefined
  const {
    query,
    requestHeaders,
    requestBody,
    requestBytes,
    answerHeaders,
    answerBody,
    answerBytes,
    transactionIds,
    externalIds,
    ...shown
  } = row
  return {
    ...toDto(shown),
    query,
    request: sideOf(requestHeaders, requestBody, requestBytes),
    answer: sideOf(answerHeaders, answerBody, answerBytes),
    transactions: await runQuery(
      queryable,
      sql`select transaction_id as "transactionId", external_id as "externalId", status from transactions
           where application_id = ${applicationId} and (transaction_id = any (${transactionIds}::uuid[]) or external_id = any (${externalIds}::uuid[]))
           order by sequence limit ${TRANSACTIONS_LISTED}`,
    ),
  }
}

/** Calls about one transaction that its page lists: the newest. */
const CALLS_OF_ONE = 50

/** The calls about one transaction, the oldest first. Nothing outside of a sandbox. */
export async function listCallsAbout(
  queryable: Queryable,
  applicationId: string,
  { transactionId, externalId }: { transactionId: string; externalId: string },
): Promise<ApiCallDto[]> {
  const rows = await runQuery<ShownRow>(
    queryable,
    sql`select ${SHOWN} from api_requests
         where application_id = ${applicationId} and (${transactionId}::uuid = any (transaction_ids) or ${externalId}::uuid = any (external_ids))
         order by at desc, request_id limit ${CALLS_OF_ONE}`,
  )
  return rows.map(toDto).toReversed()
}

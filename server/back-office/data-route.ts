import { headers } from 'next/headers'
import { unstable_rethrow } from 'next/navigation'
import type { z } from 'zod'
import type { ExportFormat } from '#lib/payments/transactions/transaction-exports.ts'
import type { Permission } from '#lib/people/permissions.ts'
import type { Result } from '#lib/result.ts'
import { readExactAddress } from '#lib/schemas/read-address.ts'
import { isDatabaseAway } from '#server/database/database-away.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import {
  type BytesRequest,
  exportBytes,
  exportLines,
  exportTable,
  type LinesRequest,
  type TableRequest,
} from '#server/reports/export/export-table.ts'
import { type BackOfficeActor, findActor } from './actor.ts'
import { backOfficeRuntime } from './back-office-runtime.ts'
import { isFromAnotherSite, toFileResponse } from './file-response.ts'
import { getT } from './preferences.ts'

const STATUSES: Readonly<Record<string, number>> = {
  unauthenticated: 401,
  not_found: 404,
  second_factor_required: 403,
  forbidden: 403,
  invalid: 400,
  unavailable: 503,
}

/**
 * The inside of every data address under /api/back-office: what react-query refetches. Loads the actor, asks the permission
 * table, parses the query (`invalid`, 400, for anything in it that the schema does not allow), and answers the DTO as JSON, or `{ code }`
 * with its status. Amounts in a DTO are decimal strings and instants ISO strings: JSON cannot hold a bigint.
 */
export async function answerData<Schema extends z.ZodType>(
  request: { application: string; permission: Permission; schema: Schema; searchParams: URLSearchParams },
  handler: (actor: BackOfficeActor, query: z.infer<Schema>) => Promise<Result<unknown, string>>,
): Promise<Response> {
  try {
    const actor = await findActor(request.application, request.permission)
    if (!actor.ok) return refuseData(actor.error)
    const query = readExactAddress(request.schema, request.searchParams)
    if (!query.ok) return refuseData(query.error)
    const result = await handler(actor.value, query.value)
    return result.ok ? Response.json(result.value, { headers: { 'cache-control': 'private, no-store' } }) : refuseData(result.error)
  } catch (error) {
    unstable_rethrow(error)
    reportUnexpected('back office: data', error, { permission: request.permission, message: 'A data address failed' })
    return refuseThrown(error)
  }
}

/** The answer after an exception, which the caller has reported: 503 if the database did not answer, otherwise 500. */
export function refuseThrown(error: unknown): Response {
  return refuseData(isDatabaseAway(error) ? 'unavailable' : 'unexpected')
}

/** A refusal as JSON, with the status that belongs to its code. */
export function refuseData(code: string): Response {
  return Response.json(
    { code },
    { status: STATUSES[code] ?? (code === 'unexpected' ? 500 : 409), headers: { 'cache-control': 'private, no-store' } },
  )
}

/** 503: the application has as many exports in progress as it may. */
export async function refuseBusy(): Promise<Response> {
  return new Response((await getT())('exports.busy'), { status: 503, headers: { 'retry-after': '10' } })
}

/** A table to be taken out, without who takes it: that is the actor of the request. */
type Table = Omit<TableRequest, 'applicationId' | 'personId' | 'format'>

/** Lines of JSON to be taken out instead of a table. */
type Lines = Omit<LinesRequest, 'applicationId' | 'personId' | 'format'>

/** Bytes to be taken out, with their media type. */
type Bytes = Omit<BytesRequest, 'applicationId' | 'personId'> & { type: string }

type TableAnswer = { application: string; permission: Permission; fileName: string; format: ExportFormat | 'jsonl'; signal: AbortSignal }

const TYPES: Record<ExportFormat | 'jsonl', string> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  jsonl: 'application/x-ndjson; charset=utf-8',
}

/**
 * The inside of an address that answers a table as a file. Loads the actor, asks the permission table and leaves an audit entry;
 * `fileName` gets the time (UTC) and the format. The handler returns the table, or null if it does not exist. 503 while the
 * application has as many exports in progress as it may, 403 for a request that another site made the browser send.
 */
export async function answerTable(
  { application, permission, fileName, format, signal }: TableAnswer,
  handler: (actor: BackOfficeActor) => Promise<Table | Lines | Bytes | null>,
): Promise<Response> {
  const runtime = backOfficeRuntime()
  try {
    // Each download leaves an audit entry: no other site may make a browser write them.
    if (isFromAnotherSite(await headers(), 'link')) return new Response(null, { status: 403 })
    const actor = await findActor(application, permission)
    if (!actor.ok) return new Response(null, { status: actor.error === 'unauthenticated' ? 401 : actor.error === 'not_found' ? 404 : 403 })
    const table = await handler(actor.value)
    if (table === null) return new Response(null, { status: 404 })
    const who = { applicationId: actor.value.applicationId, personId: actor.value.id }
    const type = 'bytes' in table ? table.type : TYPES[format]
    const exported =
      'bytes' in table
        ? await exportBytes(runtime, { ...table, ...who, format })
        : 'lines' in table
          ? await exportLines(runtime, { ...table, ...who, format: 'jsonl' })
          : await exportTable(runtime, { ...table, ...who, format: format === 'jsonl' ? 'csv' : format })
    if (!exported.ok) return await refuseBusy()
    const at = runtime.clock.now().toISOString().slice(0, 19).replaceAll(':', '-')
    return await toFileResponse(exported.value, { type, fileName: `${fileName}-${at}Z.${format}` }, signal)
  } catch (error) {
    unstable_rethrow(error)
    reportUnexpected('back office: table', error, { permission, message: 'A table could not be exported' })
    // The front door answers it, as for every page.
    if (isDatabaseAway(error)) throw error
    return new Response(null, { status: 500 })
  }
}

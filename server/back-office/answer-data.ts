import { unstable_rethrow } from 'next/navigation'
import type { z } from 'zod'
import type { Permission } from '#lib/permissions.ts'
import type { Result } from '#lib/result.ts'
import { readExactAddress } from '#lib/schemas/read-address.ts'
import { isDatabaseAway } from '#server/database/database-away.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { type BackOfficeActor, findActor } from './actor.ts'

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

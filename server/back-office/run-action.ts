import { unstable_rethrow } from 'next/navigation'
import type { z } from 'zod'
import type { Permission } from '#lib/people/permissions.ts'
import type { ActionError, ActionRefusal, ActionResult, FreshProofRefusal, Result } from '#lib/result.ts'
import { isCleanInput } from '#lib/text/clean-text.ts'
import { isDatabaseAway } from '#server/database/database-away.ts'
import { processWide } from '#server/process-wide.ts'
import { createRateLimit, type RateLimit } from '#server/rate-limit.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { type BackOfficeActor, findActor } from './actor.ts'

/**
 * Runs every server action: each export of an actions.ts is a public endpoint, so nothing about the caller or the input is
 * trusted. Loads the actor in `application` from the database, checks the one permission table, parses `input` (a form or an
 * object), runs the command and returns its Result as a value. A bug is logged and answered `unexpected`, a database that does not answer `unavailable`.
 */
export async function runAction<Schema extends z.ZodType, Value, Failure extends string = never>(
  request: {
    schema: Schema
    permission: Permission
    application: unknown
    input: unknown
  },
  handler: (actor: BackOfficeActor, input: z.infer<Schema>) => Promise<Result<Value, Failure | FreshProofRefusal | ActionError<Failure>>>,
): Promise<ActionResult<Value, Failure>> {
  try {
    if (typeof request.application !== 'string' || !isCleanInput([request.application, request.input])) return refuse('invalid')
    const actor = await findActor(request.application, request.permission)
    if (!actor.ok) return refuse(actor.error)
    const parsed = request.schema.safeParse(request.input instanceof FormData ? Object.fromEntries(request.input) : request.input)
    if (!parsed.success) return { ok: false, error: { code: 'invalid', fields: fieldsOf(parsed.error) } }
    const result = await handler(actor.value, parsed.data)
    if (result.ok) return { ok: true, value: result.value }
    return { ok: false, error: typeof result.error === 'string' ? { code: result.error } : result.error }
  } catch (error) {
    // Next's own redirects and not-founds travel as exceptions.
    unstable_rethrow(error)
    reportUnexpected('back office: action', error, { permission: request.permission, message: 'A server action failed' })
    return refuse(isDatabaseAway(error) ? 'unavailable' : 'unexpected')
  }
}

function refuse(code: ActionRefusal): { ok: false; error: { code: ActionRefusal } } {
  return { ok: false, error: { code } }
}

/** The first problem of each field, by its path with dots. The texts are the schema's own: keys of lib/i18n where a form shows them. */
function fieldsOf(error: z.ZodError): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const issue of error.issues) fields[issue.path.join('.')] ??= issue.message
  return fields
}

declare module '#server/process-wide.ts' {
  interface ProcessWideValues {
    /** How many parts of its audit chain each application may still check. */
    chainCheckLimit: RateLimit
  }
}

/** A part is some tenths of a second of reading and hashing: one person who checks again and again must not slow down the others. */
const BURST = 60
const PER_SECOND = 1

/** Takes one part from an application's allowance; false if none is left. */
export function takeChainCheck(applicationId: string): boolean {
  const limit = processWide('chainCheckLimit', () =>
    createRateLimit({ burst: BURST, perSecond: PER_SECOND, nowMs: () => performance.now() }),
  )
  return limit.take(applicationId).retryAfterMs === undefined
}

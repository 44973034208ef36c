import type { AuditAction } from '#lib/people/audit-actions.ts'
import type { Permission } from '#lib/people/permissions.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { Database, Pool, TrxClient } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { appendAudit } from './append-audit.ts'
import type { AuditDetails } from './canonical-text.ts'
import { type AuditActor, type CommandActor, mayAct } from './command-actor.ts'

/** The act of a command, as its audit entry says it; the application and the actor are those of the command. */
type Act = { action: AuditAction; subject: string; details?: AuditDetails }

/** The end of a command: its result, and its audit entry; null where it changed nothing that is recorded. */
export type Done<Value> = { act: Act | null; value: Value }

export type Work<Value, Failure> = (trx: TrxClient) => Promise<Result<Done<Value>, Failure>>

/** Ends the work of a command with its audit entry and its result. */
export function done(act: Act | null): Result<Done<void>, never>
export function done<Value>(act: Act | null, value: Value): Result<Done<Value>, never>
export function done<Value>(act: Act | null, value?: Value): Result<Done<Value | undefined>, never> {
  return ok({ act, value })
}

/**
 * Runs a command of an actor who needs a permission in an application. Without it the result is `not_permitted`, before anything is read.
 * Otherwise `work` runs in one database transaction and ends it with `done`: the change and its audit entry are committed together, or, after
 * a refusal or an error, neither is. `work` is repeated after a deadlock, so it must have no effect outside the database.
 */
export async function runCommand<Value, Failure>(
  database: Database,
  command: { applicationId: string; actor: CommandActor },
  permission: Permission,
  work: Work<Value, Failure>,
): Promise<Result<Value, Failure | 'not_permitted'>> {
  if (!mayAct(command.actor, command.applicationId, permission)) return err('not_permitted')
  return runRecorded(database, command, work)
}

/** The same for a command that checks itself who may, because that depends on what it reads. */
export function runRecorded<Value, Failure>(
  database: Database,
  { applicationId, actor }: { applicationId: string; actor: AuditActor },
  work: Work<Value, Failure>,
): Promise<Result<Value, Failure>> {
  return withTransaction<Value, Failure>(database, async (trx) => {
    const result = await work(trx)
    if (!result.ok) return result
    const { act, value } = result.value
    // Last, because it holds the chain of the application until the commit.
    if (act) await appendAudit(trx, { applicationId, actor, ...act })
    return ok(value)
  })
}

/** Records an act that changes nothing else in the database, such as a test or a download. */
export async function recordAct(pool: Pool, by: { applicationId: string; actor: AuditActor }, act: Act): Promise<void> {
  await runRecorded<void, never>(pool, by, async () => done(act))
}

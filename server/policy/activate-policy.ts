import { err, ok, type Result } from '#lib/result.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { type CommandActor, mayAct } from '#server/audit/command-actor.ts'
import { lockApplication } from '#server/database/application-locks.ts'
import type { Database } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { markActivated, readPolicy } from './policy-store.ts'

type ActivateFailure = 'not_permitted' | 'unknown_version' | 'already_active' | 'superseded' | 'same_person'

/**
 * Activates a proposed version. Waiting transactions keep the rules that applied at intake. Refuses the person who proposed the version,
 * because a change of the rules requires a second administrator, and a version older than the active one, because nobody reviewed it
 * against that.
 */
export async function activatePolicy(
  database: Database,
  command: { applicationId: string; version: number; actor: CommandActor },
): Promise<Result<void, ActivateFailure>> {
  const { applicationId, version, actor } = command
  if (!mayAct(actor, applicationId, 'policy:change')) return err('not_permitted')
  return withTransaction<void, ActivateFailure>(database, async (trx) => {
    if (!(await lockApplication(trx, applicationId))) return err('unknown_version')
    const { policy, activeVersion } = await readPolicy(trx, applicationId, version)
    if (!policy) return err('unknown_version')
    if (policy.activatedAt) return err('already_active')
    if (version < activeVersion) return err('superseded')
    if (actor.id !== null && policy.proposedBy === actor.id) return err('same_person')
    await markActivated(trx, applicationId, version, actor.id)
    await appendAudit(trx, {
      applicationId,
      actor,
      action: 'policy.activated',
      subject: String(version),
      details: { replacesVersion: activeVersion, proposedBy: policy.proposedBy },
    })
    return ok(undefined)
  })
}

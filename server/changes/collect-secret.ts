import { CHANGE_PERMISSIONS, type CollectedSecret, isChangeKind } from '#lib/approvals/proposed-change.ts'
import { mayDecideElsewhere } from '#lib/people/permissions.ts'
import { err, type FreshProofRefusal, ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time/time.ts'
import { findInstallation } from '#server/applications/application-store.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { type CommandActor, mayAct, type PersonCommandActor, SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { lockApplication } from '#server/database/application-locks.ts'
import type { Pool, Queryable, TrxClient } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { checkFreshProof, type FreshProof } from '#server/people/sign-in/fresh-proof.ts'
import { loadActor } from '#server/people/sign-in/sessions.ts'
import { endCollection, lockChange, removeExpiredPayloads, type StoredChange } from './change-store.ts'
import { stillHolds } from './decide-change.ts'
import { KINDS, kindsConfirmedAlone } from './kinds.ts'

type CollectFailure =
  | FreshProofRefusal
  | 'not_found'
  | 'not_permitted'
  /** It was collected, or the time for it is over. */
  | 'not_collectable'
  /** The person who confirmed it could no longer confirm it. */
  | 'confirmation_ended'
  /** The command refused, such as `too_many_keys`. */
  | { code: 'refused'; reason: string }

/** `proof`: a fresh code or passkey, where the application requires the second factor. */
type CollectSecret = { applicationId: string; changeId: string; proof?: FreshProof | undefined; actor: PersonCommandActor }

/**
 * Makes the secret of a change that somebody else confirmed and returns it to its proposer, once. The secret is generated here: between the
 * confirmation and this call there is nothing to steal, and neither the second person nor the database ever has it. The command runs in
 * the name of the person who confirmed, whose roles are read again; in a sandbox, the proposer may be that person. A proof is used up even if nothing is then collected.
 */
export async function collectSecret(
  deps: { pool: Pool; clock: Clock },
  command: CollectSecret,
): Promise<Result<CollectedSecret, CollectFailure>> {
  const { applicationId, changeId, proof, actor } = command
  const checked = await checkFreshProof(deps, { applicationIds: [applicationId], personId: actor.id, proof })
  if (!checked.ok) return checked
  return withTransaction<CollectedSecret, CollectFailure>(deps.pool, async (trx) => {
    if (!(await lockApplication(trx, applicationId))) return err('not_found')
    const stored = await lockChange(trx, applicationId, changeId)
    if (!stored || stored.proposedBy !== actor.id || !isChangeKind(stored.kind)) return err('not_found')
    const [kind, needs] = [KINDS[stored.kind], CHANGE_PERMISSIONS[stored.kind]]
    if (!mayAct(actor, applicationId, needs.propose)) return err('not_permitted')
    if (!(await stillHolds(trx, applicationId, actor.id, needs.propose))) return err('not_permitted')
    if (!stored.isCollectable) return err('not_collectable')
    const change = kind.bind(stored.payload)
    if (!change.ok) throw new Error(`The payload of change ${changeId} cannot be read`)
    const confirmer = await readConfirmer(trx, applicationId, stored)
    if (!confirmer || !mayAct(confirmer, applicationId, needs.confirm)) return err('confirmation_ended')
    const collected = await change.value.collect(trx, { applicationId, actor: confirmer, collectorId: actor.id, now: deps.clock.now() })
    if (!collected.ok) return err({ code: 'refused', reason: collected.error })
    await endCollection(trx, applicationId, changeId)
    const details = { kind: stored.kind, subject: stored.subject, confirmedBy: stored.decidedBy, ...checked.value }
    await appendAudit(trx, { applicationId, actor, action: 'change.collected', subject: changeId, details })
    return ok(collected.value)
  })
}

/**
 * The person who confirmed, with their present roles: in the application, or in the one that runs the installation. Where the proposer confirmed alone,
 * the sandbox itself, because a proposer may lack the role of those who confirm.
 */
async function readConfirmer(
  trx: TrxClient,
  applicationId: string,
  { decidedBy, proposedBy, kind }: StoredChange,
): Promise<CommandActor | undefined> {
  if (decidedBy === null || !isChangeKind(kind)) return undefined
  if (decidedBy === proposedBy) return (await kindsConfirmedAlone(trx)).has(kind) ? SYSTEM_ACTOR : undefined
  const member = await loadActor(trx, decidedBy, applicationId)
  if (member.ok) return { kind: 'person', id: decidedBy, applicationId, roles: member.value.roles }
  const installationId = await findInstallation(trx, applicationId)
  const elsewhere = installationId === undefined ? undefined : await loadActor(trx, decidedBy, installationId)
  if (!elsewhere?.ok || !mayDecideElsewhere(elsewhere.value.roles, CHANGE_PERMISSIONS[kind].confirm)) return undefined
  return { kind: 'person', id: decidedBy, applicationId, roles: elsewhere.value.roles }
}

/** Removes the secrets of proposals that have expired. Decided and withdrawn proposals keep none. */
export async function forgetExpiredSecrets(queryable: Queryable): Promise<void> {
  await removeExpiredPayloads(queryable)
}

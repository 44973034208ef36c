import { randomUUID } from 'node:crypto'
import { CHANGE_PERMISSIONS, type ChangeKindName } from '#lib/approvals/proposed-change.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { type AuditActor, mayAct, type PersonCommandActor } from '#server/audit/command-actor.ts'
import { lockApplication } from '#server/database/application-locks.ts'
import type { Pool, TrxClient } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { findDecidingApplication } from '#server/people/second-person-store.ts'
import { type BoundChange, type Refused, refused } from './change-kind.ts'
import { hasOpenChange, insertChange } from './change-store.ts'
import { KINDS, kindsConfirmedAlone } from './kinds.ts'

export type ProposeFailure =
  | 'not_permitted'
  | 'invalid'
  | 'unknown_application'
  /** The change is about the person who proposes it. */
  | 'about_you'
  /** Nobody else may confirm it, neither here nor in the application that runs the installation: the machine's administrator has to make it. */
  | 'no_second_person'
  | 'already_proposed'
  /** Everything is already as proposed. */
  | 'no_difference'
  /** The kind's own refusal, such as `not_a_member`. */
  | Refused

type ProposeChange = { applicationId: string; kind: ChangeKindName; input: unknown; actor: PersonCommandActor }

/**
 * Proposes a change. Nothing happens until another person with the same permission confirms it, within seven days (for a secret of a sandbox, the same
 * person). Stores what is now
 * and what would be, which is what that person decides on.
 */
export async function proposeChange(pool: Pool, command: ProposeChange): Promise<Result<{ changeId: string }, ProposeFailure>> {
  const { applicationId, actor } = command
  const kind = KINDS[command.kind]
  if (!mayAct(actor, applicationId, CHANGE_PERMISSIONS[command.kind].propose)) return err('not_permitted')
  const bound = kind.bind(command.input)
  if (!bound.ok) return bound
  if (bound.value.personId === actor.id) return err('about_you')
  if (!bound.value.mayPropose(actor.id, actor.roles)) return err('not_permitted')
  return withTransaction<{ changeId: string }, ProposeFailure>(pool, async (trx) => {
    if (!(await lockApplication(trx, applicationId))) return err('unknown_application')
    return storeProposal(trx, { ...command, changeId: randomUUID(), proposedBy: actor.id }, bound.value)
  })
}

type Proposal = { applicationId: string; kind: ChangeKindName; changeId: string; proposedBy: string; actor: AuditActor; batchId?: string }

/**
 * Stores a proposal in the name of a person, in the caller's transaction, which holds the lock of the application. `actor`: who is in the audit
 * record; a schedule proposes in the name of the person who set it.
 */
export async function storeProposal(
  trx: TrxClient,
  { applicationId, kind, changeId, proposedBy, actor, batchId }: Proposal,
  change: BoundChange,
): Promise<Result<{ changeId: string }, ProposeFailure>> {
  const except = [proposedBy, change.personId]
  const permission = CHANGE_PERMISSIONS[kind].confirm
  const isDecided =
    (await kindsConfirmedAlone(trx)).has(kind) || (await findDecidingApplication(trx, { applicationId, permission, except })) !== undefined
  if (!isDecided) return err('no_second_person')
  const { subject, payload } = change
  if (await hasOpenChange(trx, applicationId, kind, subject)) return err('already_proposed')
  const difference = await change.read(trx, applicationId)
  if (!difference.ok) return refused(difference.error)
  const { before, after, obstacle } = difference.value
  if (obstacle !== undefined) return refused(obstacle)
  if (JSON.stringify(before) === JSON.stringify(after)) return err('no_difference')
  const isSealed = KINDS[kind].holdsSecrets
  await insertChange(trx, { applicationId, changeId, kind, subject, payload, isSealed, before, after, proposedBy, batchId })
  const marks = { ...(actor.id !== proposedBy && { proposedBy }), ...(batchId !== undefined && { batchId }) }
  const details = JSON.parse(JSON.stringify({ kind, subject, before, after, ...marks }))
  await appendAudit(trx, { applicationId, actor, action: 'change.proposed', subject: changeId, details })
  return ok({ changeId })
}

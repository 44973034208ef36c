import type { Permission } from '#lib/permissions.ts'
import { CHANGE_PERMISSIONS, isChangeKind } from '#lib/proposed-change.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { mayAct, type PersonCommandActor } from '#server/audit/command-actor.ts'
import { lockApplication } from '#server/database/application-locks.ts'
import type { TrxClient } from '#server/database/pool.ts'
import type { BoundChange } from './change-kind.ts'
import { lockChange, type StoredChange } from './change-store.ts'
import { KINDS } from './kinds.ts'

export type DecideFailure =
  | 'not_found'
  | 'not_permitted'
  /** It was confirmed, refused or withdrawn, or has expired. */
  | 'not_open'
  | 'own_proposal'
  /** The change is about the person who decides. */
  | 'about_you'

/** A change that can be decided, and what its kind requires. */
export type LockedChange = { stored: StoredChange; change: BoundChange; proposePermission: Permission; makesSecret: boolean }

/** Locks a change that can still be decided, for a person who may decide it. */
export async function lockOpenChange(
  trx: TrxClient,
  { applicationId, changeId, actor }: { applicationId: string; changeId: string; actor: PersonCommandActor },
): Promise<Result<LockedChange, DecideFailure>> {
  // The application first, as everywhere: its changes come one after the other.
  if (!(await lockApplication(trx, applicationId))) return err('not_found')
  const stored = await lockChange(trx, applicationId, changeId)
  if (!stored || !isChangeKind(stored.kind)) return err('not_found')
  const kind = KINDS[stored.kind]
  const needs = CHANGE_PERMISSIONS[stored.kind]
  if (!mayAct(actor, applicationId, needs.confirm)) return err('not_permitted')
  if (!stored.isOpen) return err('not_open')
  const change = kind.bind(stored.payload)
  if (!change.ok) throw new Error(`The payload of change ${changeId} cannot be read`)
  if (stored.proposedBy === actor.id) return err('own_proposal')
  if (change.value.personId === actor.id) return err('about_you')
  return ok({ stored, change: change.value, proposePermission: needs.propose, makesSecret: kind.makesSecret })
}

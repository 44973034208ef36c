import { can, type Permission } from '#lib/permissions.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { mayAct, type PersonCommandActor } from '#server/audit/command-actor.ts'
import type { TrxClient } from '#server/database/pool.ts'
import { lockActiveMember } from '#server/people/person-queries.ts'
import { lockFunding, type StoredFunding } from './funding-store.ts'

export type DecideFailure =
  | 'not_found'
  | 'not_permitted'
  /** It was confirmed, refused or withdrawn, or has expired. */
  | 'not_open'
  | 'own_proposal'

/** Locks a funding that can still be decided, for a person who may decide it at this moment. Says whether its proposer may still propose it. */
export async function lockOpenFunding(
  trx: TrxClient,
  { applicationId, fundingId, actor }: { applicationId: string; fundingId: string; actor: PersonCommandActor },
): Promise<Result<StoredFunding & { isProposerGone: boolean }, DecideFailure>> {
  if (!mayAct(actor, applicationId, 'funding:decide')) return err('not_permitted')
  const stored = await lockFunding(trx, applicationId, fundingId)
  if (!stored) return err('not_found')
  if (!stored.isOpen) return err('not_open')
  if (stored.proposedBy === actor.id) return err('own_proposal')
  // Read again and kept until the end of the transaction: a role that is taken away meanwhile moves no money.
  const mayStill = async (personId: string, permission: Permission) =>
    can((await lockActiveMember(trx, applicationId, personId)) ?? [], permission)
  if (!(await mayStill(actor.id, 'funding:decide'))) return err('not_permitted')
  return ok({ ...stored, isProposerGone: !(await mayStill(stored.proposedBy, 'funding:propose')) })
}

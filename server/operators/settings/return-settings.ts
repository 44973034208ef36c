import type { OperatorCode } from '#lib/operators/operators.ts'
import { err, type FreshProofRefusal, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time/time.ts'
import { SERVICE_WIDE } from '#server/audit/append-audit.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { done, runRecorded } from '#server/audit/run-command.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { checkFreshProof, type FreshProof } from '#server/people/sign-in/fresh-proof.ts'
import { lockSettings, putSettings, readPreviousSettings, removePreviousSettings, removeSettings } from './operator-settings-store.ts'
import { findSettingsKind } from './protocols.ts'
import { detailsOf, refuseActor } from './set-operator.ts'

export type ReturnFailure =
  | 'not_permitted'
  | 'not_the_installation'
  /** The settings are older than a day, were returned to already, or are not stored here. */
  | 'no_return'
  /** Somebody changed them since the person looked. */
  | 'changed_meanwhile'

type ReturnSettings = {
  operator: OperatorCode
  protocol: string
  version: number
  actor: PersonCommandActor
  proof?: FreshProof | undefined
}

/**
 * Returns to the settings of an operator that the present ones replaced within the last day, in every process within a second; without settings
 * before, removes the present ones. One administrator may: two have agreed on what comes back, and an operator that does not answer must not wait
 * for a second person. There is no return from a return. `version`: the present one, as the person saw it.
 */
export async function returnSettings(
  deps: { pool: Pool; clock: Clock },
  { operator, protocol, version, actor, proof }: ReturnSettings,
): Promise<Result<void, ReturnFailure | FreshProofRefusal>> {
  const checked = await checkFreshProof(deps, { applicationIds: [actor.applicationId], personId: actor.id, proof })
  if (!checked.ok) return checked
  return runRecorded<void, ReturnFailure>(deps.pool, { applicationId: SERVICE_WIDE, actor }, async (trx) => {
    const refusal = await refuseActor(trx, actor)
    if (refusal) return err(refusal)
    const present = await lockSettings(trx, operator, protocol)
    const known = findSettingsKind(protocol)
    if (!present?.returnUntil || !known) return err('no_return')
    if (Number(present.version) !== version) return err('changed_meanwhile')
    const previous = await readPreviousSettings(trx, present.id)
    if (previous) await putSettings(trx, { operator, protocol, document: previous }, null)
    else await removeSettings(trx, operator, protocol)
    const details = { ...detailsOf(present.document, previous, known.secretFields), ...checked.value }
    return done({ action: 'operator.returned', subject: `${operator} ${protocol}`, details })
  })
}

/** Removes the settings to which nobody may return after a day, with their secrets. */
export async function forgetPreviousSettings(queryable: Queryable): Promise<void> {
  await removePreviousSettings(queryable)
}

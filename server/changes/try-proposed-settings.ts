import type { SettingsTrial } from '#lib/operators/operator-outcomes.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { operatorSettingsChangeSchema } from '#lib/schemas/proposal.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import type { OperatorTests } from '#server/operators/settings/test-operator.ts'
import { lockChange } from './change-store.ts'

type TrialFailure = Extract<Awaited<ReturnType<OperatorTests['tryOut']>>, { ok: false }>['error']
type TryProposed = { applicationId: string; changeId: string; actor: PersonCommandActor }

/** Tests the settings of an operator that an open change would put in force, with the secrets that are stored with it. Changes nothing. */
export async function tryProposedSettings(
  { pool, operatorTests }: { pool: Pool; operatorTests: OperatorTests },
  { applicationId, changeId, actor }: TryProposed,
): Promise<Result<SettingsTrial, TrialFailure | 'not_found'>> {
  const read = await withTransaction(pool, async (trx) => ok(await lockChange(trx, applicationId, changeId)))
  const stored = read.ok ? read.value : undefined
  if (stored?.kind !== 'operator.set' || !stored.isOpen) return err('not_found')
  const payload = operatorSettingsChangeSchema.parse(stored.payload)
  return operatorTests.tryOut(pool, { applicationId, change: { ...payload, changes: payload.changes ?? undefined }, actor })
}

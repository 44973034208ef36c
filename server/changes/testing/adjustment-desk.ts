import assert from 'node:assert/strict'
import type { ChangeKindName } from '#lib/approvals/proposed-change.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { Role } from '#lib/people/permissions.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { systemClock } from '#server/clock.ts'
import { createTestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { confirmChange } from '../decide-change.ts'
import { proposeChange } from '../propose-change.ts'

type Adjustment = readonly [kind: ChangeKindName, input: Record<string, unknown>]

export const EVIDENCE = { evidence: 'Line 4711 of the statement', note: '' }
export const reverse = (ledger: string, transactionId: string): Adjustment => ['adjustment.reverse', { ...EVIDENCE, ledger, transactionId }]
export const late = (ledger: string, transactionId: string, waivesFees = false): Adjustment => [
  'adjustment.late',
  { ...EVIDENCE, ledger, transactionId, waivesFees },
]
export const concede = (ledger: string, transactionId: string, account: string, amountMinor: string): Adjustment => [
  'adjustment.concede',
  { ...EVIDENCE, ledger, transactionId, account, amountMinor },
]
export const feesOut = (ledger: string, amountMinor: string): Adjustment => [
  'adjustment.fees_out',
  { ...EVIDENCE, ledger, operator: 'MOMOCM', amountMinor },
]

/** The application that runs the installation, with Fatou of its finance and Serge who administers it, and partners whose books they adjust. */
export async function openAdjustmentDesk() {
  const database = await createTestDatabase()
  const { pool } = database
  const installation = await makeApplication(pool)
  await pool.query('update applications set runs_installation = true where application_id = $1', [installation])
  const actorOf = async (applicationId: string, roles: Role[]): Promise<PersonCommandActor> => {
    return { kind: 'person', id: await makePerson(pool, applicationId, roles), applicationId, roles }
  }
  const fatou = await actorOf(installation, ['finance'])
  const serge = await actorOf(installation, ['administrator'])
  const propose = ([kind, input]: Adjustment, actor = fatou) =>
    proposeChange(pool, { applicationId: actor.applicationId, kind, input, actor })
  const confirm = (changeId: string, actor = serge) =>
    confirmChange({ pool, clock: systemClock }, { applicationId: actor.applicationId, changeId, actor })
  const proposed = async (adjustment: Adjustment): Promise<string> => {
    const value = await propose(adjustment)
    assert.ok(value.ok, JSON.stringify(value))
    return value.value.changeId
  }
  return {
    ...{ database, installation, fatou, serge, actorOf, propose, confirm, proposed },
    async make(adjustment: Adjustment): Promise<void> {
      assert.deepEqual(await confirm(await proposed(adjustment)), { ok: true, value: { secret: null } })
    },
    /** A partner's application with money in its deposit balance. */
    async partner(depositMinor = 2_000_000n): Promise<string> {
      const applicationId = await makeApplication(pool)
      await fund(pool, applicationId, 'MOMOCM', depositMinor)
      return applicationId
    },
    /** A transaction of 5,000 with fees of 50 and 25 that ended. */
    async ended(applicationId: string, type: TransactionType, event: 'succeeded' | 'failed', amountMinor = 500_000n): Promise<string> {
      const item = anIntakeItem(applicationId, { type, operator: 'MOMOCM', amountMinor, feeSystemMinor: 5_000n, feeAppMinor: 2_500n })
      await takeIn(pool, [item])
      await transition(pool, [{ ...item, event, message: 'x', actor: SYSTEM_ACTOR }])
      return item.transactionId
    },
  }
}

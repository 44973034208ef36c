import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { anIntakeItem } from '#server/testing/factories.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import type { ForcedEnquiriesOptions } from '../work/forced-enquiries.ts'
import { type SynchroniseFailure, synchroniseTransaction } from '../work/synchronise-transaction.ts'
import { OperatorHarness } from './operator-harness.ts'
import { type ScriptedOperator, sayTransfer, startScriptedOperator } from './scripted-operator.ts'

export const actor = { kind: 'api' as const, id: randomUUID() }

/** `release` breaks the queries that hang, and all that come after. */
type Flood = { operator: ScriptedOperator; harness: OperatorHarness; release(): void }

/** An operator that takes submissions and never answers a query, until a test says otherwise. */
export async function withHangingQueries(limits: ForcedEnquiriesOptions['limits'], work: (flood: Flood) => Promise<void>): Promise<void> {
  const hanging: ServerResponse[] = []
  const operator = await startScriptedOperator({
    submit: (asked) => sayTransfer(asked, 'PENDING'),
    query: ({ response }) => hanging.push(response),
  })
  const release = (): void => {
    operator.script.query = ({ response }) => response.destroy()
    for (const response of hanging) response.destroy()
  }
  const harness = await OperatorHarness.open({
    elsewhere: { OMCM: operator.url },
    // Longer than any of these tests: what hangs goes on hanging until it is released.
    callTimeoutMs: 60_000,
    dispatcher: { pollDelaysMs: [600_000], leaseMs: 300_000 },
    forcedEnquiries: limits,
    // No allowance refills while a test runs, however slow the machine is.
    nowMs: () => 0,
  })
  try {
    await work({ operator, harness, release })
  } finally {
    release()
    await operator.close()
    await harness.close()
  }
}

/** Transactions that the operator accepted and that no schedule queries. */
export async function accepted(harness: OperatorHarness, applicationId: string, count: number): Promise<IntakeItem[]> {
  const items = Array.from({ length: count }, () => anIntakeItem(applicationId, { operator: 'OMCM', type: 'COLLECT' }))
  await takeIn(harness.database.pool, items)
  await harness.database.pool.query(
    "update operator_work set state = 'submitted', accepted_at = now(), next_at = now() + interval '1 hour' where application_id = $1",
    [applicationId],
  )
  return items
}

export async function failureOf(
  harness: OperatorHarness,
  { applicationId, transactionId }: IntakeItem,
): Promise<SynchroniseFailure | 'answered'> {
  const result = await synchroniseTransaction(harness.forcedEnquiries, { applicationId, transactionId, actor })
  return result.ok ? 'answered' : result.error
}

export async function auditCount(harness: OperatorHarness, applicationId: string): Promise<number> {
  const { rows } = await harness.database.pool.query<{ count: bigint }>(
    "select count(*) from audit_entries where application_id = $1 and action = 'transaction.synchronised'",
    [applicationId],
  )
  return Number(rows[0]?.count)
}

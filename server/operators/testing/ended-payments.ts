import { after, beforeEach } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, fund, makeApplication } from '#server/testing/factories.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { transition } from '#server/transactions/transition.ts'
import type { ContradictionQuery } from '../work/contradiction-store.ts'

/** An application with money at MOMOCM on a database of its own, and payments of it that are ended. No query is queued before a test. */
export async function openEndedPayments() {
  const database: TestDatabase = await createTestDatabase()
  const applicationId = await makeApplication(database.pool)
  await fund(database.pool, applicationId, 'MOMOCM', 100_000_000n)
  beforeEach(() => database.pool.query('delete from contradiction_queries'))
  after(() => database.drop())

  async function ended(status: 'SUCCESS' | 'FAILED', overrides: Partial<IntakeItem> = {}): Promise<IntakeItem> {
    const item = anIntakeItem(applicationId, overrides)
    await takeIn(database.pool, [item])
    const event = status === 'SUCCESS' ? 'succeeded' : 'failed'
    await transition(database.pool, [{ ...item, event, message: 'x', actor: { kind: 'operator', id: null } }])
    return item
  }

  /** Queues a query that is due and was made `tries` times. */
  async function queue({ transactionId }: IntakeItem, kind: ContradictionQuery['kind'], tries: number): Promise<void> {
    await database.pool.query(
      `insert into contradiction_queries (application_id, transaction_id, kind, operator, tries, next_at, said, answer)
       values ($1, $2, $3, 'MOMOCM', $4, now() - interval '1 minute', 'succeeded', 'text')`,
      [applicationId, transactionId, kind, tries],
    )
  }

  /** The record of one contradiction: what was said first, and in each answer after it. */
  async function record({ transactionId }: IntakeItem, status: string, ...said: string[]): Promise<void> {
    await database.pool.query(
      `insert into operator_contradictions (application_id, transaction_id, number, source, said, stored_status, answer, at)
       select $1, $2, s.number, 'query', s.said, $3, '', now() from unnest($4::text[]) with ordinality as s (said, number)`,
      [applicationId, transactionId, status, said],
    )
  }

  return { database, applicationId, ended, queue, record }
}

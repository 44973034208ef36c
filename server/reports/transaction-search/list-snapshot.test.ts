import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { transactionFilterSchema } from '#lib/schemas/list-filter.ts'
import { inUtc } from '#server/testing/business-time.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication } from '#server/testing/factories.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { readTransactionList } from './search-transactions.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

for (const filter of [{ status: 'PENDING' }, { status: 'PENDING', name: 'Clarisse' }]) {
  test(`the rows that were counted, on each page, for the filter ${JSON.stringify(filter)} while rows leave and join it`, async () => {
    const { pool } = database
    const applicationId = await makeApplication(pool)
    const items = Array.from({ length: 30 }, () => anIntakeItem(applicationId, { type: 'COLLECT' }))
    await takeIn(pool, items)
    for (const page of [1, 2]) {
      const parsed = transactionFilterSchema.parse({ ...filter, size: '25', page: String(page) })
      const before = await readTransactionList(pool, inUtc(applicationId), parsed)
      const writer = await pool.connect()
      try {
        // The counts are in another table, so the list is held between them and the rows.
        await writer.query('begin; lock table transactions in access exclusive mode')
        const reading = readTransactionList(pool, inUtc(applicationId), parsed)
        await waitUntil('the list waits for the rows', async () => {
          const { rowCount } = await pool.query(
            "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
          )
          return rowCount === 1
        })
        const leaving = items.splice(-4)
        await transition(
          writer,
          leaving.map(({ transactionId }) => ({ applicationId, transactionId, event: 'succeeded' as const, actor: SYSTEM_ACTOR })),
        )
        const joining = [anIntakeItem(applicationId, { type: 'COLLECT' })]
        items.push(...joining)
        await takeIn(writer, joining)
        await writer.query('commit')
        assert.deepEqual(await reading, before)
      } finally {
        await writer.query('rollback')
        writer.release()
      }
    }
  })
}

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createLogger } from '#server/logger.ts'
import { setProcessLogger } from '#server/report-unexpected.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { listCustomers } from './customers.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
  setProcessLogger(createLogger('silent'))
})
after(() => database.drop())

test('listed: the customers of every other application, when those of one cannot be', async () => {
  const broken = await makeApplication(database.pool)
  const others = [await makeApplication(database.pool), await makeApplication(database.pool)]
  for (const applicationId of [broken, ...others]) await takeIn(database.pool, [anIntakeItem(applicationId, { type: 'COLLECT' })])
  await database.pool.query(`alter table customers add constraint broken check (application_id <> '${broken}')`)
  await listCustomers(database.pool)
  const { rows } = await database.pool.query<{ applicationId: string }>('select distinct application_id as "applicationId" from customers')
  assert.deepEqual(rows.map(({ applicationId }) => applicationId).sort(), others.sort())
})

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { decide } from '#server/approvals/decide.ts'
import { sealLedgerDays } from '#server/ledger/seal-ledger-days.ts'
import { verifyBooks } from '#server/reports/verify/verify-books.ts'
import { administer, createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, decisionDeps, fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { type TransitionItem, transition } from '#server/transactions/transition.ts'
import { migrate } from './migrate.ts'
import { createPool, type Pool } from './pool.ts'

/** A sharded installation has several schemas with the same tables. Nothing may depend on the name `public`. */
const SCHEMA = 'cell_1'

let database: TestDatabase
let emptyUrl: string
let pool: Pool
before(async () => {
  database = await createTestDatabase()
  emptyUrl = database.url.replace(/\/[^/]*$/, `/test_${randomBytes(6).toString('hex')}`)
  await database.pool.query(`create database ${nameOf(emptyUrl)}`)
  await administer(emptyUrl, `create schema ${SCHEMA}`)
  const options = encodeURIComponent(`-c search_path=${SCHEMA}`)
  pool = createPool({ databaseUrl: `${emptyUrl}?options=${options}`, connectionsMax: 4, applicationName: 'other schema' })
  await migrate(pool)
})
after(async () => {
  await pool.end()
  await database.pool.query(`drop database ${nameOf(emptyUrl)} with (force)`)
  await database.drop()
})

function nameOf(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1)
}

test('no relation or function in public after a migration with another search_path', async () => {
  const { rows } = await pool.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace
     union all select proname from pg_proc where pronamespace = 'public'::regnamespace`,
  )
  assert.deepEqual(rows, [])
})

test('PENDING, FAILED and SUCCESS in another schema, with balanced books', async () => {
  const applicationId = await makeApplication(pool)
  const checkerId = await makePerson(pool, applicationId, ['checker'])
  await fund(pool, applicationId, 'MOMOCM', 10_000_000n)
  const collect = anIntakeItem(applicationId, { type: 'COLLECT' })
  const [approved, rejected] = [aWaitingDeposit(applicationId), aWaitingDeposit(applicationId)]
  await takeIn(pool, [collect, approved, rejected])
  const decided = [await decideAs(checkerId, approved, 'validated'), await decideAs(checkerId, rejected, 'rejected')]
  assert.deepEqual(decided, ['PENDING', 'FAILED'])
  const settled = await transition(pool, [succeeded(collect), succeeded(approved)])
  assert.deepEqual(
    settled.map((outcome) => outcome?.status),
    ['SUCCESS', 'SUCCESS'],
  )
  await sealLedgerDays(pool)
  assert.deepEqual(await verifyBooks(pool), [])
})

test('slug and version from the triggers of a new application, also without a search_path in the session', async () => {
  const trx = await pool.connect()
  try {
    await trx.query("set search_path = ''")
    await trx.query(
      `insert into ${SCHEMA}.applications (application_id, name, api_id) values (gen_random_uuid(), 'Élan', gen_random_uuid())`,
    )
    const { rows } = await trx.query(
      `select a.slug from ${SCHEMA}.applications a join ${SCHEMA}.application_versions v using (application_id) where a.name = 'Élan'`,
    )
    assert.deepEqual(rows, [{ slug: 'elan' }])
  } finally {
    trx.release(true)
  }
})

function aWaitingDeposit(applicationId: string): IntakeItem {
  return anIntakeItem(applicationId, { source: 'person', bands: [aBand()] })
}

async function decideAs(checkerId: string, item: IntakeItem, decision: 'validated' | 'rejected'): Promise<string> {
  const { applicationId, transactionId } = item
  const result = await decide(decisionDeps(pool), {
    applicationId,
    transactionId,
    checkerId,
    decision,
    note: 'Invoice seen',
    through: 'back_office',
    actor: { kind: 'person', id: checkerId },
  })
  return result.ok ? result.value.status : result.error.kind
}

function succeeded({ applicationId, transactionId }: IntakeItem): TransitionItem {
  return { applicationId, transactionId, event: 'succeeded', actor: { kind: 'operator', id: null } }
}

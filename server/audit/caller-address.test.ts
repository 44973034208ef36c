import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { ok } from '#lib/result.ts'
import { runWithCallerAddress } from '#server/caller-address.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { must } from '#server/testing/partner.ts'
import { type AuditEntry, appendAudit } from './append-audit.ts'
import { listAudit, verifyAuditChain } from './read-audit.ts'

const ADDRESS = '198.51.100.7'
let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

async function append(entry: AuditEntry): Promise<void> {
  must(await withTransaction<void, never>(database.pool, async (trx) => ok(await appendAudit(trx, entry))))
}

async function addressesOf(applicationId: string): Promise<(string | null)[]> {
  return (await listAudit(database.pool, applicationId, { size: 10 })).map(({ address }) => address).toReversed()
}

test('the address of the request for people and programs, none for the service, and what a command passes', async () => {
  const applicationId = randomUUID()
  const entry = (kind: 'person' | 'api' | 'system' | 'operator') => ({
    applicationId,
    actor: { kind, id: randomUUID() },
    action: 'test.done' as const,
    subject: 'x',
  })
  await runWithCallerAddress(ADDRESS, async () => {
    for (const kind of ['person', 'api', 'system', 'operator'] as const) await append(entry(kind))
    await append({ ...entry('person'), address: null })
    await append({ ...entry('person'), address: '2001:db8::1' })
  })
  await append(entry('person'))
  assert.deepEqual(await addressesOf(applicationId), [ADDRESS, ADDRESS, null, null, null, '2001:db8::1', null])
  assert.equal(must(await verifyAuditChain(database.pool, applicationId)).entryCount, 7n)
})

test('the address of each of many requests at once', async () => {
  const applicationId = randomUUID()
  await Promise.all(
    Array.from({ length: 10 }, (_, place) =>
      runWithCallerAddress(`192.0.2.${place}`, () =>
        append({ applicationId, actor: { kind: 'person', id: randomUUID() }, action: 'test.done', subject: `192.0.2.${place}` }),
      ),
    ),
  )
  for (const entry of await listAudit(database.pool, applicationId, { size: 20 })) assert.equal(entry.address, entry.subject)
})

test('content_changed for an address that was removed, replaced or added later', async () => {
  for (const [had, gets] of [
    [ADDRESS, null],
    [ADDRESS, '203.0.113.9'],
    [null, ADDRESS],
  ]) {
    const applicationId = randomUUID()
    await append({ applicationId, actor: { kind: 'person', id: null }, action: 'test.done', subject: 'x', address: had })
    await database.pool.query('alter table audit_entries disable trigger refuse_change')
    await database.pool.query('update audit_entries set address = $2 where application_id = $1', [applicationId, gets])
    await database.pool.query('alter table audit_entries enable always trigger refuse_change')
    assert.deepEqual(await verifyAuditChain(database.pool, applicationId), {
      ok: false,
      error: { sequence: 1n, problem: 'content_changed' },
    })
  }
})

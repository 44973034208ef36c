import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { AuditAction } from '#lib/people/audit-actions.ts'
import { ok } from '#lib/result.ts'
import { auditListSchema } from '#lib/schemas/page-address.ts'
import { type AuditEntry, appendAuditEntries } from '#server/audit/append-audit.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { checkAuditChain, listAuditEntries, readAuditPages } from './audit-record.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

async function scene(businessZone = 'UTC') {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  const personId = await makePerson(pool, applicationId, ['administrator'])
  const append = async (...entries: Partial<AuditEntry>[]) => {
    const whole = entries.map((entry) => ({
      applicationId,
      actor: { kind: 'person' as const, id: personId },
      action: 'address.allowed' as const,
      subject: '192.0.2.1',
      ...entry,
    }))
    must(await withTransaction<void, never>(pool, async (trx) => ok(await appendAuditEntries(trx, whole))))
  }
  const list = (filter: Record<string, string> = {}) =>
    listAuditEntries(pool, { applicationId, businessZone }, auditListSchema.parse(filter))
  const numbers = async (filter: Record<string, string>) => (await list(filter)).entries.map(({ sequence }) => Number(sequence))
  return { pool, applicationId, personId, append, list, numbers }
}

test('newest first in pages of fifty that stay the same while entries are added, and back again', async () => {
  const { append, list } = await scene()
  await append(...Array.from({ length: 120 }, () => ({})))
  const first = await list()
  assert.deepEqual([first.entries[0]?.sequence, first.entries.length, first.newer, first.older], ['120', 50, null, '71'])
  const second = await list({ before: '71' })
  await append({}, {})
  assert.deepEqual(await list({ before: '71' }), second)
  assert.deepEqual([second.entries[0]?.sequence, second.newer, second.older], ['70', '70', '21'])
  const third = await list({ before: '21' })
  assert.deepEqual([third.entries.length, third.older], [20, null])
  const back = await list({ after: '20' })
  assert.deepEqual([back.entries[0]?.sequence, back.entries.length, back.newer, back.older], ['70', 50, '70', '21'])
  const newest = await list({ after: '120' })
  assert.deepEqual([newest.entries.map(({ sequence }) => sequence), newest.newer, newest.older], [['122', '121'], null, '121'])
})

test('only the entries of a person, an action, a subject or the service, and none of another application', async () => {
  const { pool, applicationId, personId, append, numbers } = await scene()
  const other = await makePerson(pool, applicationId, ['maker'])
  const long = 'x'.repeat(300)
  await append(
    {},
    { actor: { kind: 'person', id: other } },
    { action: 'person.blocked', subject: other },
    { actor: { kind: 'system', id: null }, subject: long },
    { actor: { kind: 'api', id: other }, subject: `${long}y` },
  )
  assert.deepEqual(await numbers({ who: personId }), [3, 1])
  assert.deepEqual(await numbers({ who: other }), [2])
  assert.deepEqual(await numbers({ who: 'system' }), [4])
  assert.deepEqual(await numbers({ who: 'api' }), [5])
  assert.deepEqual(await numbers({ action: 'person.blocked' }), [3])
  assert.deepEqual(await numbers({ subject: other }), [3])
  assert.deepEqual(await numbers({ subject: long }), [4])
  assert.deepEqual(await numbers({ subject: '192.0.2' }), [])
  const elsewhere = await scene()
  await elsewhere.append({})
  assert.deepEqual(await elsewhere.numbers({}), [1])
  assert.deepEqual(await elsewhere.numbers({ who: personId }), [])
})

test("the days of the application's time zone, both included", async () => {
  const { applicationId, pool, numbers } = await scene('Africa/Nairobi')
  const at = (instant: string) =>
    pool.query(
      `insert into audit_entries (application_id, sequence, at, actor_kind, action, subject, details, previous_hash, hash)
         select $1, coalesce(max(sequence), 0) + 1, $2, 'system', 'test.done', 'x', '{}', '', '' from audit_entries where application_id = $1`,
      [applicationId, instant],
    )
  // Midnight in Nairobi is 21:00 UTC of the day before.
  for (const instant of ['2026-03-02T20:59:59Z', '2026-03-02T21:00:00Z', '2026-03-03T20:59:59Z', '2026-03-03T21:00:00Z']) await at(instant)
  assert.deepEqual(await numbers({ from: '2026-03-03', to: '2026-03-03' }), [3, 2])
  assert.deepEqual(await numbers({ from: '2026-03-03' }), [4, 3, 2])
  assert.deepEqual(await numbers({ to: '2026-03-02' }), [1])
})

test('names of people and programs in place of ids', async () => {
  const { personId, append, list } = await scene()
  await append(
    { action: 'change.proposed', subject: crypto.randomUUID(), details: { kind: 'person.roles', subject: personId } },
    { action: 'person.joined', subject: personId, details: { confirmedBy: personId } },
    { actor: { kind: 'system', id: null }, action: 'person.sign_in_failed', subject: personId },
  )
  const { entries } = await list()
  assert.deepEqual(
    entries.map(({ subjectName, names, actor }) => [subjectName, Object.values(names), actor.name]),
    [
      ['Test person', [], null],
      ['Test person', ['Test person'], 'Test person'],
      ['Test person', ['Test person'], 'Test person'],
    ],
  )
})

test('every matching entry in an export, over several pages of the reader', async () => {
  const { pool, applicationId, append } = await scene()
  const many = (action: AuditAction) => Array.from({ length: 1_300 }, () => ({ action }))
  await append(...many('address.allowed'), ...many('address.denied'))
  const read: bigint[] = []
  const filter = auditListSchema.parse({ action: 'address.denied' })
  for await (const page of readAuditPages(pool, { applicationId, businessZone: 'UTC' }, filter)) {
    read.push(...page.map(({ stored }) => stored.sequence))
  }
  assert.deepEqual([read.length, read[0], read.at(-1)], [1_300, 2_600n, 1_301n])
})

test('unbroken in parts with its start, the place where a chain was changed, and no false alarm from a wrong place', async () => {
  const { pool, applicationId, append } = await scene()
  assert.deepEqual(await checkAuditChain(pool, applicationId, 0n), {
    isUnbroken: true,
    checkedUntil: '0',
    isWhole: true,
    startedAt: null,
    headHash: '0'.repeat(64),
  })
  for (let part = 0; part < 11; part++) await append(...Array.from({ length: 2_000 }, () => ({})))
  const first = await checkAuditChain(pool, applicationId, 0n)
  assert.ok(first.isUnbroken && !first.isWhole && first.checkedUntil === '20000')
  const second = await checkAuditChain(pool, applicationId, 20_000n)
  assert.ok(second.isUnbroken && second.isWhole && second.checkedUntil === '22000' && second.startedAt !== null)
  assert.deepEqual(await checkAuditChain(pool, applicationId, 30_000n), {
    isUnbroken: false,
    brokenAt: '30000',
    problem: 'entry_missing',
  })
  await pool.query('alter table audit_entries disable trigger refuse_change')
  await pool.query(`update audit_entries set details = '{"a": 1}' where application_id = $1 and sequence = 20001`, [applicationId])
  await pool.query('alter table audit_entries enable always trigger refuse_change')
  assert.deepEqual(await checkAuditChain(pool, applicationId, 20_000n), {
    isUnbroken: false,
    brokenAt: '20001',
    problem: 'content_changed',
  })
})

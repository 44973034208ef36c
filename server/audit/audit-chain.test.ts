import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { ok } from '#lib/result.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { must } from '#server/testing/partner.ts'
import { type AuditEntry, appendAudit, appendAuditEntries, SERVICE_WIDE } from './append-audit.ts'
import type { AuditDetails } from './canonical-text.ts'
import { listAudit, listAuditChains, verifyAuditChain } from './read-audit.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

function entry(applicationId: string, details: AuditDetails = {}): AuditEntry {
  return { applicationId, actor: { kind: 'system', id: null }, action: 'test.done', subject: 'something', details }
}

async function append(...entries: AuditEntry[]): Promise<void> {
  must(await withTransaction<void, never>(database.pool, async (trx) => ok(await appendAuditEntries(trx, entries))))
}

/** Tampers as a user with the owner's rights could: the trigger out of the way, a change, the trigger back. */
async function tamper(statement: string, values: unknown[]): Promise<void> {
  await database.pool.query('alter table audit_entries disable trigger refuse_change')
  try {
    await database.pool.query(statement, values)
  } finally {
    await database.pool.query('alter table audit_entries enable always trigger refuse_change')
  }
}

async function chainOf(count: number): Promise<string> {
  const applicationId = randomUUID()
  for (let place = 1; place <= count; place++) await append(entry(applicationId, { place }))
  return applicationId
}

test('intact: an empty chain and a chain of many pages', async () => {
  assert.equal(must(await verifyAuditChain(database.pool, randomUUID())).entryCount, 0n)
  const applicationId = randomUUID()
  await append(...Array.from({ length: 2_500 }, (_, place) => entry(applicationId, { place })))
  await append(entry(applicationId))
  assert.equal(must(await verifyAuditChain(database.pool, applicationId)).entryCount, 2_501n)
})

test('no gap in two chains that fifty writers append to at once', async () => {
  const [one, two] = [randomUUID(), randomUUID()]
  await Promise.all(
    Array.from({ length: 50 }, (_, place) => append(...(place % 2 === 0 ? [entry(one), entry(two)] : [entry(two), entry(one)]))),
  )
  for (const applicationId of [one, two]) assert.equal(must(await verifyAuditChain(database.pool, applicationId)).entryCount, 50n)
})

test('no entry and no gap for an act that was rolled back', async () => {
  const applicationId = await chainOf(2)
  await assert.rejects(
    withTransaction(database.pool, async (trx) => {
      await appendAudit(trx, entry(applicationId))
      throw new Error('no')
    }),
  )
  await append(entry(applicationId))
  assert.equal(must(await verifyAuditChain(database.pool, applicationId)).entryCount, 3n)
})

test('verified: details of any shape, as stored by the database', async () => {
  const applicationId = SERVICE_WIDE
  const json = fc.dictionary(
    fc.string().filter((key) => key !== '__proto__'),
    fc.jsonValue({ maxDepth: 3 }),
  )
  let written = 0n
  await fc.assert(
    fc.asyncProperty(json, fc.string({ unit: 'binary' }), async (details, text) => {
      await append({
        ...entry(applicationId, JSON.parse(JSON.stringify({ details, text, 2: 'two', 10: 'ten', half: '\ud800', nul: 'a\0b' }))),
        subject: text,
      })
      written += 1n
      const report = await verifyAuditChain(database.pool, applicationId)
      assert.equal(must(report).entryCount, written)
    }),
    { numRuns: 60 },
  )
})

test('refused: update, delete and truncate of audit entries, also for the owner of the table', async () => {
  const applicationId = await chainOf(1)
  const refused = { code: '23001' }
  await assert.rejects(database.pool.query(`update audit_entries set action = 'other' where application_id = $1`, [applicationId]), refused)
  await assert.rejects(database.pool.query('delete from audit_entries where application_id = $1', [applicationId]), refused)
  await assert.rejects(database.pool.query('truncate audit_entries'), refused)
})

test('the place of each kind of tampering', async () => {
  const changes: [string, string][] = [
    [`update audit_entries set details = '{"place": 7}' where application_id = $1 and sequence = 3`, 'content_changed'],
    [`update audit_entries set actor_kind = 'person' where application_id = $1 and sequence = 3`, 'content_changed'],
    [`update audit_entries set actor_id = gen_random_uuid() where application_id = $1 and sequence = 3`, 'content_changed'],
    [`update audit_entries set action = 'x' where application_id = $1 and sequence = 3`, 'content_changed'],
    [`update audit_entries set subject = 'x' where application_id = $1 and sequence = 3`, 'content_changed'],
    [`update audit_entries set at = at - interval '1 day' where application_id = $1 and sequence = 3`, 'content_changed'],
    [`update audit_entries set hash = sha256('x') where application_id = $1 and sequence = 3`, 'content_changed'],
    [`update audit_entries set previous_hash = sha256('x') where application_id = $1 and sequence = 3`, 'wrong_predecessor'],
    [`delete from audit_entries where application_id = $1 and sequence = 3`, 'entry_missing'],
  ]
  for (const [statement, problem] of changes) {
    const applicationId = await chainOf(5)
    await tamper(statement, [applicationId])
    assert.deepEqual(await verifyAuditChain(database.pool, applicationId), { ok: false, error: { sequence: 3n, problem } }, statement)
  }
})

test('a smaller count and another last digest for a chain whose end was cut off', async () => {
  const applicationId = await chainOf(3)
  const whole = must(await verifyAuditChain(database.pool, applicationId))
  await tamper('delete from audit_entries where application_id = $1 and sequence = 3', [applicationId])
  const cut = must(await verifyAuditChain(database.pool, applicationId))
  assert.equal(cut.entryCount, 2n)
  assert.ok(!cut.headHash.equals(whole.headHash))
})

test('bounded and marked as cut: an entry of any size', async () => {
  const applicationId = randomUUID()
  const deep = JSON.parse(`${'{"a":'.repeat(500)}1${'}'.repeat(500)}`)
  const large: [AuditDetails, (details: AuditDetails) => boolean][] = [
    [{ note: 'x'.repeat(1_000_000) }, ({ note }) => String(note).length === 2_000 && String(note).endsWith('…')],
    [
      { list: Array.from({ length: 5_000 }, (_, place) => place) },
      ({ list }) => Array.isArray(list) && list.length === 201 && list.at(-1) === '… 4800',
    ],
    [Object.fromEntries(Array.from({ length: 5_000 }, (_, place) => [`k${place}`, place])), (details) => details['…'] === 4_800],
    [{ deep }, (details) => JSON.stringify(details).length < 200],
    [
      { list: Array.from({ length: 200 }, () => 'y'.repeat(1_000)) },
      ({ cut, length, sha256 }) => cut === true && Number(length) > 200_000 && String(sha256).length === 64,
    ],
  ]
  for (const [details, isCut] of large) {
    await append({ ...entry(applicationId, details), subject: 's'.repeat(100_000) })
    const [stored] = await listAudit(database.pool, applicationId, { size: 1 })
    assert.ok(stored && isCut(stored.details), JSON.stringify(stored?.details).slice(0, 200))
    assert.ok(JSON.stringify([stored.subject, stored.details]).length < 20_000)
  }
  assert.equal(must(await verifyAuditChain(database.pool, applicationId)).entryCount, BigInt(large.length))
})

test('thrown before anything is written: a detail with the name of a secret', async () => {
  const applicationId = randomUUID()
  for (const key of ['password', 'apiKey', 'secret', 'refreshToken']) {
    await assert.rejects(append(entry(applicationId, { nested: [{ [key]: 'x' }] })), /must not hold/)
  }
  assert.equal(must(await verifyAuditChain(database.pool, applicationId)).entryCount, 0n)
})

test('newest first, page by page', async () => {
  const applicationId = await chainOf(5)
  const first = await listAudit(database.pool, applicationId, { size: 2 })
  assert.deepEqual(
    first.map((one) => one.sequence),
    [5n, 4n],
  )
  const rest = await listAudit(database.pool, applicationId, { before: first[1]?.sequence, size: 10 })
  assert.deepEqual(
    rest.map((one) => one.details),
    [{ place: 3 }, { place: 2 }, { place: 1 }],
  )
  assert.ok((await listAuditChains(database.pool)).includes(applicationId))
})

test('at most 200 entries on a page, whatever size is asked for', async () => {
  const applicationId = randomUUID()
  await append(...Array.from({ length: 201 }, (_, place) => entry(applicationId, { place })))
  assert.equal((await listAudit(database.pool, applicationId, { size: 1_000 })).length, 200)
})

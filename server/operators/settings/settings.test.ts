import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { Role } from '#lib/people/permissions.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { systemClock } from '#server/clock.ts'
import { createLogger } from '#server/logger.ts'
import { createConnectors } from '#server/operators/create-connectors.ts'
import { tokensInMemory } from '#server/operators/testing/connectors/connector-context.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication } from '#server/testing/factories.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { gatewaySettings } from '../sandbox-protocol/sandbox-connector.ts'
import { followSettings } from './follow-settings.ts'
import { changedSecrets, mergeDocuments, withoutSecrets } from './operator-settings.ts'
import { problemSentences } from './protocol.ts'
import { setOperator } from './set-operator.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

const set = (changes: Record<string, unknown> | undefined) =>
  setOperator(database.pool, { operator: 'OMCM', protocol: 'gateway', changes, actor: SYSTEM_ACTOR })

async function lastAudit(): Promise<{ action: string; subject: string; details: Record<string, unknown> } | undefined> {
  const { rows } = await database.pool.query('select action, subject, details from audit_entries order by sequence desc limit 1')
  return rows[0]
}

test('in force in every process within a second, without a restart: set, changed, removed', async () => {
  const sets = Array.from({ length: 2 }, () =>
    createConnectors({ callbackBaseUrl: undefined, tokens: tokensInMemory(), clock: systemClock, logger: createLogger('silent') }),
  )
  const defaults = gatewaySettings(['UGMTN', 'OMCM'], { baseUrl: 'http://127.0.0.1:1', secret: 'x' })
  const following = await Promise.all(
    sets.map((connectors) => followSettings({ pool: database.pool, defaults, onChange: (settings) => connectors.follow(settings) })),
  )
  const all = (holds: (connectors: (typeof sets)[number]) => boolean) =>
    waitUntil('the change is in force', async () => sets.every(holds), { limitMs: 5_000 })
  try {
    assert.deepEqual(sets[0]?.operators(), ['OMCM', 'UGMTN'])
    assert.ok((await set({ baseUrl: 'http://127.0.0.1:2', secret: 'first', directions: ['COLLECT'] })).ok)
    await all((connectors) => connectors.has('OMCM', 'COLLECT') && !connectors.has('OMCM', 'DEPOSIT'))
    assert.ok((await set({ directions: null, callsMax: 3 })).ok)
    await all((connectors) => connectors.has('OMCM', 'DEPOSIT') && connectors.get('OMCM')?.terms.callsMax === 3)
    const unchanged = sets[0]?.get('UGMTN')
    assert.ok((await set(undefined)).ok)
    await all((connectors) => connectors.get('OMCM')?.terms.callsMax === 64)
    assert.equal(sets[0]?.get('UGMTN'), unchanged)
  } finally {
    await Promise.all([...following, ...sets].map((one) => one.close()))
  }
})

test('an audit entry with both versions without secrets, and the names of the secrets that changed', async () => {
  await set({ baseUrl: 'http://127.0.0.1:2', secret: 'first one', directions: null })
  await set({ secret: 'second one', callsMax: 5 })
  const entry = await lastAudit()
  assert.deepEqual([entry?.action, entry?.subject], ['operator.set', 'OMCM gateway'])
  assert.deepEqual(entry?.details, {
    before: '{"baseUrl":"http://127.0.0.1:2"}',
    after: '{"baseUrl":"http://127.0.0.1:2","callsMax":5}',
    changedSecrets: ['secret'],
  })
  await set(undefined)
  assert.deepEqual([(await lastAudit())?.action, (await lastAudit())?.details['after']], ['operator.removed', null])
})

test('encrypted as a whole in the database', async () => {
  await set({ baseUrl: 'http://127.0.0.1:2', secret: 'first one' })
  const { rows } = await database.pool.query<{ document: string }>('select document from operator_settings')
  assert.match(rows[0]?.document ?? '', /^sealed:1:/)
})

for (const [name, changes, problem] of [
  ['without an address', { baseUrl: null }, /^baseUrl: /],
  ['with an address that is not http', { baseUrl: 'ftp://127.0.0.1' }, /^baseUrl: must be an absolute https address$/],
  ['with a misspelt field', { callMax: 3 }, /callMax/],
  ['with a deadline beyond the lease of a claim', { submitTimeoutMs: 15_000 }, /^submitTimeoutMs: /],
] as const) {
  test(`invalid_settings for settings ${name}, and nothing changes`, async () => {
    await set({ baseUrl: 'http://127.0.0.1:2', secret: 'a secret value' })
    const before = await lastAudit()
    const result = await set(changes)
    assert.ok(!result.ok && typeof result.error === 'object')
    assert.match(problemSentences(result.error.problems).join(' '), problem)
    assert.ok(!JSON.stringify(result).includes('a secret value'))
    assert.deepEqual(await lastAudit(), before)
  })
}

for (const [expected, roles, runsInstallation, changes] of [
  ['ok', ['administrator'], true, { callsMax: 7 }],
  ['invalid_settings: secret secret_again', ['administrator'], true, { baseUrl: 'http://127.0.0.1:3' }],
  ['ok', ['administrator'], true, { baseUrl: 'http://127.0.0.1:3', secret: 'again' }],
  ['ok', null, true, { baseUrl: 'http://127.0.0.1:3' }],
  ['not_the_installation', ['administrator'], false, { callsMax: 7 }],
  ['not_permitted', ['maker', 'checker', 'finance', 'engineer'], true, { callsMax: 7 }],
] as [string, Role[] | null, boolean, Record<string, unknown>][])
  test(`${expected} where ${roles?.join() ?? 'the command line'} of ${runsInstallation ? 'the' : 'no'} installation changes ${Object.keys(changes).join()}`, async () => {
    await set({ baseUrl: 'http://127.0.0.1:2', secret: 'a secret', callsMax: null })
    const applicationId = await makeApplication(database.pool)
    await database.pool.query('update applications set runs_installation = (application_id = $1 and $2)', [applicationId, runsInstallation])
    const actor = roles ? ({ kind: 'person', id: randomUUID(), applicationId, roles } as const) : SYSTEM_ACTOR
    const result = await setOperator(database.pool, { operator: 'OMCM', protocol: 'gateway', changes, actor })
    const failure = result.ok ? 'ok' : result.error
    assert.equal(
      typeof failure === 'string'
        ? failure
        : `${failure.code}: ${failure.problems.map(({ path, problem }) => `${path} ${problem}`).join()}`,
      expected,
    )
  })

test('unknown_protocol and not_set for what does not exist', async () => {
  const command = { operator: 'OMCM', changes: {}, actor: SYSTEM_ACTOR } as const
  assert.deepEqual(await setOperator(database.pool, { ...command, protocol: 'telex' }), { ok: false, error: 'unknown_protocol' })
  await set(undefined)
  assert.deepEqual(await set(undefined), { ok: false, error: 'not_set' })
})

test('merged: what is null is removed, what is left out stays, at any depth', () => {
  const merged = mergeDocuments({ a: 1, b: { c: 2, d: 3 }, e: 4 }, { b: { c: null, f: 5 }, e: null, g: { h: 6 } })
  assert.deepEqual(merged, { a: 1, b: { d: 3, f: 5 }, g: { h: 6 } })
})

test('shown: everything but the secrets, whose paths are named', () => {
  const document = { baseUrl: 'x', collection: { apiUser: 'u', apiKey: 'k' }, secret: 's' }
  assert.deepEqual(withoutSecrets(document, new Set(['apiKey', 'secret'])), {
    shown: { baseUrl: 'x', collection: { apiUser: 'u' } },
    secretsSet: ['collection.apiKey', 'secret'],
  })
})

test('the secrets that differ in any group, in the order of their paths, and none that stays: changed, added, removed', () => {
  const secrets = new Set(['pin', 'key'])
  const before = { pin: '1', key: 'k', callsMax: 1, collect: { key: 'a', pin: 'same' } }
  const after = { pin: '2', callsMax: 2, collect: { key: 'b', pin: 'same' }, deposit: { pin: 'new' } }
  assert.deepEqual(changedSecrets(before, after, secrets), ['collect.key', 'deposit.pin', 'key', 'pin'])
  assert.deepEqual(changedSecrets(before, before, secrets), [])
  assert.deepEqual(changedSecrets(undefined, before, secrets), ['collect.key', 'collect.pin', 'key', 'pin'])
})

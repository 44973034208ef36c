import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { changeApplication } from '#server/applications/terms.ts'
import { type PersonCommandActor, SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { listAudit } from '#server/audit/read-audit.ts'
import { systemClock } from '#server/clock.ts'
import { createLogger } from '#server/logger.ts'
import { createConnectors } from '#server/operators/create-connectors.ts'
import { followSettings } from '#server/operators/settings/follow-settings.ts'
import { readSettings } from '#server/operators/settings/operator-settings-store.ts'
import { setOperator } from '#server/operators/settings/set-operator.ts'
import { tokensInMemory } from '#server/operators/testing/connectors/connector-context.ts'
import { blockPerson } from '#server/people/accounts.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { forgetExpiredSecrets } from './collect-secret.ts'
import { confirmChange, refuseChange, withdrawChange } from './decide-change.ts'
import { listChanges } from './list-changes.ts'
import { proposeChange } from './propose-change.ts'

const ADDRESS = 'http://127.0.0.1:2'
const SECRET = 'a secret that nobody may read'
let database: TestDatabase
let applicationId: string
let anna: PersonCommandActor
let ben: PersonCommandActor
before(async () => {
  database = await createTestDatabase()
  applicationId = await makeApplication(database.pool)
  ;[anna, ben] = [await administrator(applicationId), await administrator(applicationId)]
  must(await changeApplication(database.pool, { applicationId, change: { runsInstallation: true }, actor: SYSTEM_ACTOR }))
})
after(() => database.drop())

async function administrator(of: string): Promise<PersonCommandActor> {
  return { kind: 'person', id: await makePerson(database.pool, of, ['administrator']), applicationId: of, roles: ['administrator'] }
}

const inputOf = (changes: Record<string, unknown> | null) => ({ operator: 'OMCM', protocol: 'gateway', changes })
const propose = (changes: Record<string, unknown> | null, actor = anna) =>
  proposeChange(database.pool, { applicationId: actor.applicationId, kind: 'operator.set', input: inputOf(changes), actor })
const confirm = (changeId: string, actor = ben) =>
  confirmChange({ pool: database.pool, clock: systemClock }, { applicationId, changeId, actor })
const stored = async () => (await readSettings(database.pool, 'OMCM', 'gateway'))?.document
/** As the command line sets them, from nothing. */
async function given(document: Record<string, unknown>) {
  const about = { operator: 'OMCM', protocol: 'gateway', actor: SYSTEM_ACTOR } as const
  await setOperator(database.pool, { ...about, changes: undefined })
  must(await setOperator(database.pool, { ...about, changes: document }))
}

/** Every row of every table as text. */
async function wholeDatabase(): Promise<string> {
  const { rows: tables } = await database.pool.query<{ name: string }>(
    `select quote_ident(table_name) as name from information_schema.tables where table_schema = current_schema() and table_type = 'BASE TABLE'`,
  )
  assert.ok(tables.length > 50)
  const texts = await Promise.all(tables.map(({ name }) => database.pool.query<{ row: string }>(`select t::text as row from ${name} t`)))
  return texts.flatMap(({ rows }) => rows.map(({ row }) => row)).join('\n')
}

test('in force in every process within a second after the second administrator, and not before; the secret is readable nowhere', async () => {
  const connectors = createConnectors({
    callbackBaseUrl: undefined,
    tokens: tokensInMemory(),
    clock: systemClock,
    logger: createLogger('silent'),
  })
  const following = await followSettings({ pool: database.pool, defaults: [], onChange: (settings) => connectors.follow(settings) })
  try {
    const { changeId } = must(await propose({ baseUrl: ADDRESS, secret: SECRET, callsMax: 7 }))
    assert.ok(!(await wholeDatabase()).includes(SECRET), 'while it waits')
    assert.equal(await stored(), undefined)
    must(await confirm(changeId))
    const confirmedMs = performance.now()
    await waitUntil('it is in force', async () => connectors.get('OMCM')?.terms.callsMax === 7)
    // Half a second between two looks, and a busy machine.
    assert.ok(performance.now() - confirmedMs < 2_000)
    assert.deepEqual(await stored(), { baseUrl: ADDRESS, secret: SECRET, callsMax: 7 })
  } finally {
    await following.close()
    await connectors.close()
  }
  assert.ok(!(await wholeDatabase()).includes(SECRET), 'afterwards')
  const {
    changes: [listed],
  } = await listChanges(database.pool, { applicationId, kinds: ['operator.set'], actor: ben })
  assert.ok(!JSON.stringify(listed).includes(SECRET))
  assert.deepEqual(listed?.after, {
    operator: 'OMCM',
    protocol: 'gateway',
    'field baseUrl': ADDRESS,
    'field callsMax': 7,
    'secret secret': 'changed',
    version: 1,
  })
})

test('an audit entry of the installation by the person who confirmed, with both versions without secrets', async () => {
  await given({ baseUrl: ADDRESS, secret: 'before' })
  must(await confirm(must(await propose({ secret: SECRET, callsMax: 5 })).changeId))
  const { rows } = await database.pool.query(
    `select actor_id as "actorId", details from audit_entries where action = 'operator.set' order by at desc, sequence desc limit 1`,
  )
  assert.deepEqual(rows, [
    {
      actorId: ben.id,
      details: { before: `{"baseUrl":"${ADDRESS}"}`, after: `{"baseUrl":"${ADDRESS}","callsMax":5}`, changedSecrets: ['secret'] },
    },
  ])
  const entries = await listAudit(database.pool, applicationId, { size: 2 })
  assert.deepEqual(
    entries.map((entry) => entry.action),
    ['change.confirmed', 'change.proposed'],
  )
})

test('invalid_settings for another address with the stored secrets, which only its owner could read; not if they are entered again', async () => {
  await given({ baseUrl: ADDRESS, secret: 'before' })
  const elsewhere = 'https://collector.example'
  assert.deepEqual(await propose({ baseUrl: elsewhere }), {
    ok: false,
    error: { code: 'refused', reason: 'invalid_settings', fields: { secret: 'secret_again' } },
  })
  must(await confirm(must(await propose({ baseUrl: elsewhere, secret: 'again' })).changeId))
  assert.deepEqual(await stored(), { baseUrl: elsewhere, secret: 'again' })
})

test('changed_meanwhile when the command line changed a secret alone after the proposal', async () => {
  await given({ baseUrl: ADDRESS, secret: 'before' })
  const { changeId } = must(await propose({ callsMax: 9 }))
  must(await setOperator(database.pool, { operator: 'OMCM', protocol: 'gateway', changes: { secret: 'meanwhile' }, actor: SYSTEM_ACTOR }))
  assert.deepEqual(await confirm(changeId), { ok: false, error: 'changed_meanwhile' })
  must(await withdrawChange(database.pool, { applicationId, changeId, actor: anna }))
})

test('either changed_meanwhile or confirmed before it, when the command line changes the same settings at the same moment', async () => {
  for (let round = 0; round < 6; round++) {
    await given({ baseUrl: ADDRESS, secret: 'before' })
    const { changeId } = must(await propose({ callsMax: 4 }))
    const about = { operator: 'OMCM', protocol: 'gateway', actor: SYSTEM_ACTOR } as const
    const [confirmed] = await Promise.all([confirm(changeId), setOperator(database.pool, { ...about, changes: { submitTimeoutMs: 900 } })])
    const document = await stored()
    assert.deepEqual([document?.['callsMax'], document?.['submitTimeoutMs']], [confirmed.ok ? 4 : undefined, 900])
    if (confirmed.ok) continue
    assert.equal(confirmed.error, 'changed_meanwhile')
    must(await withdrawChange(database.pool, { applicationId, changeId, actor: anna }))
  }
})

test('nothing of the input is left after a refusal, a withdrawal and the end of the seven days', async () => {
  await given({ baseUrl: ADDRESS, secret: 'before' })
  const endings: ((changeId: string) => Promise<unknown>)[] = [
    (changeId) => refuseChange(database.pool, { applicationId, changeId, reason: 'not now', actor: ben }),
    (changeId) => withdrawChange(database.pool, { applicationId, changeId, actor: anna }),
    async (changeId) => {
      await database.pool.query('update proposed_changes set expires_at = now() where change_id = $1', [changeId])
      assert.deepEqual(await confirm(changeId), { ok: false, error: 'not_open' })
      await forgetExpiredSecrets(database.pool)
    },
  ]
  for (const end of endings) {
    const { changeId } = must(await propose({ secret: SECRET }))
    await end(changeId)
    const { rows } = await database.pool.query('select payload, sealed_payload as sealed from proposed_changes where change_id = $1', [
      changeId,
    ])
    assert.deepEqual(rows, [{ payload: {}, sealed: null }])
  }
  assert.deepEqual(await stored(), { baseUrl: ADDRESS, secret: 'before' })
})

test('confirmed with its secret after the inputs of expired proposals were removed', async () => {
  await given({ baseUrl: ADDRESS, secret: 'before' })
  const { changeId } = must(await propose({ secret: SECRET }))
  await forgetExpiredSecrets(database.pool)
  must(await confirm(changeId))
  assert.deepEqual(await stored(), { baseUrl: ADDRESS, secret: SECRET })
})

test('refused for administrators of every other application, and once the command line names another one', async () => {
  await given({ baseUrl: ADDRESS, secret: 'before' })
  const elsewhere = await makeApplication(database.pool)
  const [partner] = [await administrator(elsewhere), await administrator(elsewhere)]
  const refusal = { ok: false, error: { code: 'refused', reason: 'not_the_installation' } }
  assert.deepEqual(await propose({ callsMax: 1 }, partner), refusal)
  assert.deepEqual(await setOperator(database.pool, { operator: 'OMCM', protocol: 'gateway', changes: { callsMax: 1 }, actor: partner }), {
    ok: false,
    error: 'not_the_installation',
  })
  const designate = (id: string, runsInstallation: boolean, actor: PersonCommandActor | typeof SYSTEM_ACTOR = SYSTEM_ACTOR) =>
    changeApplication(database.pool, { applicationId: id, change: { runsInstallation }, actor })
  assert.deepEqual(await designate(elsewhere, true, partner), { ok: false, error: 'not_permitted' })
  assert.deepEqual(await designate(elsewhere, true), { ok: false, error: 'another_runs_installation' })
  const { changeId } = must(await propose({ callsMax: 2 }))
  must(await designate(applicationId, false))
  assert.deepEqual(await confirm(changeId), refusal)
  must(await designate(applicationId, true))
  must(await confirm(changeId))
})

test('proposer_gone when the proposer was blocked after the proposal, own_proposal for the proposer, not_permitted without the role', async () => {
  await given({ baseUrl: ADDRESS, secret: 'before' })
  const carla = await administrator(applicationId)
  const checker = { ...carla, id: await makePerson(database.pool, applicationId, ['checker']), roles: ['checker'] as const }
  assert.deepEqual(await propose({ callsMax: 3 }, checker), { ok: false, error: 'not_permitted' })
  const { changeId } = must(await propose({ callsMax: 3 }, carla))
  assert.deepEqual(await confirm(changeId, carla), { ok: false, error: 'own_proposal' })
  must(await blockPerson(database.pool, { personId: carla.id, isBlocked: true, actor: SYSTEM_ACTOR }))
  assert.deepEqual(await confirm(changeId), { ok: false, error: 'proposer_gone' })
  must(await refuseChange(database.pool, { applicationId, changeId, reason: 'Carla has left', actor: ben }))
})

test('no_difference for settings that are stored already; settings are removed by a proposal as well', async () => {
  await given({ baseUrl: ADDRESS, secret: 'before' })
  assert.deepEqual(await propose({ baseUrl: ADDRESS }), { ok: false, error: 'no_difference' })
  must(await confirm(must(await propose(null)).changeId))
  assert.equal(await stored(), undefined)
})

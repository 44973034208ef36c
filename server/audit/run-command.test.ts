import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { err } from '#lib/result.ts'
import type { TrxClient } from '#server/database/pool.ts'
import { ChangedMeanwhileError } from '#server/database/with-transaction.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { SYSTEM_ACTOR } from './command-actor.ts'
import { listAudit } from './read-audit.ts'
import { done, recordAct, runCommand, runRecorded } from './run-command.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
  await database.pool.query('create table notes (application_id uuid)')
})
after(() => database.drop())

const ACT = { action: 'api_key.revoked', subject: 'a key', details: { keyPrefix: 'ck_12345' } } as const

function note(trx: TrxClient, applicationId: string) {
  return trx.query('insert into notes values ($1)', [applicationId])
}

/** Returns the stored notes and audit entries of an application: of its change and of its record. */
async function storedOf(applicationId: string): Promise<[number, string[]]> {
  const { rowCount } = await database.pool.query('select 1 from notes where application_id = $1', [applicationId])
  const entries = await listAudit(database.pool, applicationId, { size: 10 })
  return [rowCount ?? 0, entries.map(({ action }) => action)]
}

test('a change and its entry, by the actor of the command, are stored together', async () => {
  const by = { applicationId: randomUUID(), actor: SYSTEM_ACTOR }
  const result = await runRecorded(database.pool, by, async (trx) => {
    await note(trx, by.applicationId)
    return done(ACT, 'result')
  })
  assert.deepEqual(result, { ok: true, value: 'result' })
  const [entry] = await listAudit(database.pool, by.applicationId, { size: 10 })
  assert.deepEqual([entry?.actor, entry?.subject, entry?.details], [SYSTEM_ACTOR, ACT.subject, ACT.details])
  assert.deepEqual(await storedOf(by.applicationId), [1, ['api_key.revoked']])
})

test('neither the change nor an entry after a refusal, and after an error', async () => {
  const by = { applicationId: randomUUID(), actor: SYSTEM_ACTOR }
  const refused = await runRecorded(database.pool, by, async (trx) => {
    await note(trx, by.applicationId)
    return err('refused')
  })
  assert.deepEqual(refused, { ok: false, error: 'refused' })
  const failing = runRecorded(database.pool, by, async (trx) => {
    await note(trx, by.applicationId)
    throw new Error('broken')
  })
  await assert.rejects(failing, { message: 'broken' })
  assert.deepEqual(await storedOf(by.applicationId), [0, []])
})

test('one change and one entry of a command that was repeated because what it read had changed', async () => {
  const by = { applicationId: randomUUID(), actor: SYSTEM_ACTOR }
  let runs = 0
  await runRecorded(database.pool, by, async (trx) => {
    await note(trx, by.applicationId)
    if (++runs < 3) throw new ChangedMeanwhileError('changed')
    return done(ACT)
  })
  assert.deepEqual([runs, await storedOf(by.applicationId)], [3, [1, ['api_key.revoked']]])
})

test('no entry where the command changed nothing that is recorded', async () => {
  const by = { applicationId: randomUUID(), actor: SYSTEM_ACTOR }
  await runRecorded(database.pool, by, async () => done(null))
  assert.deepEqual(await storedOf(by.applicationId), [0, []])
  await recordAct(database.pool, by, ACT)
  assert.deepEqual(await storedOf(by.applicationId), [0, ['api_key.revoked']])
})

test('not_permitted, without a run, for a person without the permission, and for one of another application', async () => {
  const applicationId = randomUUID()
  const run = (roles: readonly ['checker'] | readonly ['administrator'], ownId: string) =>
    runCommand(
      database.pool,
      { applicationId, actor: { kind: 'person', id: randomUUID(), applicationId: ownId, roles } },
      'people:change',
      async () => done(ACT, 'ran'),
    )
  assert.deepEqual(await run(['checker'], applicationId), { ok: false, error: 'not_permitted' })
  assert.deepEqual(await run(['administrator'], randomUUID()), { ok: false, error: 'not_permitted' })
  assert.deepEqual(await run(['administrator'], applicationId), { ok: true, value: 'ran' })
  assert.deepEqual(await storedOf(applicationId), [0, ['api_key.revoked']])
})

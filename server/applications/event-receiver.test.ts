import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Role } from '#lib/people/permissions.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { listAudit } from '#server/audit/read-audit.ts'
import { confirmChange } from '#server/changes/decide-change.ts'
import { proposeChange } from '#server/changes/propose-change.ts'
import { systemClock } from '#server/clock.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { setEventReceiver } from './event-receiver.ts'
import { readEventReceiver } from './event-receiver-store.ts'

const URL = 'https://partner.example/events'
let database: TestDatabase
let applicationId: string
before(async () => {
  database = await createTestDatabase()
  applicationId = await makeApplication(database.pool)
})
after(() => database.drop())

async function personWith(...roles: Role[]): Promise<PersonCommandActor> {
  return { kind: 'person', id: await makePerson(database.pool, applicationId, roles), applicationId, roles }
}

const read = () => readEventReceiver(database.pool, applicationId)
const propose = (eventsUrl: string | null, actor: PersonCommandActor) =>
  proposeChange(database.pool, { applicationId, kind: 'event_receiver.set', input: { eventsUrl }, actor })
const confirm = (changeId: string, actor: PersonCommandActor) =>
  confirmChange({ pool: database.pool, clock: systemClock }, { applicationId, changeId, actor })

test('no receiver until a second administrator confirms what the first proposed; removed in the same way', async () => {
  const [first, second] = [await personWith('administrator'), await personWith('administrator')]
  const { changeId } = must(await propose(URL, first))
  assert.deepEqual([await confirm(changeId, first), await read()], [{ ok: false, error: 'own_proposal' }, null])
  must(await confirm(changeId, second))
  assert.equal(await read(), URL)
  const recorded = (await listAudit(database.pool, applicationId, { size: 20 })).find(({ action }) => action === 'event_receiver.set')
  assert.deepEqual(recorded?.details, { before: { eventsUrl: null }, after: { eventsUrl: URL } })
  must(await confirm(must(await propose(null, second)).changeId, first))
  assert.equal(await read(), null)
})

test('invalid for an address with a password, without https, or none at all; not_permitted for a maker, a checker and finance', async () => {
  const administrator = await personWith('administrator')
  for (const url of ['https://user:pass@partner.example/', 'ftp://partner.example/', '', 'x'])
    assert.equal((await propose(url, administrator)).ok, false, url)
  for (const role of ['maker', 'checker', 'finance'] as const) {
    const actor = await personWith(role)
    assert.equal((await propose(URL, actor)).ok, false, role)
    assert.deepEqual(await setEventReceiver(database.pool, { applicationId, url: URL, actor }), { ok: false, error: 'not_permitted' })
  }
  assert.equal(await read(), null)
})

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { SERVICE_WIDE } from '#server/audit/append-audit.ts'
import { listAudit } from '#server/audit/read-audit.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication, makePerson } from '#server/testing/factories.ts'
import { changeOwnPreferences } from '../accounts.ts'
import { bumpSessionEpoch, findAdmitted, findSignedIn, noteApplicationUse, noteSessionUse } from './sessions.ts'

let database: TestDatabase
const sessionId = crypto.randomUUID()
const now = new Date('2026-03-02T09:00:00Z')
const later = (minutes: number) => new Date(now.getTime() + minutes * 60_000)
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

test('the person with every application of an active membership, by name', async () => {
  const { pool } = database
  const second = await makeApplication(pool, 'Zongo Élite')
  const first = await makeApplication(pool, 'Ancre')
  const personId = await makePerson(pool, second, ['checker'])
  await pool.query("insert into memberships (application_id, person_id, roles) values ($1, $2, '{finance}')", [first, personId])
  const person = await findSignedIn(pool, { personId, sessionId, epoch: 1 }, now)
  assert.deepEqual(
    person?.memberships.map(({ slug, roles }) => ({ slug, roles })),
    [
      { slug: 'ancre', roles: ['finance'] },
      { slug: 'zongo-elite', roles: ['checker'] },
    ],
  )
  await pool.query('update memberships set is_active = false where application_id = $1', [first])
  assert.deepEqual(
    (await findSignedIn(pool, { personId, sessionId, epoch: 1 }, now))?.memberships.map(({ slug }) => slug),
    ['zongo-elite'],
  )
})

test('undefined for a blocked person, an older session and an unknown id', async () => {
  const { pool } = database
  const personId = await makePerson(pool, await makeApplication(pool), ['maker'])
  assert.equal(await findSignedIn(pool, { personId: '00000000-0000-4000-8000-000000000000', sessionId, epoch: 1 }, now), undefined)
  await bumpSessionEpoch(pool, { personId, actor: { kind: 'person', id: personId } })
  assert.equal(await findSignedIn(pool, { personId, sessionId, epoch: 1 }, now), undefined)
  assert.ok(await findSignedIn(pool, { personId, sessionId, epoch: 2 }, now))
  await pool.query('update people set is_blocked = true where person_id = $1', [personId])
  assert.equal(await findSignedIn(pool, { personId, sessionId, epoch: 2 }, now), undefined)
})

test('language and time zone as stored, each changed without the other and with an audit entry', async () => {
  const { pool } = database
  const personId = await makePerson(pool, await makeApplication(pool), ['maker'])
  assert.ok((await changeOwnPreferences(pool, { personId, locale: 'fr' })).ok)
  assert.ok((await changeOwnPreferences(pool, { personId, timeZone: 'Africa/Douala' })).ok)
  const person = await findSignedIn(pool, { personId, sessionId, epoch: 1 }, now)
  assert.deepEqual([person?.locale, person?.timeZone], ['fr', 'Africa/Douala'])
  const record = (await listAudit(pool, SERVICE_WIDE, { size: 50 })).filter((entry) => entry.subject === personId)
  assert.deepEqual(
    record.map((entry) => [entry.action, entry.details]),
    [
      ['person.preferences_changed', { timeZone: 'Africa/Douala' }],
      ['person.preferences_changed', { locale: 'fr' }],
    ],
  )
})

test('unknown_time_zone: a time zone that does not exist; nothing is stored', async () => {
  const { pool } = database
  const personId = await makePerson(pool, await makeApplication(pool), ['maker'])
  for (const timeZone of ['Mars/Olympus', '', '+01:00', 'Africa/Douala\0'])
    assert.deepEqual(await changeOwnPreferences(pool, { personId, locale: 'fr', timeZone }), { ok: false, error: 'unknown_time_zone' })
  const person = await findSignedIn(pool, { personId, sessionId, epoch: 1 }, now)
  assert.deepEqual([person?.locale, person?.timeZone], [null, null])
  assert.deepEqual(await changeOwnPreferences(pool, { personId: crypto.randomUUID(), locale: 'fr' }), {
    ok: false,
    error: 'unknown_person',
  })
})

test('a slug of its own for each application of the same name, and none that the product uses', async () => {
  const { pool } = database
  const slugs: string[] = []
  for (const name of ['Même nom', 'Même nom', 'API', 'Docs', '???']) {
    const { rows } = await pool.query('select slug from applications where application_id = $1', [await makeApplication(pool, name)])
    slugs.push(rows[0].slug)
  }
  assert.deepEqual(slugs, ['meme-nom', 'meme-nom-2', 'api-app', 'docs-app', 'application'])
})

/** Lets a person decide for an absent checker. */
async function deputise(applicationId: string, personId: string): Promise<void> {
  const { pool } = database
  await pool.query('update people set totp_enabled_at = now() where person_id = $1', [personId])
  await pool.query(
    `insert into deputies (application_id, deputyship_id, absent_id, deputy_id, starts_at, ends_at, change_id)
       values ($1, $2, $3, $4, now() - interval '1 day', now() + interval '1 day', $2)`,
    [applicationId, crypto.randomUUID(), await makePerson(pool, applicationId, ['checker']), personId],
  )
}

for (const role of ['checker', 'finance', 'administrator', 'deputy'] as const)
  test(`undefined, and no live updates, for the session of a ${role} that was not used for 30 minutes`, async () => {
    const { pool } = database
    const applicationId = await makeApplication(pool)
    const personId = await makePerson(pool, applicationId, role === 'deputy' ? ['maker'] : ['maker', role])
    if (role === 'deputy') await deputise(applicationId, personId)
    const session = { personId, applicationId, epoch: 1, sessionId: crypto.randomUUID(), startedAt: now, endsAt: later(720) }
    const isThere = async (minutes: number) => {
      const person = await findSignedIn(pool, session, later(minutes))
      assert.equal((await findAdmitted(pool, [session], later(minutes))).size, person ? 1 : 0)
      return person !== undefined
    }
    const use = (minutes: number, notedAt: Date | null) =>
      noteSessionUse(pool, { ...session, address: '198.51.100.1', userAgent: 'Test browser', notedAt }, later(minutes))
    await use(0, null)
    assert.ok(await isThere(30))
    await use(30, now)
    assert.ok(await isThere(60))
    assert.ok(!(await isThere(62)))
  })

test('the person for the session of a maker that was not used for an hour', async () => {
  const { pool } = database
  const personId = await makePerson(pool, await makeApplication(pool), ['maker', 'engineer'])
  const session = { personId, epoch: 1, sessionId: crypto.randomUUID(), startedAt: now, endsAt: later(720) }
  await noteSessionUse(pool, { ...session, address: '198.51.100.1', userAgent: 'Test browser', notedAt: null }, now)
  assert.ok(await findSignedIn(pool, session, later(62)))
})

test('undefined for the idle session of a person who is a checker in one application and a maker in another', async () => {
  const { pool } = database
  const personId = await makePerson(pool, await makeApplication(pool), ['maker'])
  await pool.query("insert into memberships (application_id, person_id, roles) values ($1, $2, '{checker}')", [
    await makeApplication(pool),
    personId,
  ])
  const session = { personId, epoch: 1, sessionId: crypto.randomUUID(), startedAt: now, endsAt: later(720) }
  await noteSessionUse(pool, { ...session, address: '198.51.100.1', userAgent: 'Test browser', notedAt: null }, now)
  assert.ok(await findSignedIn(pool, session, later(30)))
  assert.equal(await findSignedIn(pool, session, later(62)), undefined)
})

test('signed in until 31 minutes after the last noted use to the millisecond: the session of a person who decides', async () => {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  const personId = await makePerson(pool, applicationId, ['checker'])
  const session = { personId, applicationId, epoch: 1, sessionId: crypto.randomUUID(), startedAt: now, endsAt: later(720) }
  await noteSessionUse(pool, { ...session, address: '198.51.100.1', userAgent: 'Test browser', notedAt: null }, now)
  const isThere = async (at: Date) => [
    (await findSignedIn(pool, session, at)) !== undefined,
    (await findAdmitted(pool, [session], at)).size === 1,
  ]
  assert.deepEqual(await isThere(later(31)), [true, true])
  assert.deepEqual(await isThere(new Date(later(31).getTime() + 1)), [false, false])
})

test('noted again a minute after the last note and not a millisecond earlier, in one session and no other', async () => {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  const personId = await makePerson(pool, applicationId, ['checker'])
  const [one, other] = [crypto.randomUUID(), crypto.randomUUID()]
  const origin = { address: 'x'.repeat(65), userAgent: 'Test browser' }
  const note = async (atMs: number, notedAtMs: number | null) => {
    const at = new Date(now.getTime() + atMs)
    const notedAt = notedAtMs === null ? null : new Date(now.getTime() + notedAtMs)
    const use = { personId, epoch: 1, startedAt: now, endsAt: later(720), ...origin, notedAt }
    await noteSessionUse(pool, { ...use, sessionId: one }, at)
    await noteApplicationUse(pool, { ...use, sessionId: one, applicationId }, at)
  }
  await noteSessionUse(pool, { personId, epoch: 1, sessionId: other, startedAt: now, endsAt: later(720), ...origin, notedAt: null }, now)
  const noted = async () => {
    const { rows } = await pool.query<{ all: Date; here: Date; seen: Date; length: number }>(
      `select s.last_used_at as all, u.last_used_at as here, g.last_seen_at as seen, length(s.address) + length(u.address) as length
         from person_sessions s join application_sessions u using (session_id)
              join person_sightings g on g.application_id = u.application_id and g.person_id = s.person_id where s.session_id = $1`,
      [one],
    )
    const [row] = rows
    assert.equal(row?.length, 128)
    return [row?.all, row?.here, row?.seen].map((at) => (at?.getTime() ?? 0) - now.getTime())
  }
  await note(0, null)
  // A note of another request meanwhile counts, though this one read it earlier.
  await note(59_999, null)
  await note(59_999, 0)
  assert.deepEqual(await noted(), [0, 0, 0])
  await note(60_000, 0)
  assert.deepEqual(await noted(), [60_000, 60_000, 60_000])
  const { rows } = await pool.query('select last_used_at from person_sessions where session_id = $1', [other])
  assert.deepEqual(rows, [{ last_used_at: now }])
})

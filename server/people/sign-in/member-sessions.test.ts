import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { QueryConfig } from 'pg'
import { type PersonCommandActor, SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { listAudit } from '#server/audit/read-audit.ts'
import type { Queryable } from '#server/database/pool.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { setMembership, suspendMember } from '../membership.ts'
import { readMember } from '../person-store.ts'
import {
  bumpSessionEpoch,
  endMemberSessions,
  findAdmitted,
  findSignedIn,
  listMemberSessions,
  loadActor,
  noteApplicationUse,
  noteSessionUse,
  pruneEndedSessions,
} from './sessions.ts'

const MINUTE_MS = 60_000
const start = new Date('2026-03-03T08:00:00Z')
const later = (minutes: number) => new Date(start.getTime() + minutes * MINUTE_MS)
let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

async function scene() {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  const actor: PersonCommandActor = {
    kind: 'person',
    id: await makePerson(pool, applicationId, ['administrator']),
    applicationId,
    roles: ['administrator'],
  }
  const personId = await makePerson(pool, applicationId, ['checker'])
  const session = (address = '198.51.100.1') => ({
    personId,
    epoch: 1,
    sessionId: randomUUID(),
    startedAt: start,
    endsAt: later(720),
    address,
    userAgent: 'Test browser',
  })
  const use = async (of: ReturnType<typeof session>, minutes: number, inside = applicationId) => {
    const person = await findSignedIn(pool, of, later(minutes))
    if (!person) return false
    await noteSessionUse(pool, { ...of, notedAt: person.sessionUsedAt }, later(minutes))
    const membership = person.memberships.find((each) => each.applicationId === inside)
    if (membership) await noteApplicationUse(pool, { ...of, applicationId: inside, notedAt: membership.usedAt }, later(minutes))
    return true
  }
  const list = (minutes: number) => listMemberSessions(pool, { applicationId, personId, now: later(minutes) })
  const end = (sessionId?: string, by = actor) =>
    endMemberSessions(pool, { applicationId: by.applicationId, personId, sessionId, actor: by })
  return { pool, applicationId, actor, personId, session, use, list, end }
}

test('one row with the start, the last use, the address and the browser, written once in a minute of requests', async () => {
  const { pool, applicationId, personId, session, use, list } = await scene()
  const one = session()
  await use(one, 0)
  const versionOf = async () =>
    (
      await pool.query(
        'select s.xmin::text, u.xmin::text as used from person_sessions s join application_sessions u using (session_id) where session_id = $1',
        [one.sessionId],
      )
    ).rows[0]
  const written = await versionOf()
  for (const minute of [0.2, 0.5, 0.7, 0.9]) await use(one, minute)
  assert.deepEqual(await versionOf(), written)
  await use({ ...one, address: '198.51.100.2' }, 6)
  assert.deepEqual(await list(7), [
    {
      sessionId: one.sessionId,
      startedAt: start,
      lastUsedAt: later(6),
      endsAt: one.endsAt,
      address: '198.51.100.2',
      userAgent: 'Test browser',
    },
  ])
  const seen = await pool.query('select last_seen_at from person_sightings where application_id = $1 and person_id = $2', [
    applicationId,
    personId,
  ])
  assert.deepEqual(seen.rows, [{ last_seen_at: later(6) }])
})

test('no statement for a session that was noted as used within the last minute, and one for any other', async () => {
  const { pool, applicationId, personId, session } = await scene()
  let statements = 0
  const counting: Queryable = {
    query: ((...statement: [QueryConfig]) => {
      statements++
      return pool.query(...statement)
    }) as Queryable['query'],
  }
  for (const [seconds, expected] of [
    [59, 0],
    [60, 2],
    [null, 4],
  ] as const) {
    const use = { ...session(), personId, applicationId, epoch: 1, notedAt: seconds === null ? null : start }
    const now = new Date(start.getTime() + (seconds ?? 0) * 1_000)
    await noteSessionUse(counting, use, now)
    await noteApplicationUse(counting, use, now)
    assert.equal(statements, expected, `${seconds} s`)
  }
})

test('written once by twenty requests at once, and cut: a name of a browser of any length', async () => {
  const { session, use, list } = await scene()
  const one = { ...session(), userAgent: `\ud800\0${'x'.repeat(5_000)}` }
  await Promise.all(Array.from({ length: 20 }, () => use(one, 0)))
  assert.equal((await list(1))[0]?.userAgent.length, 300)
})

test('one session ended with its next request and the others go on; audited with who ended it', async () => {
  const { pool, applicationId, actor, session, use, list, end } = await scene()
  const [one, two] = [session(), session('203.0.113.5')]
  await use(one, 0)
  await use(two, 1)
  assert.ok((await end(one.sessionId)).ok)
  assert.deepEqual([await use(one, 2), await use(two, 2)], [false, true])
  assert.deepEqual(
    (await list(3)).map(({ sessionId }) => sessionId),
    [two.sessionId],
  )
  const [entry] = await listAudit(pool, applicationId, { size: 1 })
  assert.deepEqual([entry?.action, entry?.actor.id, entry?.details], ['person.session_ended', actor.id, { sessionAddress: '198.51.100.1' }])
})

test('every session ended with its next request, and none listed', async () => {
  const { session, use, list, end } = await scene()
  const sessions = [session(), session(), session()]
  for (const each of sessions) await use(each, 0)
  assert.ok((await end()).ok)
  assert.deepEqual(await Promise.all(sessions.map((each) => use(each, 1))), [false, false, false])
  assert.deepEqual(await list(1), [])
})

test('only the sessions that were used in an application, as they were used there, listed and ended by its administrators', async () => {
  const { pool, applicationId, personId, session, use, list, end } = await scene()
  const elsewhere = await scene()
  await pool.query(`insert into memberships (application_id, person_id, roles) values ($1, $2, '{maker}')`, [
    elsewhere.applicationId,
    personId,
  ])
  const [here, there, both] = [session(), session('203.0.113.5'), session('203.0.113.6')]
  await use(here, 0)
  await use(there, 0, elsewhere.applicationId)
  await use(both, 0)
  await use({ ...both, address: '203.0.113.7' }, 10, elsewhere.applicationId)
  assert.deepEqual(
    (await list(11)).map(({ sessionId, address, lastUsedAt }) => [sessionId, address, lastUsedAt]).sort(),
    [
      [here.sessionId, '198.51.100.1', start],
      [both.sessionId, '203.0.113.6', start],
    ].sort(),
  )
  assert.deepEqual((await readMember(pool, applicationId, personId))?.lastSeenAt, start)
  assert.deepEqual(await end(there.sessionId), { ok: false, error: 'not_found' })
  assert.ok((await end()).ok)
  assert.deepEqual([await use(here, 11), await use(there, 11), await use(both, 11)], [false, true, false])
})

test('not_permitted, not_a_member or not_found for other roles, other applications and sessions of other people', async () => {
  const here = await scene()
  const elsewhere = await scene()
  const theirs = elsewhere.session()
  await elsewhere.use(theirs, 0)
  assert.deepEqual(await here.end(theirs.sessionId), { ok: false, error: 'not_found' })
  assert.deepEqual(await here.end(undefined, elsewhere.actor), { ok: false, error: 'not_a_member' })
  assert.deepEqual(await here.end(undefined, { ...here.actor, roles: ['maker', 'checker', 'finance'] }), {
    ok: false,
    error: 'not_permitted',
  })
  must(await setMembership(here.pool, { applicationId: here.applicationId, personId: here.personId, isActive: false, actor: SYSTEM_ACTOR }))
  assert.deepEqual(await here.end(), { ok: false, error: 'not_a_member' })
  assert.ok(await elsewhere.use(theirs, 1))
})

test('not listed after their end, and removed an hour later', async () => {
  const { pool, session, use, list } = await scene()
  const one = session()
  await use(one, 0)
  assert.equal((await list(719)).length, 1)
  assert.deepEqual(await list(721), [])
  await pruneEndedSessions(pool, later(790))
  assert.equal((await pool.query('select 1 from person_sessions where session_id = $1', [one.sessionId])).rowCount, 0)
})

test('suspended by one administrator with the next request, also for a person who works elsewhere, who goes on there', async () => {
  const { pool, applicationId, actor, personId, session } = await scene()
  const elsewhere = await scene()
  await pool.query(`insert into memberships (application_id, person_id, roles) values ($1, $2, '{maker}')`, [
    elsewhere.applicationId,
    personId,
  ])
  const one = session()
  const memberships = async () => (await findSignedIn(pool, one, start))?.memberships.map((each) => each.applicationId).sort()
  assert.deepEqual(await memberships(), [applicationId, elsewhere.applicationId].sort())
  assert.ok((await suspendMember(pool, { applicationId, personId, actor })).ok)
  assert.deepEqual(await memberships(), [elsewhere.applicationId])
  assert.deepEqual(await loadActor(pool, personId, applicationId), { ok: false, error: 'not_a_member' })
  assert.deepEqual([...(await findAdmitted(pool, [{ ...one, applicationId }], start))], [])
  const member = await readMember(pool, applicationId, personId)
  assert.deepEqual([member?.isActive, member?.isSuspended, member?.isBlocked, member?.roles], [false, true, false, ['checker']])
  const [entry] = await listAudit(pool, applicationId, { size: 1 })
  assert.deepEqual([entry?.action, entry?.actor.id, entry?.subject], ['person.suspended', actor.id, personId])
  assert.notEqual((await listAudit(pool, elsewhere.applicationId, { size: 1 }))[0]?.action, 'person.suspended')
})

test('no suspension left after the membership is active again or has ended', async () => {
  const { pool, applicationId, actor, personId } = await scene()
  for (const isActive of [true, false]) {
    must(await setMembership(pool, { applicationId, personId, isActive: true, actor: SYSTEM_ACTOR }))
    must(await suspendMember(pool, { applicationId, personId, actor }))
    must(await setMembership(pool, { applicationId, personId, roles: ['maker'], actor: SYSTEM_ACTOR }))
    assert.equal((await readMember(pool, applicationId, personId))?.isSuspended, true)
    must(await setMembership(pool, { applicationId, personId, isActive, actor: SYSTEM_ACTOR }))
    const member = await readMember(pool, applicationId, personId)
    assert.deepEqual([member?.isActive, member?.isSuspended], [isActive, false])
  }
})

test('own_membership, not_a_member or not_permitted for a suspension that nobody may make', async () => {
  const { pool, applicationId, actor, personId } = await scene()
  const suspend = (of: string, by = actor) => suspendMember(pool, { applicationId, personId: of, actor: by })
  assert.deepEqual(await suspend(actor.id), { ok: false, error: 'own_membership' })
  assert.deepEqual(await suspend(personId, { ...actor, roles: ['checker'] }), { ok: false, error: 'not_permitted' })
  const elsewhere = await scene()
  assert.deepEqual(await suspend(elsewhere.personId), { ok: false, error: 'not_a_member' })
  assert.deepEqual(await suspend(personId, elsewhere.actor), { ok: false, error: 'not_permitted' })
  must(await suspend(personId))
  assert.deepEqual(await suspend(personId), { ok: false, error: 'not_a_member' })
})

test('one_administrator_a_day: nobody alone suspends all who could object, not even at the same moment', async () => {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  const person = async (role: 'administrator' | 'maker'): Promise<PersonCommandActor> => {
    const roles = [role]
    return { kind: 'person', id: await makePerson(pool, applicationId, roles), applicationId, roles }
  }
  const dishonest = await person('administrator')
  const others = [await person('administrator'), await person('administrator'), await person('administrator')]
  const suspend = async (by: PersonCommandActor, of: PersonCommandActor) => {
    const result = await suspendMember(pool, { applicationId, personId: of.id, actor: by })
    return result.ok ? 'suspended' : result.error
  }
  const first = await Promise.all(others.map((other) => suspend(dishonest, other)))
  assert.deepEqual(first.toSorted(), ['one_administrator_a_day', 'one_administrator_a_day', 'suspended'])
  await pool.query("update memberships set suspended_at = suspended_at - interval '25 hours' where application_id = $1", [applicationId])
  const [left = dishonest, last = dishonest] = others.filter((_, index) => first[index] !== 'suspended')
  const [away = dishonest] = others.filter((_, index) => first[index] === 'suspended')
  assert.equal(await suspend(away, dishonest), 'not_permitted')
  // Three are left: of two who suspend each other at the same moment, one is.
  assert.deepEqual((await Promise.all([suspend(dishonest, left), suspend(left, dishonest)])).toSorted(), ['not_permitted', 'suspended'])
  const { rows } = await pool.query<{ id: string }>(
    "select person_id as id from memberships where application_id = $1 and is_active and 'administrator' = any (roles)",
    [applicationId],
  )
  const present = [dishonest, left, last].filter(({ id }) => rows.some((row) => row.id === id))
  assert.equal(present.length, 2)
  const [mayNot = dishonest, may = dishonest] = present.toSorted((one) => (one.id === last.id ? 1 : -1))
  assert.equal(await suspend(mayNot, may), 'one_administrator_a_day')
  assert.equal(await suspend(mayNot, await person('maker')), 'suspended')
  // Of two, one suspends the other: that account may be in somebody else's hands.
  assert.equal(await suspend(may, mayNot), 'suspended')
})

test('not listed: the sessions that a person ended everywhere', async () => {
  const { pool, personId, session, use, list } = await scene()
  await use(session(), 0)
  must(await bumpSessionEpoch(pool, { personId, actor: { kind: 'person', id: personId } }))
  assert.deepEqual(await list(1), [])
  await use({ ...session(), epoch: 2 }, 1)
  assert.equal((await list(2)).length, 1)
})

test('listed still: a session that was last used hours ago and has not ended', async () => {
  const { pool, session, use, list } = await scene()
  await use(session(), 0)
  await pruneEndedSessions(pool, later(600))
  assert.equal((await list(600)).length, 1)
})

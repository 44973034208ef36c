import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { DecisionObstacle } from '#lib/approvals/approvals.ts'
import type { Role } from '#lib/people/permissions.ts'
import { approvalFilterSchema } from '#lib/schemas/list-filter.ts'
import { systemClock } from '#server/clock.ts'
import { readOverview } from '#server/reports/overview/read-overview.ts'
import { countWaiting } from '#server/reports/waiting/read-waiting.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, decisionDeps, fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { type DecisionCommand, decide } from './decide.ts'
import { selectDeciders } from './evidence/evidence-store.ts'
import { findApprovals, listApprovals, snapshotApprovals } from './queue/queue.ts'

let database: TestDatabase
let applicationId: string
before(async () => {
  database = await createTestDatabase()
  applicationId = await makeApplication(database.pool)
  await fund(database.pool, applicationId, 'MOMOCM', 100_000_000n)
})
after(() => database.drop())

const OBSTACLES: ReadonlySet<string> = new Set<DecisionObstacle>([
  ...(['not_a_checker', 'is_maker', 'has_password', 'not_waiting', 'expired', 'decided_already'] as const),
])
/** The API users that start items. People have received passwords of the first one. */
const [known, other] = [randomUUID(), randomUUID()]

const RULES = {
  'one approval': {},
  'five approvals': { steps: [5] },
  'two steps': { steps: [1, 2] },
  'a one-time code': { needsCode: true },
  'no program': { apiMayDecide: false },
} satisfies Record<string, Parameters<typeof aBand>[0]>

type Person = { id: string; roles: Role[]; isChecker: boolean; hasPassword?: boolean }
type Item = { id: string; makerId: string | null; starterId: string | null; state: 'waiting' | 'expired' | 'moved'; deciders: string[] }

/** The rule in one sentence, written down a second time to compare with. */
function expected(person: Person, item: Item): DecisionObstacle | null {
  if (!person.isChecker) return 'not_a_checker'
  if (item.makerId === person.id) return 'is_maker'
  if (person.hasPassword && item.starterId === known) return 'has_password'
  if (item.state !== 'waiting') return item.state === 'expired' ? 'expired' : 'not_waiting'
  return item.deciders.includes(person.id) ? 'decided_already' : null
}

async function makePeople(): Promise<Record<string, Person>> {
  const { pool } = database
  const member = async (roles: Role[], isChecker: boolean, change?: string): Promise<Person> => {
    const id = await makePerson(pool, applicationId, roles)
    if (change) await pool.query(change, [id])
    return { id, roles, isChecker }
  }
  for (const [apiUserId, applicationOf] of [
    [known, applicationId],
    [other, applicationId],
    [randomUUID(), await makeApplication(pool)],
  ] as const)
    await pool.query(
      `insert into api_users (application_id, api_user_id, username, password_hash) values ($1, $2::uuid, $2::uuid::text, 'x')`,
      [applicationOf, apiUserId],
    )
  const receives = `update api_users set password_holders = password_holders || $1::uuid where api_user_id = '${known}'`
  return {
    checker: await member(['checker'], true),
    'engineer and checker with a password': { ...(await member(['engineer', 'checker'], true, receives)), hasPassword: true },
    'another checker with a password': { ...(await member(['checker'], true, receives)), hasPassword: true },
    'checker with a password of another application': await member(
      ['checker'],
      true,
      `update api_users set password_holders = array[$1::uuid] where application_id <> '${applicationId}'`,
    ),
    'another checker': await member(['checker'], true),
    'maker and checker': await member(['maker', 'checker'], true),
    maker: await member(['maker'], false),
    finance: await member(['finance'], false),
    'blocked checker': await member(['checker'], false, 'update people set is_blocked = true where person_id = $1'),
    'former checker': await member(['checker'], false, 'update memberships set is_active = false where person_id = $1'),
    'checker elsewhere': {
      id: await makePerson(pool, await makeApplication(pool), ['checker']),
      roles: ['checker'],
      isChecker: false,
    },
    nobody: { id: randomUUID(), roles: ['checker'], isChecker: false },
  }
}

function say(transactionId: string, checkerId: string, overrides: Partial<DecisionCommand> = {}) {
  return decide(decisionDeps(database.pool), {
    applicationId,
    transactionId,
    checkerId,
    decision: 'validated',
    note: 'Seen',
    through: 'back_office',
    actor: { kind: 'person', id: checkerId },
    hasFreshCode: true,
    ...overrides,
  })
}

/** Under each rule: made by each maker and by each API user; waiting, expired, decided by one person, and no longer waiting. */
async function makeItems(people: Record<string, Person>): Promise<Item[]> {
  const { pool } = database
  const items: Item[] = []
  const makers = [
    { makerId: null, starterId: known },
    { makerId: null, starterId: other },
    { makerId: people['maker and checker']?.id ?? null, starterId: null },
    { makerId: people.maker?.id ?? null, starterId: null },
  ]
  const decider = people['another checker']?.id ?? ''
  for (const band of Object.values(RULES)) {
    for (const { makerId, starterId } of makers) {
      for (const kind of ['waiting', 'expired', 'decided', 'rejected'] as const) {
        const item = anIntakeItem(applicationId, {
          source: makerId ? 'person' : 'api',
          makerId,
          actor: makerId ? { kind: 'person', id: makerId } : { kind: 'api', id: starterId },
          bands: [aBand(band)],
        })
        await takeIn(pool, [item])
        const id = item.transactionId
        if (kind === 'decided') await say(id, decider)
        if (kind === 'rejected') await say(id, decider, { decision: 'rejected' })
        if (kind === 'expired')
          await pool.query("update approval_items set expires_at = now() - interval '1 s' where transaction_id = $1", [id])
        const hasMoved = kind === 'rejected' || (kind === 'decided' && !('steps' in band))
        const state = hasMoved ? 'moved' : kind === 'expired' ? 'expired' : 'waiting'
        items.push({ id, makerId, starterId, state, deciders: kind === 'decided' || kind === 'rejected' ? [decider] : [] })
      }
    }
  }
  return items
}

/** The verdict of the command, without a decision: no transaction has this hash. */
async function verdictOf(item: Item, person: Person): Promise<string | null> {
  const result = await say(item.id, person.id, { expectedHash: 'none' })
  assert.ok(!result.ok)
  return OBSTACLES.has(result.error.kind) ? result.error.kind : null
}

const idsOf = (items: readonly Item[]) => items.map((item) => item.id)
const ALL = { sort: 'oldest', page: '0' }

test('the same verdict from command, row, queue, counts, snapshot, deciders, badge and overview, for every person, rule and item', async () => {
  const { pool } = database
  const people = await makePeople()
  const items = await makeItems(people)
  for (const [name, person] of Object.entries(people)) {
    const viewer = { applicationId, id: person.id, hasSecondFactor: true }
    const mine = idsOf(items.filter((item) => expected(person, item) === null))
    const rows = new Map((await findApprovals(pool, viewer, idsOf(items))).map((row) => [row.transactionId, row.canReject]))
    for (const item of items) {
      const about = `${name}, ${item.state} item of ${item.makerId ?? item.starterId}`
      const obstacle = expected(person, item)
      assert.equal(await verdictOf(item, person), obstacle, `command: ${about}`)
      assert.equal(rows.get(item.id), obstacle ?? true, `row: ${about}`)
    }
    const page = await listApprovals(pool, { ...viewer, businessZone: 'UTC' }, approvalFilterSchema.parse({ ...ALL, queue: 'mine' }))
    assert.deepEqual([page.rows.map((row) => row.transactionId), page.counts.mine, page.total], [mine, mine.length, mine.length], name)
    const snapshot = await snapshotApprovals(pool, viewer, approvalFilterSchema.parse(ALL))
    assert.deepEqual([snapshot.items.map((one) => one.transactionId), snapshot.total], [mine, mine.length], name)
    assert.equal(
      (await countWaiting(pool, { applicationId, id: person.id, roles: person.roles, runsInstallation: false })).pages.approvals ?? 0,
      mine.length,
      name,
    )
    const { checker } = await readOverview(pool, { businessZone: 'UTC', ...viewer, roles: person.roles }, 7, systemClock.now())
    assert.equal(checker?.count ?? 0, mine.length, name)
    assert.equal(checker?.oldestAt ?? null, page.oldestAt, name)
  }
  for (const item of items) {
    const deciders = (await selectDeciders(pool, applicationId, item.id)).map((person) => person.personId)
    const allowed = Object.values(people).filter((person) => expected(person, item) === null)
    assert.deepEqual(new Set(deciders), new Set(allowed.map((person) => person.id)), `deciders of a ${item.state} item`)
  }
})

test('not_waiting for a transaction that never had to be approved', async () => {
  const item = anIntakeItem(applicationId)
  await takeIn(database.pool, [item])
  const checkerId = await makePerson(database.pool, applicationId, ['checker'])
  const result = await say(item.transactionId, checkerId)
  assert.ok(!result.ok && result.error.kind === 'not_waiting')
})

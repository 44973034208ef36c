import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { BlockedItems } from '#lib/approvals/blocked-items.ts'
import type { Role } from '#lib/people/permissions.ts'
import { readOverview } from '#server/reports/overview/read-overview.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, decisionDeps, makeApplication, makePerson } from '#server/testing/factories.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { decide } from '../decide.ts'
import { listBlocked } from './list-blocked.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

type Team = { applicationId: string; add(name: string, ...roles: Role[]): Promise<string> }

async function newTeam(): Promise<Team> {
  const applicationId = await makeApplication(database.pool)
  return {
    applicationId,
    async add(name, ...roles) {
      const id = await makePerson(database.pool, applicationId, roles)
      await database.pool.query('update people set name = $2 where person_id = $1', [id, name])
      return id
    },
  }
}

async function wait({ applicationId }: Team, makerId: string | null, band: Parameters<typeof aBand>[0], item: Partial<IntakeItem> = {}) {
  const source = makerId === null ? 'api' : 'person'
  const made = anIntakeItem(applicationId, {
    source,
    makerId,
    actor: { kind: makerId ? 'person' : 'api', id: makerId },
    bands: [aBand(band)],
    ...item,
  })
  await takeIn(database.pool, [made])
  return made.transactionId
}

const enrol = (id: string) =>
  database.pool.query(`update people set totp_secret = 'sealed', totp_enabled_at = now() where person_id = $1`, [id])
const short = ({ groups }: BlockedItems) =>
  groups.map(({ maker, count, missing, available, unblock }) => ({ maker, count, missing, available, unblock }))

test('nothing for items that enough current checkers may decide', async () => {
  const team = await newTeam()
  const ama = await team.add('Ama', 'maker')
  await enrol(await team.add('Ben', 'checker'))
  await team.add('Cora', 'checker')
  await wait(team, ama, { steps: [1, 1] })
  await wait(team, null, { steps: [1], needsCode: true })
  assert.deepEqual(await listBlocked(database.pool, team.applicationId), { count: 0, oldestAt: null, groups: [] })
})

test('items of a maker who is the only other checker, with recall and rejection as ways out', async () => {
  const team = await newTeam()
  const ama = await team.add('Ama', 'maker', 'checker')
  await team.add('Ben', 'checker')
  await wait(team, ama, { steps: [2] })
  await wait(team, ama, { steps: [2] }, { amountMinor: 100_000n })
  await wait(team, null, { steps: [2] })
  const blocked = await listBlocked(database.pool, team.applicationId)
  assert.deepEqual(short(blocked), [
    {
      maker: 'Ama',
      count: 2,
      missing: 2,
      available: 1,
      unblock: [
        { kind: 'add_checkers', count: 1 },
        { kind: 'recall', name: 'Ama' },
        { kind: 'reject', names: ['Ben'] },
      ],
    },
  ])
  assert.deepEqual(blocked.groups[0]?.sums, [{ currency: 'XAF', count: 2, amount: '6000' }])
  assert.equal(blocked.count, 2)
})

test('items that need a code which nobody has, and checkers who are blocked or left', async () => {
  const team = await newTeam()
  await team.add('Ben', 'checker')
  const cora = await team.add('Cora', 'checker')
  const dora = await team.add('Dora', 'checker')
  await database.pool.query('update people set is_blocked = true where person_id = $1', [cora])
  await database.pool.query('update memberships set is_active = false where person_id = $1', [dora])
  await wait(team, null, { needsCode: true })
  await wait(team, null, { steps: [2] })
  const restore = { kind: 'restore', names: ['Cora', 'Dora'] }
  const reject = { kind: 'reject', names: ['Ben'] }
  assert.deepEqual(short(await listBlocked(database.pool, team.applicationId)), [
    { maker: null, count: 1, missing: 1, available: 0, unblock: [{ kind: 'enrol', names: ['Ben'] }, restore, reject] },
    { maker: null, count: 1, missing: 2, available: 1, unblock: [restore, { kind: 'add_checkers', count: 1 }, reject] },
  ])
})

test('an item whose first checker has approved and left needs both approvals again', async () => {
  const team = await newTeam()
  const ben = await team.add('Ben', 'checker')
  await team.add('Cora', 'checker')
  const transactionId = await wait(team, null, { steps: [2] })
  const { applicationId } = team
  const decided = await decide(decisionDeps(database.pool), {
    applicationId,
    transactionId,
    checkerId: ben,
    decision: 'validated',
    note: 'Seen',
    through: 'back_office',
    actor: { kind: 'person', id: ben },
  })
  assert.ok(decided.ok)
  assert.equal((await listBlocked(database.pool, applicationId)).count, 0)
  await database.pool.query('update memberships set is_active = false where person_id = $1', [ben])
  assert.deepEqual(
    (await listBlocked(database.pool, applicationId)).groups.map(({ missing, available }) => [missing, available]),
    [[2, 1]],
  )
})

test('a batch once, by its strictest row, even if that row no longer waits', async () => {
  const team = await newTeam()
  const ama = await team.add('Ama', 'maker')
  await team.add('Ben', 'checker')
  const batchId = randomUUID()
  const row = (steps: number[]) => wait(team, ama, { steps }, { source: 'file', batchId })
  await row([1])
  await row([1])
  assert.equal((await listBlocked(database.pool, team.applicationId)).count, 0)
  const strict = await row([2])
  const { rows } = await database.pool.query('select batch_id from transactions where transaction_id = $1', [strict])
  assert.equal(rows[0]?.batch_id, batchId)
  const blocked = await listBlocked(database.pool, team.applicationId)
  assert.deepEqual(
    [blocked.count, blocked.groups.length, blocked.groups[0]?.batch, blocked.groups[0]?.sums[0]?.count],
    [1, 1, { batchId, name: null }, 3],
  )
})

test('two batches of one maker that lack the same are two items, and a batch whose rows are still being started is none', async () => {
  const team = await newTeam()
  const ama = await team.add('Ama', 'maker')
  const batchIds = [randomUUID(), randomUUID(), randomUUID()]
  for (const batchId of batchIds) {
    await wait(team, ama, {}, { source: 'file', batchId })
    await database.pool.query(
      `insert into batches (application_id, batch_id, name, type, maker_id, created_by, file_name, file_sha256, state, row_count, submitted_at)
         values ($1, $2, 'Salaries', 'DEPOSIT', $3, $3, 'a.csv', '', $4, 1, now())`,
      [team.applicationId, batchId, ama, batchId === batchIds[2] ? 'submitting' : 'submitted'],
    )
  }
  const { groups } = await listBlocked(database.pool, team.applicationId)
  assert.deepEqual(
    groups.map(({ batch, count }) => [batch?.batchId, batch?.name, count]),
    batchIds.slice(0, 2).map((batchId) => [batchId, 'Salaries', 1]),
  )
})

test('nothing of another application, nothing that has expired, and the same number on the overview of an administrator', async () => {
  const team = await newTeam()
  const other = await newTeam()
  await wait(team, null, {})
  await wait(other, null, {})
  await wait(other, null, {})
  const expired = await wait(team, null, {})
  await database.pool.query("update approval_items set expires_at = now() - interval '1 second' where transaction_id = $1", [expired])
  const id = await team.add('Ada', 'administrator')
  const reader = { applicationId: team.applicationId, businessZone: 'UTC', id, hasSecondFactor: true, roles: ['administrator' as const] }
  const { administrator } = await readOverview(database.pool, reader, 7, new Date())
  assert.equal(administrator?.blocked, 1)
  assert.equal((await listBlocked(database.pool, team.applicationId)).count, 1)
})

test('10,000 waiting items within two seconds', async () => {
  const team = await newTeam()
  const makers = await Promise.all(['Ama', 'Ben', 'Cora'].map((name) => team.add(name, 'maker', 'checker')))
  const items = Array.from({ length: 10_000 }, (_, index) => {
    const makerId = makers[index % 3] ?? null
    return anIntakeItem(team.applicationId, {
      source: 'person',
      makerId,
      actor: { kind: 'person', id: makerId },
      bands: [aBand({ steps: [index % 2 ? 3 : 2] })],
      phoneNumber: `2376${String(70_000_000 + index)}`,
    })
  })
  for (let start = 0; start < items.length; start += 1_000) await takeIn(database.pool, items.slice(start, start + 1_000))
  const started = performance.now()
  const { count, groups } = await listBlocked(database.pool, team.applicationId)
  const tookMs = performance.now() - started
  assert.deepEqual([count, groups.length], [5_000, 3])
  assert.ok(tookMs < 2_000, `${Math.round(tookMs)} ms`)
})

test('items of the program whose password the only other checker received, and not those of another program', async () => {
  const team = await newTeam()
  const ben = await team.add('Ben', 'checker', 'engineer')
  await team.add('Cora', 'checker')
  const { applicationId } = team
  const [known, other] = [randomUUID(), randomUUID()]
  for (const [apiUserId, holders] of [
    [known, [ben]],
    [other, []],
  ] as const)
    await database.pool.query(
      `insert into api_users (application_id, api_user_id, username, password_hash, password_holders) values ($1, $2::uuid, $2::uuid::text, 'x', $3)`,
      [applicationId, apiUserId, holders],
    )
  for (const id of [other, known]) await wait(team, null, { steps: [2] }, { actor: { kind: 'api', id } })
  const blocked = await listBlocked(database.pool, applicationId)
  assert.deepEqual(
    blocked.groups.map(({ count, missing, available }) => [count, missing, available]),
    [[1, 2, 1]],
  )
})

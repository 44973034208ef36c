import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { riskFlags } from '#lib/risk-flags.ts'
import { approvalFilterSchema } from '#lib/schemas/approval-filter.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, decisionDeps, fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { transition } from '#server/transactions/transition.ts'
import { decide } from './decide.ts'
import { listApprovals } from './list-approvals.ts'
import { readEvidence } from './read-evidence.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

async function scene() {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  await fund(pool, applicationId, 'MOMOCM', 10_000_000n)
  const checker = {
    applicationId,
    id: await makePerson(pool, applicationId, ['checker']),
    roles: ['checker' as const],
    hasSecondFactor: false,
  }
  const add = async (overrides: Partial<IntakeItem>): Promise<string> => {
    const item = anIntakeItem(applicationId, { feeSystemMinor: 0n, feeAppMinor: 0n, ...overrides })
    await takeIn(pool, [item])
    return item.transactionId
  }
  return {
    applicationId,
    paid: async (overrides: Partial<IntakeItem>) => {
      const transactionId = await add(overrides)
      await transition(pool, [{ applicationId, transactionId, event: 'succeeded', actor: { kind: 'operator', id: null } }])
      await pool.query("update transactions set created_at = now() - interval '3 days' where transaction_id = $1", [transactionId])
    },
    waiting: (overrides: Partial<IntakeItem>) => add({ source: 'person', bands: [aBand()], ...overrides }),
    risks: async () => {
      const { rows } = await listApprovals(pool, { ...checker, businessZone: 'UTC' }, approvalFilterSchema.parse({}))
      return new Map(rows.map((row) => [row.transactionId, row.risks]))
    },
  }
}

test('a row lists an unusual amount, another name and another operator, as its evidence says', async () => {
  const { applicationId, paid, waiting, risks } = await scene()
  for (const amountMinor of [10_000n, 20_000n, 20_000n])
    await paid({ amountMinor, phoneNumber: '237677000001', customerName: 'Awa Diop', operator: 'MOMOCM' })
  const asked = await waiting({ amountMinor: 1_920_000n, phoneNumber: '237677000001', customerName: 'Jean Fotso', operator: 'OMCM' })
  const shown = (await risks()).get(asked)
  assert.deepEqual(shown, [
    { kind: 'times', times: 96 },
    { kind: 'name', before: 'Awa Diop' },
    { kind: 'operator', before: 'MOMOCM' },
    { kind: 'short' },
  ])
  const evidence = await readEvidence(database.pool, applicationId, asked)
  assert.deepEqual(evidence && riskFlags(evidence), shown)
})

test('a row of a number that was never paid is flagged as a first payment, and one that is usual has no flag', async () => {
  const { paid, waiting, risks } = await scene()
  await paid({ amountMinor: 10_000n, phoneNumber: '237677000002', customerName: 'Awa Diop' })
  const usual = await waiting({ amountMinor: 11_000n, phoneNumber: '237677000002', customerName: 'Awa Diop' })
  const first = await waiting({ amountMinor: 11_000n, phoneNumber: '237677000003', customerName: 'Jean Fotso' })
  const shown = await risks()
  assert.deepEqual([shown.get(usual), shown.get(first)], [[], [{ kind: 'first' }]])
})

test('two numbers under one name are each flagged with the other, and a second payment to one number is not', async () => {
  const { waiting, risks } = await scene()
  const left = await waiting({ phoneNumber: '237677000004', customerName: 'Awa Diop', amountMinor: 10_000n })
  const right = await waiting({ phoneNumber: '237677000005', customerName: ' AWA DIOP', amountMinor: 20_000n })
  const again = await waiting({ phoneNumber: '237677000006', customerName: 'Jean Fotso', amountMinor: 10_000n })
  await waiting({ phoneNumber: '237677000006', customerName: 'Jean Fotso', amountMinor: 90_000n })
  const shown = await risks()
  const namesake = (id: string) => shown.get(id)?.find((flag) => flag.kind === 'namesake')
  assert.deepEqual(namesake(left), { kind: 'namesake', phoneNumbers: ['237677000005'] })
  assert.deepEqual(namesake(right), { kind: 'namesake', phoneNumbers: ['237677000004'] })
  assert.equal(namesake(again), undefined)
})

test('a row that replaces a rejected one says so, with who rejected it and why in its evidence', async () => {
  const { applicationId, waiting, risks } = await scene()
  const { pool } = database
  const checkerId = await makePerson(pool, applicationId, ['checker'])
  const originId = await waiting({ phoneNumber: '237677000007', amountMinor: 10_000n })
  const decision = { decision: 'rejected' as const, note: 'Wrong amount', through: 'back_office' as const }
  const actor = { kind: 'person' as const, id: checkerId }
  const decided = await decide(decisionDeps(pool), { applicationId, checkerId, transactionId: originId, actor, ...decision })
  assert.ok(decided.ok)
  const replacing = await waiting({ phoneNumber: '237677000007', amountMinor: 11_000n, originId })
  assert.deepEqual((await risks()).get(replacing), [{ kind: 'first' }, { kind: 'resubmitted' }])
  const replaces = (await readEvidence(pool, applicationId, replacing))?.replaces
  assert.ok(replaces)
  const { at: _, ...rest } = replaces
  assert.deepEqual(rest, { transactionId: originId, event: 'rejected', by: 'Test person', reason: 'Wrong amount' })
})

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { riskFlags } from '#lib/approvals/evidence.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { approvalFilterSchema } from '#lib/schemas/list-filter.ts'
import { insertCheck, storeAnswer } from '#server/account-checks/account-check-store.ts'
import { makeFileBatch } from '#server/testing/batches/file-batch.ts'
import { contradict } from '#server/testing/contradiction.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, decisionDeps, fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { transition } from '#server/transactions/transition.ts'
import { listBatchRows } from '../batches.ts'
import { decide } from '../decide.ts'
import { listApprovals } from '../queue/queue.ts'
import { readEvidence } from './evidence.ts'

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

test('a row and its evidence say that the account has another name, is not registered or is barred; nothing after 24 hours, and to no other application', async () => {
  const { pool } = database
  const { applicationId, waiting, risks } = await scene()
  const other = await scene()
  const check = async (
    phoneNumber: string,
    answer: Parameters<typeof storeAnswer>[2]['answer'],
    holderName: string | null = null,
    operator: OperatorCode = 'MOMOCM',
  ) => {
    const id = randomUUID()
    await insertCheck(pool, applicationId, { id, asker: { kind: 'person', id: randomUUID() }, operator, phoneNumber })
    await storeAnswer(pool, applicationId, { id, answer, holderName })
  }
  const kinds = async (from: typeof risks, id: string) =>
    (await from())
      .get(id)
      ?.map(({ kind }) => kind)
      .filter((kind) => ['holder', 'not_registered', 'barred'].includes(kind))
  await check('237677000101', 'active', 'CLARISSE M.')
  await check('237677000102', 'not_registered')
  await check('237677000103', 'barred')
  await check('237677000104', 'unknown')
  await check('237677000105', 'not_registered', null, 'OMCM')
  const to = (phoneNumber: string, customerName: string) => ({ phoneNumber, customerName, operator: 'MOMOCM' as const })
  const differs = await waiting(to('237677000101', 'Jean Fotso'))
  const same = await waiting(to('237677000101', 'Mbarga Clarisse'))
  assert.deepEqual(await kinds(risks, differs), ['holder'])
  assert.deepEqual(await kinds(risks, same), [])
  assert.deepEqual(await kinds(risks, await waiting(to('237677000102', 'Awa'))), ['not_registered'])
  assert.deepEqual(await kinds(risks, await waiting(to('237677000103', 'Awa'))), ['barred'])
  for (const phoneNumber of ['237677000104', '237677000105'])
    assert.deepEqual(await kinds(risks, await waiting(to(phoneNumber, 'Awa'))), [])
  assert.partialDeepStrictEqual((await readEvidence(pool, applicationId, differs))?.account, {
    holderName: 'CLARISSE M.',
    isOtherName: true,
  })
  assert.partialDeepStrictEqual((await readEvidence(pool, applicationId, same))?.account, { answer: 'active', isOtherName: false })
  assert.deepEqual(await kinds(other.risks, await other.waiting(to('237677000101', 'Jean Fotso'))), [])
  await pool.query(`update account_checks set asked_at = asked_at - interval '24 hours' where application_id = $1`, [applicationId])
  assert.deepEqual(await kinds(risks, differs), [])
  assert.equal((await readEvidence(pool, applicationId, differs))?.account, null)
})

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
  assert.deepEqual(rest, { transactionId: originId, event: 'rejected', by: 'Test person', programName: null, reason: 'Wrong amount' })
})

test('a row to the number and amount of an earlier payment that failed and that its operator contradicts is flagged until it is resolved', async () => {
  const { applicationId, waiting, risks } = await scene()
  const { pool } = database
  const failed = async (overrides: Partial<IntakeItem>) => {
    const item = anIntakeItem(applicationId, { customerName: 'Awa Diop', amountMinor: 10_000n, ...overrides })
    await takeIn(pool, [item])
    await transition(pool, [{ ...item, event: 'failed', message: 'x', actor: { kind: 'operator', id: null } }])
    return item.transactionId
  }
  const contradicted = await failed({ phoneNumber: '237677000007' })
  await failed({ phoneNumber: '237677000008' })
  // Paid, and its operator reports a failure: nobody is paid twice by another payment.
  const paid = anIntakeItem(applicationId, { customerName: 'Awa Diop', amountMinor: 10_000n, phoneNumber: '237677000008' })
  await takeIn(pool, [paid])
  await transition(pool, [{ ...paid, event: 'succeeded', message: 'x', actor: { kind: 'operator', id: null } }])
  await contradict(pool, { applicationId, transactionId: paid.transactionId }, 'SUCCESS')
  await contradict(pool, { applicationId, transactionId: contradicted }, 'FAILED', ['succeeded'])
  const again = await waiting({ phoneNumber: '237677000007', customerName: 'Awa Diop', amountMinor: 10_000n })
  const { batchId } = await makeFileBatch(pool, {
    applicationId,
    makerId: await makePerson(pool, applicationId, ['maker']),
    count: 2,
    change: (index) => ({ phoneNumber: `23767700000${7 + index}`, customerName: 'Awa Diop', amountMinor: 10_000n }),
  })
  const otherAmount = await waiting({ phoneNumber: '237677000007', customerName: 'Awa Diop', amountMinor: 20_000n })
  const isFlagged = async (id: string) => (await risks()).get(id)?.some((flag) => flag.kind === 'contradicted')
  assert.deepEqual([await isFlagged(again), await isFlagged(otherAmount)], [true, false])
  assert.equal((await readEvidence(pool, applicationId, again))?.contradicted[0]?.transactionId, contradicted)
  const afterPaid = await waiting({ phoneNumber: '237677000008', customerName: 'Awa Diop', amountMinor: 10_000n })
  assert.deepEqual((await readEvidence(pool, applicationId, afterPaid))?.contradicted, [])
  const viewer = { applicationId, id: randomUUID(), hasSecondFactor: false }
  const inBatch = async () =>
    (await listBatchRows(pool, viewer, batchId, { filter: 'flagged', page: 0 }))?.rows.map(
      (row) => row.risks.filter((flag) => flag.kind === 'contradicted').length,
    )
  assert.deepEqual(await inBatch(), [1, 0])
  await contradict(pool, { applicationId, transactionId: contradicted }, 'FAILED', ['unknown'])
  assert.equal(await isFlagged(again), true)
  await contradict(pool, { applicationId, transactionId: contradicted }, 'FAILED', ['failed'])
  assert.equal(await isFlagged(again), false)
  // The operator reports the success once more.
  await contradict(pool, { applicationId, transactionId: contradicted }, 'FAILED', ['succeeded'])
  assert.equal(await isFlagged(again), true)
})

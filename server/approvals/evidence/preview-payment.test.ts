import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { computeFees } from '#lib/money/fees.ts'
import { formatMinor } from '#lib/money/money.ts'
import { OPERATOR_CODES } from '#lib/operators/operators.ts'
import type { Role } from '#lib/people/permissions.ts'
import { createDirectory } from '#server/applications/directory.ts'
import { setTransferService } from '#server/applications/terms.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { activatePolicy, proposePolicy } from '#server/policy/policies.ts'
import { connectedTo } from '#server/testing/connected.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, fund, makePerson } from '#server/testing/factories.ts'
import { createTestPartner, must } from '#server/testing/partner.ts'
import { createIntake, type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { startTransactions } from '#server/transactions/start-transactions.ts'
import { transition } from '#server/transactions/transition.ts'
import { readApproval } from '../queue/queue.ts'
import { previewPayment } from './preview-payment.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

const RULES = [
  { name: 'Large', sources: ['person'], limits: { XAF: '10000000' }, approvals: [1, 1], needsCode: true },
  { name: 'New', sources: ['person'], firstTimeOnly: true, approvals: [2] },
]

async function named(applicationId: string, roles: Role[], name: string): Promise<string> {
  const personId = await makePerson(database.pool, applicationId, roles)
  await database.pool.query('update people set name = $2 where person_id = $1', [personId, name])
  return personId
}

async function scene(change: (applicationId: string) => Promise<void> = async () => undefined) {
  const { pool } = database
  const { applicationId } = await createTestPartner(pool)
  await fund(pool, applicationId, 'MOMOCM', 100_000_000n)
  await change(applicationId)
  const makerId = await named(applicationId, ['maker', 'checker'], 'Grace Nakato')
  await named(applicationId, ['checker'], 'Mariam Diallo')
  await named(applicationId, ['finance'], 'Fatou Ndiaye')
  const directory = await createDirectory({ pool })
  const application = directory.find(applicationId)
  await directory.close()
  assert.ok(application)
  const connected = connectedTo(
    OPERATOR_CODES.filter((code) => code !== 'SNFREE'),
    { 'BFOM:DEPOSIT': { multipleMinor: 5_00n, maximumMinor: 1_000_00n } },
  )
  const preview = (payment: Partial<Parameters<typeof previewPayment>[1]['payment']> = {}) =>
    previewPayment(
      { pool, connectors: connected },
      {
        application,
        makerId,
        now: new Date(),
        payment: {
          type: 'DEPOSIT',
          operator: 'MOMOCM',
          phoneNumber: '237677209341',
          customerName: 'Clarisse Mbarga',
          amountMinor: 500_000n,
          originId: null,
          ...payment,
        },
      },
    )
  const add = async (overrides: Partial<IntakeItem> = {}, isPaid = true) => {
    const amountMinor = overrides.amountMinor ?? 500_000n
    const item = anIntakeItem(applicationId, { ...computeFees(amountMinor, 'XAF'), ...overrides })
    await takeIn(pool, [item])
    const { transactionId } = item
    if (isPaid) await transition(pool, [{ applicationId, transactionId, event: 'succeeded', actor: { kind: 'operator', id: null } }])
    return item
  }
  return { applicationId, application, makerId, preview, add }
}

async function withRules(applicationId: string): Promise<void> {
  const { version } = must(await proposePolicy(database.pool, { applicationId, rules: RULES, actor: SYSTEM_ACTOR }))
  must(await activatePolicy(database.pool, { applicationId, version, actor: SYSTEM_ACTOR }))
}

test('fees, and the balance after a deposit and after everything that waits', async () => {
  const { preview, add } = await scene()
  await add({ source: 'person', bands: [aBand()], amountMinor: 1_000_000n, phoneNumber: '237677000009' }, false)
  const { fees, balance } = await preview()
  assert.deepEqual(fees, { system: '50', app: '25', net: '5075' })
  assert.deepEqual(balance, { now: '1000000', afterThis: '994925', afterAllWaiting: '984775', waitingCount: 1 })
})

test('the amount that a collect adds, and no balance', async () => {
  const { preview } = await scene()
  const { fees, balance } = await preview({ type: 'COLLECT' })
  assert.deepEqual([fees?.net, balance], ['4925', null])
})

test('the same evidence that the checkers are shown once it is sent', async () => {
  const { preview, add, application, applicationId, makerId } = await scene()
  for (let paid = 0; paid < 3; paid += 1) await add({ amountMinor: 100_000n, customerName: 'Clarisse M.' })
  await add({ source: 'person', bands: [aBand()], phoneNumber: '237677000010' }, false)
  const { evidence } = await preview()
  const deps = {
    pool: database.pool,
    intake: createIntake({ pool: database.pool }),
    connectors: { has: () => true, limitsOf: () => undefined },
  }
  const [started] = must(
    await startTransactions(deps, {
      application,
      source: 'person',
      actor: { kind: 'person', id: makerId, applicationId, roles: ['maker'] },
      type: 'DEPOSIT',
      requests: [
        {
          externalId: crypto.randomUUID(),
          transferMethod: 'MOMOCM',
          countryName: 'CAMEROON',
          customerName: 'Clarisse Mbarga',
          phoneNumber: '237677209341',
          amount: 500_000n,
          webhookUrl: null,
        },
      ],
    }),
  )
  assert.ok(started && started.kind === 'created')
  const viewer = { applicationId, id: makerId, hasSecondFactor: false }
  const view = await readApproval(database.pool, viewer, started.transactionId, new Date())
  assert.ok(view && evidence?.balance && view.evidence.balance)
  assert.equal(view.evidence.balance.afterAllWaiting, evidence.balance.afterAllWaiting)
  assert.deepEqual({ ...evidence, balance: null }, { ...view.evidence, balance: null })
  assert.deepEqual([evidence.history?.timesMedian, evidence.nameBefore?.name, evidence.namesakes], [5, 'Clarisse M.', ['237677000010']])
})

test('the approvals that the rules require, for the amount, a new number, and the total sent to it today; and who can approve', async () => {
  const { preview, add, makerId } = await scene(withRules)
  const needs = async (payment: Parameters<typeof preview>[0]) => {
    const { approval } = await preview(payment)
    return approval && [approval.steps, approval.needsCode, approval.checkers]
  }
  const checkers = ['Mariam Diallo']
  assert.deepEqual(await needs({}), [[2], false, checkers])
  await add()
  assert.deepEqual(await needs({ amountMinor: 10_000_000n }), [[1], false, checkers])
  assert.deepEqual(await needs({ amountMinor: 10_000_001n }), [[1, 1], true, checkers])
  await add({ source: 'person', makerId, bands: [aBand()], amountMinor: 9_600_000n }, false)
  assert.deepEqual(await needs({ amountMinor: 400_000n }), [[1], false, checkers])
  assert.deepEqual(await needs({ amountMinor: 400_001n }), [[1, 1], true, checkers])
  assert.equal(await needs({ phoneNumber: null }), null)
  assert.equal(await needs({ amountMinor: null }), null)
})

test('why it would be refused: switched off, not in service, outside enforced limits, not above the fees', async () => {
  const { preview } = await scene(async (applicationId) => {
    const own = { isEnabled: true, enforcesLimits: true, minimumMinor: null, maximumMinor: 1_000_000n }
    must(await setTransferService(database.pool, { applicationId, operator: 'MOMOCM', type: 'DEPOSIT', service: own, actor: SYSTEM_ACTOR }))
    const off = { ...own, isEnabled: false }
    must(await setTransferService(database.pool, { applicationId, operator: 'OMCM', type: 'DEPOSIT', service: off, actor: SYSTEM_ACTOR }))
  })
  const kindOf = async (payment: Parameters<typeof preview>[0]) => (await preview(payment)).obstacle?.kind
  assert.equal(await kindOf({}), undefined)
  assert.equal(await kindOf({ operator: 'OMCM' }), 'service_disabled')
  assert.equal(await kindOf({ operator: 'SNFREE' }), 'operator_not_in_service')
  assert.equal(await kindOf({ amountMinor: 1_000_001n }), 'amount_out_of_limits')
  assert.deepEqual((await preview()).limits, { minimum: formatMinor(100n), maximum: '10000', multiple: null, isEnforced: true })
  const ofOperator = await preview({ operator: 'BFOM', amountMinor: 103_00n })
  assert.equal(ofOperator.obstacle?.kind, 'amount_out_of_limits')
  assert.deepEqual(ofOperator.limits, { minimum: '5', maximum: '1000', multiple: '5', isEnforced: true })
})

test('fees and limits without a number, nothing else; the transaction that it replaces is not a failed attempt', async () => {
  const { preview, add, applicationId } = await scene()
  const { evidence, approval, fees } = await preview({ phoneNumber: null, customerName: null, amountMinor: null })
  assert.deepEqual([evidence, approval, fees], [null, null, null])
  const origin = await add({ source: 'person', bands: [aBand()] }, false)
  await transition(database.pool, [
    { applicationId, transactionId: origin.transactionId, event: 'rejected', actor: { kind: 'person', id: crypto.randomUUID() } },
  ])
  assert.equal((await preview()).evidence?.failedBefore, 1)
  assert.equal((await preview({ originId: origin.transactionId })).evidence?.failedBefore, 0)
})

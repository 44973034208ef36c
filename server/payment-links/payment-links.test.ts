import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { countExcess } from '#lib/payments/payment-links.ts'
import type { TransitionEvent } from '#lib/payments/transactions/transaction-status.ts'
import type { Role } from '#lib/people/permissions.ts'
import { type LinkPaymentForm, newPaymentLinkSchema } from '#lib/schemas/payment-link.ts'
import { createDirectory, type Directory } from '#server/applications/directory.ts'
import { changeApplication } from '#server/applications/terms.ts'
import { type PersonCommandActor, SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { listAudit } from '#server/audit/read-audit.ts'
import { systemClock } from '#server/clock.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { verifyBooks } from '#server/reports/verify/verify-books.ts'
import { contradict } from '#server/testing/contradiction.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { bookLate, bookReversal } from '#server/testing/reversal.ts'
import { createIntake } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR as NO_PERSON, transition } from '#server/transactions/transition.ts'
import { findPaymentLink, listLinkPayments, listPaymentLinks } from './payment-link-list-store.ts'
import { findCustomerLink } from './payment-link-store.ts'
import { closePaymentLink, createPaymentLink } from './payment-links.ts'
import { type StartLinkDeps, startLinkPayment } from './start-link-payment.ts'

let database: TestDatabase
let directory: Directory
let applicationId: string
let maker: PersonCommandActor
let deps: StartLinkDeps
before(async () => {
  database = await createTestDatabase()
  applicationId = await makeApplication(database.pool)
  maker = await aPerson('maker')
  directory = await createDirectory({ pool: database.pool, pollIntervalMs: 20 })
  deps = {
    pool: database.pool,
    directory,
    intake: createIntake({ pool: database.pool }),
    connectors: { has: () => true, limitsOf: () => undefined },
  }
})
after(async () => {
  assert.deepEqual(await verifyBooks(database.pool), [])
  await directory.close()
  await database.drop()
})

async function aPerson(role: Role, of = applicationId): Promise<PersonCommandActor> {
  return { kind: 'person', id: await makePerson(database.pool, of, [role]), applicationId: of, roles: [role] }
}

type Terms = Partial<Parameters<typeof newPaymentLinkSchema.parse>[0] & object> & Record<string, unknown>

const terms = (changed: Terms = {}) =>
  newPaymentLinkSchema.parse({
    linkId: randomUUID(),
    purpose: 'Invoice 77',
    country: 'SENEGAL',
    operators: ['SNOM', 'SNWAVE'],
    amount: '5000',
    minimum: null,
    maximum: null,
    paymentsMax: 1,
    lastDay: null,
    ...changed,
  })

const snapshot = (of = applicationId) => directory.find(of) ?? assert.fail('no application')
const create = (changed: Terms = {}, actor = maker) =>
  createPaymentLink({ ...deps, clock: systemClock }, { application: snapshot(), actor, link: terms(changed) })

async function aLink(changed: Terms = {}): Promise<{ linkId: string; token: string }> {
  const { linkId } = must(await create(changed))
  const { rows } = await database.pool.query<{ token: string }>('select token from payment_links where link_id = $1', [linkId])
  return { linkId, token: rows[0]?.token ?? assert.fail('no link') }
}

const form = (changed: Partial<LinkPaymentForm> = {}): LinkPaymentForm => ({
  attempt: randomUUID(),
  operator: 'SNWAVE',
  phoneNumber: '77 209 39 00',
  customerName: 'Awa Diop',
  amount: '',
  ...changed,
})

/** Returns the pay token, or why none was started. */
async function pay(token: string, changed: Partial<LinkPaymentForm> = {}): Promise<string> {
  const link = (await findCustomerLink(database.pool, token)) ?? assert.fail('no link')
  const started = await startLinkPayment(deps, { link, form: form(changed), locale: 'en' })
  if (started.ok) return started.value.payToken
  const { error } = started
  if (error.kind === 'invalid') return error.fields.join(' ')
  if (error.kind === 'obstacle') return error.obstacle
  return error.kind === 'refused' ? error.problem.kind : error.kind
}

async function end(payToken: string, event: TransitionEvent): Promise<string> {
  const { rows } = await database.pool.query<{ id: string }>('select transaction_id as id from transactions where pay_token = $1', [
    payToken,
  ])
  const transactionId = rows[0]?.id ?? assert.fail(`no collect: ${payToken}`)
  const [moved] = await transition(database.pool, [{ applicationId, transactionId, event, message: event, actor: NO_PERSON }])
  assert.ok(moved?.isMoved)
  return transactionId
}

async function countPayments(linkId: string): Promise<number> {
  const { rowCount } = await database.pool.query('select 1 from payment_link_payments where link_id = $1', [linkId])
  return rowCount ?? 0
}

test('one collect with the terms of the link, of no person, that a person other than its creator would have to approve', async () => {
  const { token } = await aLink()
  const payToken = await pay(token)
  const { rows } = await database.pool.query(
    `select type, status, operator, amount_minor, phone_number, customer_name, purpose, source, maker_id, webhook_url, fee_system_minor > 0 as has_fee
       from transactions where pay_token = $1`,
    [payToken],
  )
  assert.deepEqual(rows, [
    {
      ...{ type: 'COLLECT', status: 'PENDING', operator: 'SNWAVE', amount_minor: 500_000n, phone_number: '221772093900' },
      ...{ customer_name: 'Awa Diop', purpose: 'Invoice 77', source: 'link', maker_id: maker.id, webhook_url: null, has_fee: true },
    },
  ])
  await end(payToken, 'failed')
})

test('the same collect for a form that is sent twice, at once or after its end; a corrected form is another', async () => {
  const { token, linkId } = await aLink({ paymentsMax: null })
  const attempt = randomUUID()
  const [first, second] = await Promise.all([pay(token, { attempt }), pay(token, { attempt })])
  assert.equal(first, second)
  await end(first, 'succeeded')
  assert.equal(await pay(token, { attempt }), first)
  assert.notEqual(await pay(token, { attempt, phoneNumber: '772093901' }), first)
  assert.equal(await countPayments(linkId), 2)
})

test('one collect for eight customers who pay a link for one payment at the same instant', async () => {
  const { token, linkId } = await aLink()
  const tokens = await Promise.all(Array.from({ length: 8 }, (_, place) => pay(token, { phoneNumber: `77209400${place}` })))
  assert.equal(new Set(tokens).size, 1)
  assert.equal(await countPayments(linkId), 1)
})

test('the open collect while it is open, another after it FAILED, and paid after SUCCESS', async () => {
  const { token, linkId } = await aLink()
  const first = await pay(token)
  assert.equal(await pay(token, { phoneNumber: '772093902' }), first)
  await end(first, 'failed')
  const second = await pay(token)
  assert.notEqual(second, first)
  await end(second, 'succeeded')
  assert.equal(await pay(token), 'paid')
  assert.equal(await countPayments(linkId), 2)
  assert.equal((await findCustomerLink(database.pool, token))?.payToken, second)
})

test('one open collect per number at a link for any number of payments, and others for other numbers', async () => {
  const { token, linkId } = await aLink({ paymentsMax: null })
  const tokens = await Promise.all([pay(token), pay(token), pay(token, { phoneNumber: '772093903' })])
  assert.equal(new Set(tokens).size, 2)
  assert.equal(await countPayments(linkId), 2)
})

test('in_progress while open collects take every place of a link for two payments; paid once both succeeded', async () => {
  const { token, linkId } = await aLink({ paymentsMax: 2 })
  const results = await Promise.all(Array.from({ length: 6 }, (_, place) => pay(token, { phoneNumber: `77209500${place}` })))
  const started = results.filter((result) => result !== 'in_progress')
  assert.equal(started.length, 2, results.join(' '))
  for (const payToken of started) await end(payToken, 'succeeded')
  assert.equal(await pay(token), 'paid')
  const { rows } = await database.pool.query('select open_count, paid_count, collected_minor from payment_links where link_id = $1', [
    linkId,
  ])
  assert.deepEqual(rows, [{ open_count: 0, paid_count: 2, collected_minor: 1_000_000n }])
})

test('in_progress for others while the payment of a link for one payment waits for its approval', async () => {
  const rule = { name: 'Large', sources: ['api'], types: ['COLLECT'], limits: { XOF: '90000000' }, approvals: [1] }
  await database.pool.query('insert into approval_policies (application_id, version, rules, activated_at) values ($1, 1, $2, now())', [
    applicationId,
    JSON.stringify([rule]),
  ])
  await directory.refresh()
  const { token, linkId } = await aLink({ amount: '900001' })
  const waiting = await pay(token)
  const { rows } = await database.pool.query('select status from transactions where pay_token = $1', [waiting])
  assert.deepEqual(rows, [{ status: 'PENDING_APPROVAL' }])
  assert.equal(await pay(token, { phoneNumber: '772093902' }), waiting)
  assert.equal(await countPayments(linkId), 1)
  await end(waiting, 'expired')
  assert.notEqual(await pay(token, { phoneNumber: '772093902' }), waiting)
})

test('an amount with hundredths is refused at a link of which one operator takes none, also for the other one', async () => {
  const operators = ['UGMTN', 'UGAIRTEL']
  const { token } = await aLink({ country: 'UGANDA', operators, amount: null, minimum: '1000', maximum: '9000', paymentsMax: null })
  assert.equal(await pay(token, { operator: 'UGMTN', phoneNumber: '256772093900', amount: '1000.50' }), 'amount')
})

test('in_doubt while the operator says that the failed payment of a link for one payment was paid', async () => {
  const { token } = await aLink()
  const transactionId = await end(await pay(token), 'failed')
  await contradict(database.pool, { applicationId, transactionId })
  assert.equal(await pay(token), 'in_doubt')
})

test('in_doubt while an open and a doubted payment together take every place of a link for two payments', async () => {
  const { token } = await aLink({ paymentsMax: 2 })
  const transactionId = await end(await pay(token), 'failed')
  await contradict(database.pool, { applicationId, transactionId })
  const open = await pay(token, { phoneNumber: '772093904' })
  assert.equal(await pay(token, { phoneNumber: '772093905' }), 'in_doubt')
  await end(open, 'failed')
  assert.match(await pay(token, { phoneNumber: '772093905' }), /^[0-9a-f-]{36}$/)
})

test('in_doubt while the operator is being queried about the failed payment of a link for one payment', async () => {
  const { token } = await aLink()
  const transactionId = await end(await pay(token), 'failed')
  await database.pool.query(
    "insert into contradiction_queries (application_id, transaction_id, kind, operator, said, next_at) values ($1, $2, 'hint', 'SNWAVE', 'succeeded', now())",
    [applicationId, transactionId],
  )
  assert.equal(await pay(token), 'in_doubt')
  await database.pool.query('update contradiction_queries set ended_at = now() where transaction_id = $1', [transactionId])
  assert.match(await pay(token), /^[0-9a-f-]{36}$/)
})

test('paid, and no other payment, once the failed payment of a link for one payment was booked as paid', async () => {
  const { token } = await aLink()
  const transactionId = await end(await pay(token), 'failed')
  await contradict(database.pool, { applicationId, transactionId })
  await bookLate(database.pool, { applicationId, transactionId }, (await aPerson('finance')).id)
  assert.equal(await pay(token), 'paid')
})

test('one payment too many, with both amounts, when a failed payment turns out to be paid after the next one succeeded; less what is reversed', async () => {
  const { token, linkId } = await aLink()
  const failed = await end(await pay(token), 'failed')
  const paid = await end(await pay(token), 'succeeded')
  const read = async () => (await findPaymentLink(database.pool, applicationId, linkId)) ?? assert.fail('no link')
  assert.equal(countExcess(await read()), 0)
  await contradict(database.pool, { applicationId, transactionId: failed })
  assert.equal(countExcess(await read()), 1)
  await bookLate(database.pool, { applicationId, transactionId: failed }, (await aPerson('finance')).id)
  const { state, paidCount, doubtCount, collected } = await read()
  assert.deepEqual([state, paidCount, doubtCount, collected], ['paid', 2, 0, '10000'])
  assert.equal(countExcess(await read()), 1)
  const { payments } = await listLinkPayments(database.pool, applicationId, linkId, 0)
  assert.deepEqual(
    payments.map(({ status, isLate, isDoubted }) => [status, isLate, isDoubted]),
    [
      ['SUCCESS', false, false],
      ['FAILED', true, true],
    ],
  )
  await bookReversal(database.pool, { applicationId, transactionId: paid }, (await aPerson('finance')).id)
  assert.equal((await read()).collected, '5000')
})

test('listed with their state, found by purpose and state, in pages of the newest first; undefined for another application', async () => {
  const elsewhere = await makeApplication(database.pool)
  const { linkId } = await aLink({ purpose: 'School fees 100% of Awa' })
  const found = await listPaymentLinks(database.pool, applicationId, { q: '100% of', state: 'open', page: 0 })
  assert.deepEqual(
    [found.total, found.links.map((link) => [link.linkId, link.state, link.amount, link.collected])],
    [1, [[linkId, 'open', '5000', '0']]],
  )
  assert.equal((await listPaymentLinks(database.pool, applicationId, { q: '100%', state: 'closed', page: 0 })).total, 0)
  assert.equal((await listPaymentLinks(database.pool, applicationId, { page: 1 })).links.length, 0)
  assert.equal((await listPaymentLinks(database.pool, elsewhere, { page: 0 })).total, 0)
  assert.equal(await findPaymentLink(database.pool, elsewhere, linkId), undefined)
})

test('expired after the last day in the business time zone', async () => {
  await database.pool.query("update applications set time_zone = 'Africa/Douala' where application_id = $1", [applicationId])
  const { token, linkId } = await aLink({ lastDay: '2099-12-31' })
  const { rows } = await database.pool.query<{ endsAt: Date }>('select ends_at as "endsAt" from payment_links where link_id = $1', [linkId])
  assert.equal(rows[0]?.endsAt.toISOString(), '2099-12-31T23:00:00.000Z')
  await database.pool.query("update applications set time_zone = 'UTC' where application_id = $1", [applicationId])
  await withTransaction(database.pool, async (trx) => {
    await trx.query('set local session_replication_role = replica')
    await trx.query('alter table payment_links disable trigger refuse_change')
    await trx.query("update payment_links set ends_at = now() - interval '1 second' where link_id = $1", [linkId])
    await trx.query('alter table payment_links enable always trigger refuse_change')
    return { ok: true, value: undefined }
  })
  assert.equal(await pay(token), 'expired')
  assert.deepEqual(await create({ lastDay: '2020-01-01' }), { ok: false, error: 'last_day_passed' })
})

test('closed once a maker or an administrator has closed it, and recorded once; not_found for one of another application', async () => {
  const { token, linkId } = await aLink()
  const stranger = await aPerson('maker', await makeApplication(database.pool))
  const elsewhere = { applicationId: stranger.applicationId, linkId, actor: stranger }
  assert.deepEqual(await closePaymentLink(database.pool, elsewhere), { ok: false, error: 'not_found' })
  assert.deepEqual(await closePaymentLink(database.pool, { applicationId, linkId, actor: stranger }), { ok: false, error: 'not_permitted' })
  const administrator = await aPerson('administrator')
  for (const actor of [administrator, maker]) must(await closePaymentLink(database.pool, { applicationId, linkId, actor }))
  assert.equal(await pay(token), 'closed')
  const { rows } = await database.pool.query<{ by: string }>('select closed_by as by from payment_links where link_id = $1', [linkId])
  assert.equal(rows[0]?.by, administrator.id)
  const entries = await listAudit(database.pool, applicationId, { size: 100 })
  const ofLink = entries.filter(({ subject }) => subject === linkId)
  assert.deepEqual(
    ofLink.map(({ action, actor }) => `${action} ${actor.id}`),
    [`payment_link.closed ${administrator.id}`, `payment_link.created ${maker.id}`],
  )
  assert.ok(!JSON.stringify(ofLink.map(({ details }) => details)).includes(token))
})

test('invalid: a link with an operator of another country', () => {
  for (const operators of [['MOMOCM'], ['SNOM', 'CIOM']]) assert.throws(() => terms({ operators }), /links\.wrong\.operators/)
})

test('not_permitted to close for every role but makers and administrators', async () => {
  const { linkId } = await aLink()
  for (const role of ['checker', 'finance', 'engineer'] as const)
    assert.deepEqual(await closePaymentLink(database.pool, { applicationId, linkId, actor: await aPerson(role) }), {
      ok: false,
      error: 'not_permitted',
    })
})

test('one link for a form that is sent twice', async () => {
  const linkId = randomUUID()
  for (let time = 0; time < 2; time++) assert.deepEqual(await create({ linkId }), { ok: true, value: { linkId } })
})

test('not_permitted to create for every role but makers', async () => {
  for (const role of ['checker', 'finance', 'administrator', 'engineer'] as const)
    assert.deepEqual(await create({}, await aPerson(role)), { ok: false, error: 'not_permitted' })
})

test('not_allowed to create and to pay where the application allows no links', async () => {
  const { token } = await aLink()
  const allow = async (allowsPaymentLinks: boolean) =>
    must(await changeApplication(database.pool, { applicationId, change: { allowsPaymentLinks }, actor: SYSTEM_ACTOR }))
  await allow(false)
  assert.deepEqual(await create(), { ok: false, error: 'not_allowed' })
  assert.equal(await pay(token), 'not_allowed')
  await allow(true)
})

test('not_allowed to create and to pay in an application that is off', async () => {
  const { token } = await aLink()
  const enable = async (isEnabled: boolean) => {
    must(await changeApplication(database.pool, { applicationId, change: { isEnabled }, actor: SYSTEM_ACTOR }))
    await directory.refresh()
  }
  await enable(false)
  assert.deepEqual(await create(), { ok: false, error: 'not_allowed' })
  assert.equal((await findCustomerLink(database.pool, token))?.obstacle, 'not_allowed')
  assert.equal(await pay(token), 'not_allowed')
  await enable(true)
})

for (const [wrong, changed] of [
  ['operator', { operator: 'SNFREE' }],
  ['operator', { operator: 'CIWAVE' }],
  ['phoneNumber', { phoneNumber: '77 209' }],
  ['phoneNumber', { phoneNumber: '237677209341' }],
  ['customerName', { customerName: ' ' }],
  ['customerName', { customerName: 'x'.repeat(201) }],
] as const)
  test(`${wrong} is wrong: ${JSON.stringify(changed)}`, async () => {
    assert.equal(await pay((await aLink()).token, changed), wrong)
  })

test('an amount that the customer enters is refused outside the limits of the link, and with hundredths', async () => {
  const { token } = await aLink({ amount: null, minimum: '500', maximum: '2000', paymentsMax: null })
  for (const amount of ['', '499', '2001', '-5', '700.50', '1e3', 'x']) assert.equal(await pay(token, { amount }), 'amount', amount)
  const started = await Promise.all(['500', '2,000'].map((amount, place) => pay(token, { amount, phoneNumber: `77209600${place}` })))
  const { rows } = await database.pool.query('select amount_minor as amount from transactions where pay_token = any ($1) order by 1', [
    started,
  ])
  assert.deepEqual(rows, [{ amount: 50_000n }, { amount: 200_000n }])
})

test('the database refuses a collect at another amount, of another operator, or beyond what the link accepts, whatever code inserts it', async () => {
  const { token } = await aLink()
  const link = (await findCustomerLink(database.pool, token)) ?? assert.fail('no link')
  for (const changed of [{ amountMinor: 100n }, { operators: ['SNFREE' as const] }]) {
    const started = startLinkPayment(deps, {
      link: { ...link, ...changed },
      form: form(changed.operators ? { operator: 'SNFREE' } : {}),
      locale: 'en',
    })
    await assert.rejects(started, { constraint: 'payment_link_terms' })
  }
  await assert.rejects(database.pool.query('update payment_links set amount_minor = 1 where link_id = $1', [link.linkId]), /never changed/)
})

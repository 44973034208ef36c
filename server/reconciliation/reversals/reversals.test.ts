import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { after, before, beforeEach, test } from 'node:test'
import type { ChangeKindName } from '#lib/approvals/proposed-change.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { Role } from '#lib/people/permissions.ts'
import { ok } from '#lib/result.ts'
import { type PersonCommandActor, SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { listAudit, verifyAuditChain } from '#server/audit/read-audit.ts'
import { confirmChange } from '#server/changes/decide-change.ts'
import { proposeChange } from '#server/changes/propose-change.ts'
import { systemClock } from '#server/clock.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { NUMBER_STEMS } from '#server/operators/testing/phone-numbers.ts'
import { verifyDatabase } from '#server/reports/verify/verify-books.ts'
import { makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'
import { carryOutReversals } from './carry-out-reversals.ts'
import { endReversal } from './end-reversal.ts'
import { claimReversal, findReversal, storeCall, storeFound } from './reversal-store.ts'

/** The calls that take a payment back. */
const TAKES_BACK = /\/refund$|\/reverse$/
type Fault = 'none' | 'lost before' | 'lost after'

let harness: OperatorHarness
let proxy: Server
/** Of the next calls that take back. */
let fault: Fault = 'none'
let calls = 0
let serge: PersonCommandActor
let awa: PersonCommandActor

before(async () => {
  harness = await OperatorHarness.open({
    usesOwnProtocols: true,
    hasNoCallbacks: true,
    proxy: { calls: startProxy, callbacks: async (url) => url },
  })
  await harness.database.pool.query('update applications set runs_installation = true where application_id = $1', [harness.applicationId])
  serge = await actorOf(['administrator'])
  awa = await actorOf(['administrator'])
  harness.startDispatcher()
})
beforeEach(() => {
  fault = 'none'
  calls = 0
})
after(async () => {
  await harness.close()
  proxy.closeAllConnections()
  proxy.close()
})

/** Passes every call on, and loses those that take back as `fault` says. */
async function startProxy(target: string): Promise<string> {
  proxy = createServer(async (request, response) => {
    const body = await buffer(request)
    const isTakingBack = request.method === 'POST' && TAKES_BACK.test(request.url ?? '')
    if (isTakingBack) calls++
    if (isTakingBack && fault === 'lost before') return request.socket.destroy()
    const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' && !['host', 'connection', 'content-length'].includes(name) ? [[name, value]] : [],
    )
    const { method = 'GET' } = request
    const answer = await fetch(target + request.url, { method, headers, ...(method !== 'GET' && { body }) })
    const text = await answer.text()
    if (isTakingBack && fault === 'lost after') return request.socket.destroy()
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' }).end(text)
  })
  proxy.listen(0, '127.0.0.1')
  await new Promise((resolve) => proxy.once('listening', resolve))
  // Not a pipe: it listens on a host.
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}

async function actorOf(roles: Role[]): Promise<PersonCommandActor> {
  const { applicationId, database } = harness
  return { kind: 'person', id: await makePerson(database.pool, applicationId, roles), applicationId, roles }
}

/** A payment that succeeded at its operator, and that has an exception. */
async function paid(operator: OperatorCode, type: TransactionType = 'COLLECT'): Promise<IntakeItem> {
  const item = await harness.make({ operator, type, amountMinor: 500_000n, phoneNumber: `${NUMBER_STEMS[operator]}341` })
  harness.dispatchers[0]?.wake()
  assert.equal((await harness.untilFinal(item)).status, 'SUCCESS')
  await openException(item)
  return item
}

async function openException({ applicationId, transactionId, operator, type }: IntakeItem): Promise<void> {
  await harness.database.pool.query(
    `insert into exceptions (application_id, subject, class, operator, type, matched_application_id, transaction_id, amount_minor)
       values ($1, $2, 'contradicted', $3, $4, $1, $5, 500000)`,
    [applicationId, `transaction ${applicationId} ${transactionId}`, operator, type, transactionId],
  )
}

const about = ({ applicationId, transactionId }: IntakeItem) => ({ ledger: applicationId, transactionId })
const propose = (kind: ChangeKindName, input: Record<string, unknown>, actor = serge) =>
  proposeChange(harness.database.pool, { applicationId: actor.applicationId, kind, input, actor })
const confirm = (changeId: string, actor = awa) =>
  confirmChange({ pool: harness.database.pool, clock: systemClock }, { applicationId: actor.applicationId, changeId, actor })
const refused = (reason: string) => ({ ok: false, error: { code: 'refused', reason } })

async function agree(kind: ChangeKindName, input: Record<string, unknown>): Promise<void> {
  must(await confirm(must(await propose(kind, input)).changeId))
}
const ask = (item: IntakeItem) => agree('reversal.ask', { ...about(item), reason: 'paid by mistake' })

/** The task, at a time when everything that waits is due. */
async function carryOut(): Promise<void> {
  await harness.database.pool.query(
    'update operator_reversals set next_at = clock_timestamp(), claimed_until = null where next_at is not null',
  )
  await carryOutReversals({ pool: harness.database.pool, connectors: harness.connectors })
}

async function stateOf({ applicationId, transactionId }: IntakeItem): Promise<string> {
  const found = await findReversal(harness.database.pool, applicationId, transactionId)
  return found ? `${found.state}${found.waitsForPeople ? ', waits for people' : ''}${found.refusal ? `, ${found.refusal}` : ''}` : 'none'
}

/** How much of a payment the operator's own books have as returned. */
async function returned({ transactionId, phoneNumber, operator }: IntakeItem): Promise<number> {
  const entry = [...(await harness.books()).values()].find(
    (each) =>
      each.operator === operator &&
      each.phoneNumber.endsWith(phoneNumber.slice(-9)) &&
      JSON.stringify(each).includes(transactionId.slice(24)),
  )
  return (entry?.refunds ?? []).reduce((sum, { amount }) => sum + Number(amount), 0)
}

async function kindsOf({ transactionId }: IntakeItem): Promise<string[]> {
  const { rows } = await harness.database.pool.query<{ kind: string }>(
    `select kind from ledger_postings where subject_id = $1 and kind in ('reverse', 'late') order by at`,
    [transactionId],
  )
  return rows.map(({ kind }) => kind)
}

async function exceptionOf({ applicationId, transactionId }: IntakeItem): Promise<string | null | undefined> {
  const { rows } = await harness.database.pool.query<{ outcome: string | null }>('select outcome from exceptions where subject = $1', [
    `transaction ${applicationId} ${transactionId}`,
  ])
  return rows[0]?.outcome
}

for (const [operator, type] of [
  ['MOMOCM', 'COLLECT'],
  ['UGAIRTEL', 'COLLECT'],
  ['SNWAVE', 'COLLECT'],
  ['SNWAVE', 'DEPOSIT'],
] as const) {
  test(`done at ${operator}: a ${type} is returned once, reversed in the books once, and its status stays`, async () => {
    const item = await paid(operator, type)
    await ask(item)
    assert.deepEqual([await stateOf(item), await returned(item), await kindsOf(item)], ['asked', 0, []])
    for (const _ of ['sent', 'its end is found', 'again']) await carryOut()
    assert.deepEqual([await stateOf(item), await returned(item), await kindsOf(item)], ['done', 5_000, ['reverse']])
    assert.deepEqual([(await harness.read(item)).status, await exceptionOf(item), calls], ['SUCCESS', 'adjusted', 1])
    assert.deepEqual(await propose('reversal.ask', { ...about(item), reason: 'x' }), refused('already_adjusted'))
    assert.deepEqual(await verifyDatabase(harness.database.pool), [])
  })
}

for (const [operator, type] of [
  ['MOMOCM', 'COLLECT'],
  ['SNWAVE', 'COLLECT'],
  ['SNWAVE', 'DEPOSIT'],
] as const)
  for (const lost of ['lost before', 'lost after'] as const) {
    test(`asked again at ${operator}, and done once: a ${type} whose answer was ${lost} it was carried out`, async () => {
      const item = await paid(operator, type)
      await ask(item)
      fault = lost
      await carryOut()
      assert.deepEqual([await stateOf(item), await kindsOf(item)], ['asked', []])
      fault = 'none'
      for (const _ of ['repeated', 'its end is found']) await carryOut()
      assert.deepEqual([await stateOf(item), await returned(item), await kindsOf(item)], ['done', 5_000, ['reverse']])
    })
  }

test('never sent again at Airtel, which takes no reference: two people say what the statement shows, and may then ask once more', async () => {
  const item = await paid('UGAIRTEL')
  await ask(item)
  fault = 'lost before'
  await carryOut()
  fault = 'none'
  await carryOut()
  assert.deepEqual([await stateOf(item), calls], ['asked, waits for people', 1])
  assert.deepEqual(await propose('reversal.ask', { ...about(item), reason: 'x' }), refused('reversal_asked'))
  await agree('reversal.end', { ...about(item), isDone: false, evidence: 'not in the statement' })
  assert.deepEqual([await stateOf(item), await kindsOf(item)], ['refused, people', []])
  await ask(item)
  await carryOut()
  assert.deepEqual([await stateOf(item), await returned(item), await kindsOf(item)], ['done', 5_000, ['reverse']])
})

test('done by the word of two people: a reversal at Airtel that was carried out, and whose answer was lost', async () => {
  const item = await paid('UGAIRTEL')
  await ask(item)
  fault = 'lost after'
  await carryOut()
  assert.deepEqual([await stateOf(item), await kindsOf(item)], ['asked, waits for people', []])
  await agree('reversal.end', { ...about(item), isDone: true, evidence: 'line 12' })
  assert.deepEqual([await stateOf(item), await returned(item), await kindsOf(item)], ['done', 5_000, ['reverse']])
  assert.deepEqual(await propose('reversal.end', { ...about(item), isDone: true, evidence: 'x' }), refused('no_lost_answer'))
})

for (const operator of ['MOMOCM', 'SNWAVE'] as const)
  test(`done once at ${operator}: a process that ended between its call and the answer`, async () => {
    const item = await paid(operator)
    await ask(item)
    const { pool } = harness.database
    const claimed = await claimReversal(pool, 60_000)
    assert.ok(claimed)
    // It commits this before it writes the call; then it is gone, and the call was carried out or not.
    await pool.query(
      'update operator_reversals set is_found = true, operator_reference = t.operator_reference, operator_reference_other = t.operator_reference_other from transactions t where t.transaction_id = operator_reversals.transaction_id and t.transaction_id = $1',
      [item.transactionId],
    )
    assert.ok(await storeCall(pool, claimed))
    await carryOut()
    // The claim that was overtaken stores nothing and calls nobody.
    assert.equal(await storeCall(pool, claimed), false)
    await carryOut()
    assert.deepEqual([await stateOf(item), await returned(item), await kindsOf(item)], ['done', 5_000, ['reverse']])
  })

test('left to people at Airtel, and not sent again: a reversal whose process ended between its call and the answer', async () => {
  const item = await paid('UGAIRTEL')
  await ask(item)
  const { pool } = harness.database
  const claimed = (await claimReversal(pool, 60_000)) ?? assert.fail()
  const { operatorReference } = await harness.read(item)
  assert.ok(await storeFound(pool, claimed, { operatorReference, operatorReferenceOther: null }))
  assert.ok(await storeCall(pool, claimed))
  await carryOut()
  assert.deepEqual([await stateOf(item), calls, await returned(item)], ['asked, waits for people', 0, 0])
})

test('done at Airtel after a call that was not sent, which counts as none', async () => {
  const item = await paid('UGAIRTEL')
  await ask(item)
  const airtel = harness.connectors.get('UGAIRTEL') ?? assert.fail()
  const exchange = { httpStatus: null, answer: 'x' }
  const reverse = async () => ({ kind: 'not_sent' as const, detail: 'x', exchange })
  const reversals = { ...(airtel.reversals ?? assert.fail()), reverse }
  const get = () => ({ ...airtel, reversals })
  await carryOutReversals({ pool: harness.database.pool, connectors: { ...harness.connectors, get } })
  assert.deepEqual([await stateOf(item), calls], ['asked', 0])
  await carryOut()
  assert.deepEqual([await stateOf(item), await returned(item), await kindsOf(item)], ['done', 5_000, ['reverse']])
})

test('asked still: a reversal whose call is made by another process, after the refusal of one that was overtaken', async () => {
  const item = await paid('SNWAVE')
  await ask(item)
  const { pool } = harness.database
  const overtaken = (await claimReversal(pool, 0)) ?? assert.fail()
  assert.ok(await storeFound(pool, overtaken, { operatorReference: 'x', operatorReferenceOther: null }))
  assert.equal(await storeCall(pool, overtaken), false, 'its lease is over')
  const present = (await claimReversal(pool, 60_000)) ?? assert.fail()
  const stored = (await findReversal(pool, item.applicationId, item.transactionId)) ?? assert.fail()
  const end = (claim = overtaken) =>
    withTransaction(pool, async (trx) =>
      ok(await endReversal(trx, stored, { refusal: 'operator', reason: 'x', answered: null, tries: claim.tries, actor: SYSTEM_ACTOR })),
    )
  assert.deepEqual([overtaken.tries, present.tries], [1, 2])
  assert.deepEqual([must(await end()), await stateOf(item), await exceptionOf(item)], [false, 'asked', null])
  assert.deepEqual([must(await end(present)), await stateOf(item), await kindsOf(item)], [true, 'refused, operator', []])
})

test('refused with the operator\u2019s reason, and open for another proposal: money that has gone back already, and a payment that it does not have', async () => {
  const item = await paid('UGAIRTEL')
  await ask(item)
  const moneyId = (await harness.read(item)).operatorReference
  await harness.connectors.get('UGAIRTEL')?.reversals?.reverse({
    ...{
      reference: item.transactionId,
      applicationId: item.applicationId,
      operator: 'UGAIRTEL',
      type: 'COLLECT',
      amountMinor: item.amountMinor,
    },
    ...{ currency: 'UGX', phoneNumber: item.phoneNumber, operatorReference: moneyId ?? '', reversalReference: 'x', isRepeated: false },
  })
  await carryOut()
  const found = await findReversal(harness.database.pool, item.applicationId, item.transactionId)
  assert.deepEqual([found?.state, found?.refusal, found?.reason], ['refused', 'operator', 'Failed (ESB000011)'])
  assert.deepEqual([await kindsOf(item), await exceptionOf(item)], [[], null])
  assert.ok((await propose('reversal.ask', { ...about(item), reason: 'x' })).ok)

  const failed = await harness.make({ operator: 'MOMOCM', type: 'COLLECT', phoneNumber: `${NUMBER_STEMS.MOMOCM}903` })
  await harness.untilFinal(failed)
  await openException(failed)
  await ask(failed)
  calls = 0
  await carryOut()
  assert.deepEqual([await stateOf(failed), calls], ['refused, not_paid', 0])
})

test('done without a posting: a collect that FAILED here and was paid at the operator; nobody books it late afterwards', async () => {
  const item = await harness.make({ operator: 'MOMOCM', type: 'COLLECT', amountMinor: 500_000n, phoneNumber: `${NUMBER_STEMS.MOMOCM}915` })
  assert.equal((await harness.untilFinal(item)).status, 'FAILED')
  const { applicationId, transactionId: reference, phoneNumber } = item
  const enquiry = {
    reference,
    applicationId,
    operator: 'MOMOCM',
    type: 'COLLECT',
    amountMinor: 500_000n,
    currency: 'XAF',
    phoneNumber,
  } as const
  const isPaid = async () => (await harness.connectors.get('MOMOCM')?.query(enquiry))?.kind === 'succeeded'
  await waitUntil('the operator takes its failure back', isPaid)
  await openException(item)
  await ask(item)
  for (const _ of ['sent', 'its end is found']) await carryOut()
  assert.deepEqual([await stateOf(item), await returned(item), await kindsOf(item)], ['done', 5_000, []])
  assert.deepEqual([(await harness.read(item)).status, await exceptionOf(item)], ['FAILED', 'adjusted'])
  const late = { ...about(item), evidence: 'x', note: '', waivesFees: false }
  assert.deepEqual(await propose('adjustment.late', late, await actorOf(['finance'])), refused('reversal_asked'))
})

test('has_refunds for a collect that is being refunded, also if the refund began after the proposal', async () => {
  const item = await paid('MOMOCM')
  const { changeId } = must(await propose('reversal.ask', { ...about(item), reason: 'x' }))
  // While the proposal waits, no refund begins: this one is from before it.
  await harness.database.pool.query('update proposed_changes set expires_at = now() where change_id = $1', [changeId])
  const { operator, phoneNumber, transactionId: collectId } = item
  await harness.make({ operator, phoneNumber, amountMinor: 100_000n, refund: { collectId, refundedMinor: 100_000n } })
  await harness.database.pool.query("update proposed_changes set expires_at = now() + interval '1 day' where change_id = $1", [changeId])
  assert.deepEqual(await confirm(changeId), refused('has_refunds'))
  assert.deepEqual([await stateOf(item), calls], ['none', 0])
})

test('refused: without an exception, by one person alone, by other roles, for a payment that nobody takes back; and refund and adjustment while it is asked for', async () => {
  const { pool } = harness.database
  const item = await paid('MOMOCM')
  const input = { ...about(item), reason: 'x' }
  assert.deepEqual(await propose('reversal.ask', input, await actorOf(['finance'])), { ok: false, error: 'not_permitted' })
  const { changeId } = must(await propose('reversal.ask', input))
  assert.deepEqual(await confirm(changeId, serge), { ok: false, error: 'own_proposal' })
  assert.deepEqual(await confirm(changeId, await actorOf(['finance'])), { ok: false, error: 'not_permitted' })
  must(await confirm(changeId))
  assert.deepEqual(await propose('reversal.ask', input), refused('reversal_asked'))
  const adjust = { ...about(item), evidence: 'x', note: '' }
  assert.deepEqual(await propose('adjustment.reverse', adjust, await actorOf(['finance'])), refused('reversal_asked'))
  const { rows } = await pool.query('select refund_obstacle($1, $2) as obstacle', [item.applicationId, item.transactionId])
  assert.equal(rows[0]?.obstacle, 'adjusted')

  const other = await paid('MOMOCM')
  await pool.query('update exceptions set outcome = $1, closed_at = now() where transaction_id = $2', ['agreed', other.transactionId])
  assert.deepEqual(await propose('reversal.ask', { ...about(other), reason: 'x' }), refused('no_exception'))
  const payout = await paid('MOMOCM', 'DEPOSIT')
  assert.deepEqual(await propose('reversal.ask', { ...about(payout), reason: 'x' }), refused('not_reversible'))
  assert.deepEqual(await propose('reversal.ask', { ledger: item.applicationId, transactionId: 'x', reason: '' }), {
    ok: false,
    error: 'invalid',
  })

  const actions = (await listAudit(pool, harness.applicationId, { size: 50 })).map(({ action }) => action)
  assert.ok(actions.includes('reversal.asked') && actions.includes('reversal.ended'))
  assert.equal((await verifyAuditChain(pool, harness.applicationId)).ok, true)
  assert.deepEqual(await verifyDatabase(pool), [])
})

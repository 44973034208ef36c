import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { waitUntil } from '#server/testing/wait-until.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'
import type { Connector, QueryOutcome, SubmitOutcome } from '../connector.ts'
import { connectorsWith, OperatorHarness } from '../testing/operator-harness.ts'
import { claimWork, storeCallbacks, takeAttemptNumber } from './operator-work-store.ts'
import { synchroniseTransaction } from './synchronise-transaction.ts'

const ENQUIRY_DELAY_MS = 700
const exchange = { httpStatus: 200, answer: '{}' }
const LOST: SubmitOutcome = { kind: 'unknown', detail: 'lost', exchange }
const SUCCEEDED: QueryOutcome = { kind: 'succeeded', exchange }

let harness: OperatorHarness
before(async () => {
  harness = await OperatorHarness.open()
})
after(() => harness.close())

/** When each call to an operator that requires a pause before the first query was claimed: the pause begins there, not at the call. */
function slowOperator(answers: { submit: SubmitOutcome; query(): QueryOutcome }, enquiryDelayMs = ENQUIRY_DELAY_MS) {
  const submittedAtMs: number[] = []
  const queriedAtMs: number[] = []
  const terms = harness.connectors.get('OMCM')?.terms ?? assert.fail()
  const overrides: Partial<Connector> = {
    terms: { ...terms, enquiryDelayMs },
    submit: async ({ reference }) => {
      submittedAtMs.push(await claimedAtMs(reference))
      return answers.submit
    },
    query: async ({ reference }) => {
      queriedAtMs.push(await claimedAtMs(reference))
      return answers.query()
    },
  }
  return { connectors: connectorsWith(harness, overrides), submittedAtMs, queriedAtMs }
}

/** When the work of a transaction was claimed last, by the clock of the database, which measures the pauses. */
async function claimedAtMs(transactionId: string): Promise<number> {
  const { rows } = await harness.database.pool.query<{ claimed_at: Date }>(
    'select claimed_at from operator_work where transaction_id = $1',
    [transactionId],
  )
  return rows[0]?.claimed_at.getTime() ?? assert.fail('no work')
}

function callback(item: IntakeItem, isVerified: boolean) {
  const { applicationId: application_id, transactionId: transaction_id } = item
  const row = {
    item_index: 0,
    application_id,
    transaction_id,
    operator: 'OMCM' as const,
    outcome: 'failed',
    answer: '',
    is_verified: isVerified,
  }
  return storeCallbacks(harness.database.pool, [row], 5)
}

test('no query and no second submission before the pause that the operator requires is over', async () => {
  const operator = slowOperator({
    submit: LOST,
    query: () => (operator.submittedAtMs.length > 1 ? SUCCEEDED : { kind: 'not_found', exchange }),
  })
  const dispatcher = harness.startDispatcher({ connectors: operator.connectors })
  const item = await harness.make({ operator: 'OMCM' })
  await harness.untilFinal(item)
  await dispatcher.drain()
  const [first = 0, second = 0] = operator.submittedAtMs
  const [query = 0] = operator.queriedAtMs
  assert.ok(query - first >= ENQUIRY_DELAY_MS, `queried after ${query - first} ms`)
  assert.ok(second - first >= ENQUIRY_DELAY_MS, `sent again after ${second - first} ms`)
  const [again = 0] = operator.queriedAtMs.filter((atMs) => atMs > second)
  assert.ok(again - second >= ENQUIRY_DELAY_MS, 'the second submission has the same pause')
})

test('the pause remains after an unverified callback and for a forced enquiry; a verified callback ends it', async () => {
  const operator = slowOperator({ submit: { kind: 'accepted', exchange }, query: () => SUCCEEDED })
  const dispatcher = harness.startDispatcher({ connectors: operator.connectors })
  const hinted = await harness.make({ operator: 'OMCM' })
  await waitUntil('it is submitted', async () => (await harness.workOf(hinted))?.['state'] === 'submitted')
  assert.deepEqual(await callback(hinted, false), ['taken'])
  dispatcher.wake()
  assert.equal((await takeAttemptNumber(harness.database.pool, hinted.applicationId, hinted.transactionId))?.isEarly, true)
  await harness.untilFinal(hinted)
  await dispatcher.drain()
  const pauseMs = (operator.queriedAtMs[0] ?? 0) - (operator.submittedAtMs[0] ?? 0)
  assert.ok(pauseMs >= ENQUIRY_DELAY_MS, 'an unverified callback shortened the pause')

  // Only the callback can lead to a query of this one.
  const slower = slowOperator({ submit: { kind: 'accepted', exchange }, query: () => SUCCEEDED }, 3_600_000)
  const other = harness.startDispatcher({ connectors: slower.connectors })
  const verified = await harness.make({ operator: 'OMCM' })
  await waitUntil('it is submitted', async () => (await harness.workOf(verified))?.['state'] === 'submitted')
  assert.deepEqual(await callback(verified, true), ['taken'])
  other.wake()
  await harness.untilFinal(verified)
  await other.drain()
})

test('the pause remains for a submission whose process ended before it had an answer', async () => {
  const operator = slowOperator({ submit: LOST, query: () => SUCCEEDED })
  const item = await harness.make({ operator: 'OMCM' })
  const slots = { operator: 'OMCM', lane: 'DEPOSIT', route: null, slotsMax: 1, leaseMs: 1, enquiryDelayMs: ENQUIRY_DELAY_MS } as const
  const [claimed] = await claimWork(harness.database.pool, [slots], 1)
  const firstAtMs = await claimedAtMs(item.transactionId)
  assert.equal(claimed?.transactionId, item.transactionId)
  const dispatcher = harness.startDispatcher({ connectors: operator.connectors })
  await harness.untilFinal(item)
  await dispatcher.drain()
  const pauseMs = (operator.queriedAtMs[0] ?? 0) - firstAtMs
  assert.ok(pauseMs >= ENQUIRY_DELAY_MS, `queried ${pauseMs} ms after the claim`)
})

test('a denial before the end of the pause is not a reason to send again', async () => {
  const operator = slowOperator({ submit: LOST, query: () => ({ kind: 'not_found', exchange }) })
  const dispatcher = harness.startDispatcher({ connectors: operator.connectors, absenceMs: 0 })
  const item = await harness.make({ operator: 'OMCM' })
  await waitUntil('it is unconfirmed', async () => (await harness.workOf(item))?.['state'] === 'unconfirmed')
  // The clock of the database ran ahead for a while: queries are due although the pause is not over.
  for (let denials = 1; denials <= 3; denials++) {
    await harness.database.pool.query(
      "update operator_work set next_at = now(), enquire_at = now() + interval '1 hour' where transaction_id = $1",
      [item.transactionId],
    )
    dispatcher.wake()
    await waitUntil('it is queried', () => operator.queriedAtMs.length >= denials)
    await waitUntil('it is stored', async () => (await harness.workOf(item))?.['is_claimed'] === false)
  }
  await dispatcher.drain()
  const work = await harness.workOf(item)
  assert.deepEqual([work?.['state'], work?.['absent_since'], operator.submittedAtMs.length], ['unconfirmed', null, 1])
})

test('what is stored, and no query, for a forced enquiry before the end of the pause', async () => {
  const operator = slowOperator({ submit: { kind: 'accepted', exchange }, query: () => SUCCEEDED })
  const slots = { operator: 'OMCM', lane: 'DEPOSIT', route: null, slotsMax: 1, leaseMs: 1, enquiryDelayMs: 600_000 } as const
  const item = await harness.make({ operator: 'OMCM' })
  const [claimed] = await claimWork(harness.database.pool, [slots], 1)
  assert.equal(claimed?.transactionId, item.transactionId)
  const { applicationId, transactionId } = item
  const request = { applicationId, transactionId, actor: { kind: 'system', id: null } } as const
  const result = await synchroniseTransaction({ ...harness.forcedEnquiries, connectors: operator.connectors }, request)
  assert.deepEqual([result.ok && result.value.status, operator.queriedAtMs.length], ['PENDING', 0])
})

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { OPERATOR_CODES, type OperatorCode } from '#lib/operators/operators.ts'
import { TRANSACTION_TYPES, type TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { TABLE_ROWS } from '#server/operators/testing/table-rows.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'
import { NUMBER_STEMS } from './testing/phone-numbers.ts'

/** The particulars of a code, in the protocol by which the sandbox reaches it. */
type Particulars = {
  /** A phone number without its last three digits. */
  /** The format of the operator's own reference. */
  reference: Record<TransactionType, RegExp>
  /** The code of a customer's refusal, as it is stored in the timeline; null where the protocol has none. */
  cancelledCode: Record<TransactionType, string | null>
  customerLink?: RegExp
  /** The attempts of a collect that is left open; without it, queries that are answered with pending. */
  openCollect?: string
}

const both = <Value>(value: Value): Record<TransactionType, Value> => ({ COLLECT: value, DEPOSIT: value })
const MTN = { reference: both(/^\d{12}$/), cancelledCode: { COLLECT: 'APPROVAL_REJECTED', DEPOSIT: 'TRANSACTION_CANCELED' } }
const MOOV = { reference: both(/^\d{15}$/), cancelledCode: both('91') }
const WAVE = {
  reference: { COLLECT: /^T[0-9A-F]{10}$/, DEPOSIT: /^pt-[0-9a-f]{16}$/ },
  cancelledCode: both('cancelled'),
  customerLink: /^http:\/\/127\.0\.0\.1:\d+\/wave\/c\/cos-[0-9a-f]{16}$/,
}
const SIM = /^SIM[0-9A-F]{17}$/
const GATEWAY = { reference: both(SIM), cancelledCode: both(null) }

const PARTICULARS: Record<OperatorCode, Particulars> = {
  OMCM: {
    reference: { COLLECT: /^MP\d{6}\.\d{4}\.B\d{5}$/, DEPOSIT: /^CI\d{6}\.\d{4}\.B\d{5}$/ },
    cancelledCode: both('CANCELLED'),
  },
  MOMOCM: { ...MTN },
  CIWAVE: { ...WAVE },
  // Deposits go through the gateway protocol.
  CIOM: {
    reference: { COLLECT: /^MP260301\./, DEPOSIT: SIM },
    cancelledCode: { COLLECT: '990903', DEPOSIT: null },
  },
  SNWAVE: { ...WAVE },
  SNOM: {
    reference: { COLLECT: /^MP260301\.\d{4}\.[0-9A-F]{2}\d{10}$/, DEPOSIT: /^CI260301\.\d{4}\.[0-9A-F]{2}\d{10}$/ },
    cancelledCode: both('CANCELLED'),
  },
  SNFREE: { ...GATEWAY },
  // Deposits go through the gateway protocol. Orange answers no queries: a collect without a reply stays unknown.
  BFOM: {
    reference: { COLLECT: /^OM/, DEPOSIT: SIM },
    cancelledCode: { COLLECT: '990903', DEPOSIT: null },
    openCollect: 'query unknown',
  },
  MLMOOV: { ...MOOV },
  BJMTN: { ...MTN },
  BJMOOV: { ...MOOV },
  UGMTN: { ...MTN },
  UGAIRTEL: {
    reference: { COLLECT: /^\d{12}$/, DEPOSIT: /^CI\d{6}\.\d{4}\.H\d{5}$/ },
    cancelledCode: both('DP00800001008'),
  },
}

type Made = { operator: OperatorCode; type: TransactionType; digits: string; item: IntakeItem }

type Stage = { harness: OperatorHarness; made: readonly Made[] }

async function openStage(sendsCallbacks: boolean): Promise<Stage> {
  // For a busy machine: few calls at once and long deadlines, so that no answer is late and nothing is sent again without reason.
  const dispatcher = { absenceMs: 1_500, leaseMs: 30_000, submissionsMax: 6, queriesMax: 12 }
  const harness = await OperatorHarness.open({
    usesOwnProtocols: true,
    hasNoCallbacks: !sendsCallbacks,
    callTimeoutMs: 10_000,
    dispatcher,
  })
  const orders = OPERATOR_CODES.flatMap((operator) =>
    TRANSACTION_TYPES.flatMap((type) => [...TABLE_ROWS.map(([digits]) => digits), '912'].map((digits) => ({ operator, type, digits }))),
  )
  const made = orders.map(async ({ operator, type, digits }) => {
    const phoneNumber = NUMBER_STEMS[operator] + digits
    return { operator, type, digits, item: await harness.make({ operator, type, phoneNumber, transactionId: randomUUID() }) }
  })
  const stage = { harness, made: await Promise.all(made) }
  harness.startDispatcher()
  await waitUntil('all but those of 912 are final', () => areFinal(harness), { limitMs: 360_000, pauseMs: 50 })
  return stage
}

async function areFinal({ database }: OperatorHarness): Promise<boolean> {
  const { rows } = await database.pool.query("select 1 from transactions where status = 'PENDING' and phone_number not like '%912' limit 1")
  return rows.length === 0
}

for (const sendsCallbacks of [true, false]) {
  describe(sendsCallbacks ? 'with callbacks' : 'without callbacks', () => {
    let stage: Stage
    before(async () => {
      stage = await openStage(sendsCallbacks)
    })
    after(() => stage.harness.close())

    for (const operator of OPERATOR_CODES) {
      test(`every row of the table at ${operator}, in both directions: result, message, reference and code`, async () => {
        const { harness, made } = stage
        for (const { type, digits, item } of made.filter((one) => one.operator === operator && one.digits !== '912')) {
          const transaction = await harness.read(item)
          const row = TABLE_ROWS.find(([ending]) => ending === digits)
          assert.deepEqual([type, digits, transaction.status, transaction.message], [type, ...(row ?? [])])
          const { reference, cancelledCode } = PARTICULARS[operator]
          if (transaction.status === 'SUCCESS') assert.match(transaction.operatorReference ?? '', reference[type])
          if (digits === '903') assert.equal(await codeOf(harness, item), cancelledCode[type])
        }
      })
    }

    test('PENDING for 912 in both directions at every code, with the link of the customer where there is one', async () => {
      const { harness, made } = stage
      for (const { operator, type, item } of made.filter(({ digits }) => digits === '912')) {
        const { customerLink, openCollect = 'query pending' } = PARTICULARS[operator]
        const wanted = type === 'COLLECT' ? openCollect : 'query pending'
        const isQueried = async () => (await harness.attemptsOf(item)).filter((attempt) => attempt === wanted).length >= 3
        await waitUntil('three queries', isQueried)
        assert.equal((await harness.read(item)).status, 'PENDING')
        if (customerLink && type === 'COLLECT') assert.match(String((await harness.workOf(item))?.['customer_link']), customerLink)
      }
    })

    test('equal books on both sides, and every callback was understood', async () => {
      const { harness } = stage
      await harness.compareBooks()
      assert.equal(harness.callbackOutcomes.includes('taken'), sendsCallbacks)
      assert.equal(harness.callbackOutcomes.includes('unverified') || harness.callbackOutcomes.includes('malformed'), false)
    })
  })
}

/** The operator's own code in the timeline of a failed transaction. */
async function codeOf(harness: OperatorHarness, item: { applicationId: string; transactionId: string }): Promise<unknown> {
  const { rows } = await harness.database.pool.query(
    "select reason from transaction_events where application_id = $1 and transaction_id = $2 and event = 'failed'",
    [item.applicationId, item.transactionId],
  )
  return rows[0]?.reason
}

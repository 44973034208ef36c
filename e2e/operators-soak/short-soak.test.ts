import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { phoneNumberOf } from '#e2e/crash/phone-numbers.ts'
import { OPERATOR_CODES } from '#lib/operators/operators.ts'
import { TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import { createRandom } from '#lib/seeded-random.ts'
import { OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { TABLE_ROWS } from '#server/operators/testing/table-rows.ts'
import { verifyDatabase } from '#server/reports/verify/verify-books.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'
import { disturbCalls } from './call-faults.ts'
import { disturbCallbacks } from './callback-faults.ts'
import { FaultCounts } from './fault-counts.ts'
import { type Disturb, FaultProxy } from './fault-proxy.ts'
import { Repetitions } from './repetitions.ts'

/** Some of the rows: the matrix (server/operators/simulator-matrix.test.ts) has all of them. */
const ROWS = TABLE_ROWS.filter(([digits]) => ['341', '901', '907', '909', '913'].includes(digits))
const SHARE = 0.3
const KINDS_OF_FAULTS = 20

const isFinal = ({ finalAt }: { finalAt: Date | null }) => finalAt !== null
const proxies: FaultProxy[] = []
after(() => Promise.all(proxies.map((proxy) => proxy.close())))

async function between(url: string, disturb: Disturb): Promise<string> {
  const proxy = await FaultProxy.start({ target: () => url, disturb })
  proxies.push(proxy)
  return proxy.url
}

test('every code ends its transfers as the table says although a third of the calls and callbacks goes wrong, until most kinds of faults have happened', async () => {
  const counts = new FaultCounts()
  const repetitions = new Repetitions()
  const faults = { share: SHARE, counts, lateMsMax: 1_200 }
  const harness = await OperatorHarness.open({
    usesOwnProtocols: true,
    callTimeoutMs: 1_000,
    // Few at a time: where a machine is slow, many calls at once would all outlast their deadline, again and again.
    dispatcher: { absenceMs: 3_000, leaseMs: 15_000, submissionsMax: 2, queriesMax: 4 },
    proxy: {
      calls: (url) => between(url, disturbCalls({ ...faults, repetitions, random: createRandom(1) })),
      callbacks: (url) => between(url, disturbCallbacks({ ...faults, random: createRandom(2) })),
    },
  })
  const random = createRandom(3)
  const orders = OPERATOR_CODES.flatMap((operator) =>
    TRANSACTION_TYPES.flatMap((type) => ROWS.map(([digits]) => ({ operator, type, phoneNumber: phoneNumberOf(operator, random, digits) }))),
  )
  const items = await Promise.all(orders.map((order) => harness.make(order)))
  harness.startDispatcher()
  const isEnough = async () =>
    counts.faults.size >= KINDS_OF_FAULTS || (await Promise.all(items.map((item) => harness.read(item)))).every(isFinal)
  await waitUntil('most kinds of faults happen, or all is over', isEnough, { pauseMs: 100, limitMs: 60_000 })
  counts.isOver = true
  /** A collect at Burkina Faso's Orange whose reply came too late, as on a busy machine: it stays unknown until people have asked. */
  const staysUnknown = async (item: IntakeItem) => {
    const isUnanswerable = item.operator === 'BFOM' && item.type === 'COLLECT'
    return isUnanswerable && (await harness.workOf(item))?.['state'] === 'unconfirmed'
  }
  for (const item of items) {
    const end = await waitUntil(`transaction ${item.transactionId} (${item.phoneNumber}) ends`, async () => {
      if (isFinal(await harness.read(item))) return 'final'
      return (await staysUnknown(item)) ? 'unknown' : undefined
    })
    if (end === 'unknown') continue
    const { status, message, version, operatorReference } = await harness.read(item)
    const row = ROWS.find(([digits]) => item.phoneNumber.endsWith(digits))
    assert.deepEqual([item.operator, item.phoneNumber, status, message], [item.operator, item.phoneNumber, ...(row?.slice(1) ?? [])])
    assert.equal(version, 2, 'it was ended once')
    if (status === 'SUCCESS') assert.ok(operatorReference)
  }
  await harness.compareBooks((entry) => repetitions.causedFor(entry))
  assert.deepEqual(await verifyDatabase(harness.database.pool), [])
  await harness.close()
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { phoneNumberOf } from '#e2e/crash/phone-numbers.ts'
import { OPERATOR_CODES } from '#lib/operators.ts'
import { createRandom } from '#lib/seeded-random.ts'
import { TRANSACTION_TYPES } from '#lib/transaction-status.ts'
import { OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { TABLE_ROWS } from '#server/operators/testing/table-rows.ts'
import { verifyDatabase } from '#server/reports/verify/verify-database.ts'
import { disturbCalls } from './call-faults.ts'
import { disturbCallbacks } from './callback-faults.ts'
import { FaultCounts } from './fault-counts.ts'
import { FaultProxy } from './fault-proxy.ts'

/** The rows that do most on the way to their result; the matrix (server/operators/simulator-matrix.test.ts) has all of them. */
const ROWS = TABLE_ROWS.filter(([digits]) => ['341', '901', '903', '905', '907', '908', '910', '913'].includes(digits))
const SHARE = 0.2
const KINDS_OF_FAULTS = 19

const proxies: FaultProxy[] = []
after(() => Promise.all(proxies.map((proxy) => proxy.close())))

test('every code ends its transfers as the table says although a fifth of the calls and callbacks goes wrong', async () => {
  const counts = new FaultCounts()
  const faults = { share: SHARE, counts, lateMsMax: 800 }
  const between = async (url: string, disturb: ReturnType<typeof disturbCalls>) => {
    const proxy = await FaultProxy.start({ target: () => url, disturb })
    proxies.push(proxy)
    return proxy.url
  }
  const harness = await OperatorHarness.open({
    usesOwnProtocols: true,
    callTimeoutMs: 700,
    dispatcher: { absenceMs: 700, leaseMs: 15_000 },
    proxy: {
      calls: (url) => between(url, disturbCalls({ ...faults, random: createRandom(1) })),
      callbacks: (url) => between(url, disturbCallbacks({ ...faults, random: createRandom(2) })),
    },
  })
  const random = createRandom(3)
  const orders = OPERATOR_CODES.flatMap((operator) =>
    TRANSACTION_TYPES.flatMap((type) => ROWS.map(([digits]) => ({ operator, type, phoneNumber: phoneNumberOf(operator, random, digits) }))),
  )
  const items = await Promise.all(orders.map((order) => harness.make(order)))
  harness.startDispatcher()
  for (const item of items) {
    const { status, message, version, operatorReference } = await harness.untilFinal(item)
    const row = ROWS.find(([digits]) => item.phoneNumber.endsWith(digits))
    assert.deepEqual([item.operator, item.phoneNumber, status, message], [item.operator, item.phoneNumber, ...(row?.slice(1) ?? [])])
    assert.equal(version, 2, 'it was ended once')
    if (status === 'SUCCESS') assert.ok(operatorReference)
  }
  await harness.compareBooks()
  assert.deepEqual(await verifyDatabase(harness.database.pool), [])
  assert.equal(counts.faults.size, KINDS_OF_FAULTS, [...counts.faults.keys()].join('\n'))
  await harness.close()
})

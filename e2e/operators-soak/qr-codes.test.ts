import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { phoneNumberOf } from '#e2e/crash/phone-numbers.ts'
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
import { endQrCodes } from './qr-codes.ts'
import { Repetitions } from './repetitions.ts'

const SHARE = 0.3
const OF_EACH_ROW = 3
const VALIDITY_S = 3_600

const proxies: FaultProxy[] = []
const harnesses: OperatorHarness[] = []
afterEach(async () => {
  for (const harness of harnesses.splice(0)) await harness.close()
  for (const proxy of proxies.splice(0)) await proxy.close()
})

async function between(url: string, disturb: Disturb): Promise<string> {
  const proxy = await FaultProxy.start({ target: () => url, disturb })
  proxies.push(proxy)
  return proxy.url
}

/** Orange in Senegal by QR code, with faults in calls and callbacks. */
async function openWithFaults(counts: FaultCounts, repetitions: Repetitions): Promise<OperatorHarness> {
  const faults = { share: SHARE, counts, lateMsMax: 1_200 }
  const harness = await OperatorHarness.open({
    usesOwnProtocols: true,
    documents: { SNOM: { collectBy: 'qr', qrValidityS: VALIDITY_S } },
    callTimeoutMs: 1_000,
    dispatcher: { absenceMs: 3_000, leaseMs: 15_000, submissionsMax: 12, queriesMax: 12 },
    proxy: {
      calls: (url) => between(url, disturbCalls({ ...faults, repetitions, random: createRandom(11) })),
      callbacks: (url) => between(url, disturbCallbacks({ ...faults, random: createRandom(12) })),
    },
  })
  harnesses.push(harness)
  return harness
}

test('paid once by QR code, and FAILED only after the code and a day have ended, with a third of the calls and signed callbacks disturbed', async () => {
  const counts = new FaultCounts()
  const repetitions = new Repetitions()
  const harness = await openWithFaults(counts, repetitions)
  const random = createRandom(13)
  const make = (digits: string) => harness.make({ operator: 'SNOM', type: 'COLLECT', phoneNumber: phoneNumberOf('SNOM', random, digits) })
  const rows = TABLE_ROWS.flatMap((row) => Array.from({ length: OF_EACH_ROW }, () => row))
  const made = await Promise.all(rows.map(async (row) => ({ row, item: await make(row[0]) })))
  harness.startDispatcher()
  const readAll = (status: string) => made.filter(({ row }) => row[1] === status)
  for (const { item } of readAll('SUCCESS')) await harness.untilFinal(item)
  counts.isOver = true
  let open = 0
  for (const { item } of readAll('FAILED')) {
    const { finalAt, operatorReference } = await waitUntil('its customer has a code, or it has ended', async () => {
      const transaction = await harness.read(item)
      return transaction.finalAt || (await hasCode(harness, item)) ? transaction : undefined
    })
    if (!finalAt) open++
    // Where the reply with the code was lost, nobody can try again.
    else assert.doesNotMatch(operatorReference ?? '', QR_MARK, 'its customer may try again')
  }
  assert.ok(open > 0)
  await waitUntil('every customer has refused or was refused', async () =>
    [...(await harness.books()).values()].every(({ status }) => status !== 'PENDING'),
  )
  const endAll = async () => {
    await endQrCodes(harness.database.pool, VALIDITY_S)
    return (await Promise.all(made.map(({ item }) => harness.read(item)))).every(({ finalAt }) => finalAt !== null)
  }
  await waitUntil('all have ended', endAll)
  for (const { row, item } of made) {
    const { status, message, version, operatorReference } = await harness.read(item)
    assert.deepEqual([item.phoneNumber, status, message], [item.phoneNumber, ...row.slice(1)])
    assert.equal(version, 2, 'it was ended once')
    if (status === 'SUCCESS') assert.ok(operatorReference)
  }
  await harness.compareBooks()
  assert.deepEqual(await verifyDatabase(harness.database.pool), [])
  const taken = [...counts.faults.keys()].filter((name) => name.startsWith('a forged callback') && name.endsWith('200'))
  assert.deepEqual(taken, [])
})

/** The stored token of a code that a customer has. */
const QR_MARK = /^\d{10}\./

async function hasCode(harness: OperatorHarness, item: IntakeItem): Promise<boolean> {
  const work = await harness.workOf(item)
  return work?.['state'] === 'submitted' && QR_MARK.test(String(work['operator_reference']))
}

test('two payments, and a difference in the books, for a QR code that is not for a single use', async () => {
  const harness = await OperatorHarness.open({
    usesOwnProtocols: true,
    documents: { SNOM: { collectBy: 'qr' } },
    hasNoCallbacks: true,
    proxy: { calls: (url) => between(url, withoutRestrictions), callbacks: async (url) => url },
  })
  harnesses.push(harness)
  await harness.make({ operator: 'SNOM', type: 'COLLECT', phoneNumber: '221772093341' })
  harness.startDispatcher()
  await waitUntil('both customers have paid', async () =>
    [...(await harness.books()).values()].some(({ timesExecuted }) => timesExecuted === 2),
  )
  await assert.rejects(harness.compareBooks(), /executed 2 times/)
})

const withoutRestrictions: Disturb = async ({ answer, carryOut, body }) =>
  answer(await carryOut({ body: Buffer.from(body.toString().replace('"isSingleUse":true', '"isSingleUse":false')) }))

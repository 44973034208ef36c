import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { OperatorCode } from '#lib/operators.ts'
import { TRANSACTION_TYPES, type TransactionType } from '#lib/transaction-status.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { OperatorHarness } from './operator-harness.ts'
import { TABLE_ROWS } from './table-rows.ts'

type TableOptions = {
  /** Each code with a phone number that lacks its last three digits. */
  codes: readonly (readonly [OperatorCode, string])[]
  /** What the operator's own reference looks like. */
  operatorReference: RegExp
  /** False where the protocol has none. */
  hasCallbacks: boolean
  /** The code of a customer's refusal, as it is stored in the timeline; null where there are none. */
  cancelledCode: RegExp | null
  /** The attempts of a transaction that is left open; undefined: queries that are answered with pending. */
  openAttempt?: string
}

/** Every row of the simulator's table through an operator's own protocol, in both directions, with and without callbacks. */
export function testSimulatorTable({
  codes,
  operatorReference,
  hasCallbacks,
  cancelledCode,
  openAttempt = 'query pending',
}: TableOptions): void {
  for (const sendsCallbacks of hasCallbacks ? [true, false] : [false]) {
    let harness: OperatorHarness
    before(async () => {
      // Longer deadlines than usual: with so many at once, a busy machine must not make answers late.
      const dispatcher = { absenceMs: 500, leaseMs: 10_000 }
      harness = await OperatorHarness.open({ usesOwnProtocols: true, hasNoCallbacks: !sendsCallbacks, callTimeoutMs: 2_000, dispatcher })
      harness.startDispatcher()
    })
    after(() => harness.close())

    const make = ([operator, numbers]: readonly [OperatorCode, string], type: TransactionType, digits: string) =>
      harness.make({ operator, type, phoneNumber: `${numbers}${digits}`, transactionId: randomUUID() })
    const names = codes.map(([operator]) => operator).join(', ')

    test(`every row of the table at ${names} in both directions, ${sendsCallbacks ? 'with' : 'without'} callbacks: result, message and books`, async () => {
      const made = codes.flatMap((code) =>
        TRANSACTION_TYPES.flatMap((type) => TABLE_ROWS.map(async (row) => ({ code, type, row, item: await make(code, type, row[0]) }))),
      )
      const left = await Promise.all(codes.map((code) => make(code, 'COLLECT', '912')))
      for (const { code, type, row, item } of await Promise.all(made)) {
        const transaction = await harness.untilFinal(item)
        assert.deepEqual([code[0], type, row[0], transaction.status, transaction.message], [code[0], type, ...row])
        if (row[1] === 'SUCCESS') assert.match(transaction.operatorReference ?? '', operatorReference)
        if (row[0] === '903') assertCode(await codeOf(harness, item), cancelledCode)
      }
      await harness.compareBooks()
      // 912 is left open for ever.
      for (const item of left) {
        const isPending = async () => (await harness.attemptsOf(item)).filter((attempt) => attempt === openAttempt).length >= 3
        await waitUntil('three queries', isPending)
        assert.equal((await harness.read(item)).status, 'PENDING')
      }
      assert.equal(harness.callbackOutcomes.includes('taken'), sendsCallbacks)
    })
  }
}

/** The operator's own code in the timeline of a failed transaction. */
async function codeOf(harness: OperatorHarness, item: { applicationId: string; transactionId: string }): Promise<unknown> {
  const { rows } = await harness.database.pool.query(
    "select reason from transaction_events where application_id = $1 and transaction_id = $2 and event = 'failed'",
    [item.applicationId, item.transactionId],
  )
  return rows[0]?.reason
}

function assertCode(code: unknown, expected: RegExp | null): void {
  if (expected) assert.match(String(code), expected)
  else assert.equal(code, null)
}

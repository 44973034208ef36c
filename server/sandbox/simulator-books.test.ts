import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { OPERATOR_CODES, OPERATORS } from '#lib/operators/operators.ts'
import { TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import { systemClock } from '#server/clock.ts'
import { createLogger } from '#server/logger.ts'
import { createConnectors, type FollowingConnectors } from '#server/operators/create-connectors.ts'
import { simulatedOperators } from '#server/operators/simulator/simulated-operators.ts'
import { type Simulator, startSimulator } from '#server/operators/simulator/start-simulator.ts'
import { tokensInMemory } from '#server/operators/testing/connectors/connector-context.ts'
import { anIntakeItem } from '#server/testing/factories.ts'
import { keptOf, writeSimulatorBooks } from './simulator-books.ts'

const SECRET = 'a secret of the books'
const items = OPERATOR_CODES.flatMap((operator) =>
  TRANSACTION_TYPES.flatMap((type) =>
    (['submitted', 'unconfirmed'] as const).map((operatorFate) => ({ item: anIntakeItem(randomUUID(), { operator, type }), operatorFate })),
  ),
)

let folder: string
let simulator: Simulator
let connectors: FollowingConnectors
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-books-'))
  writeSimulatorBooks(
    folder,
    items.map(({ item, operatorFate }) => {
      const plan = { operatorFate, isContradicted: false }
      return { item, plan, status: 'PENDING', message: null, pendingAtMs: Date.now(), final: null }
    }),
  )
  simulator = await startSimulator({ port: 0, folder, secret: SECRET })
  const settings = simulatedOperators(simulator.url, SECRET)
  const logger = createLogger('silent')
  connectors = createConnectors({ settings, callbackBaseUrl: undefined, tokens: tokensInMemory(), clock: systemClock, logger })
})
after(async () => {
  await connectors.close()
  await simulator.close()
  await rm(folder, { recursive: true, force: true })
})

test('each open transaction of the history is found by the protocol of its operator: pending, or executed if it is unconfirmed', async () => {
  for (const { item, operatorFate } of items) {
    const { transactionId: reference, applicationId, operator, type } = item
    // Orange answers no queries about collects in Burkina Faso. The history has none that are open.
    if (operator === 'BFOM' && type === 'COLLECT') continue
    const { operatorReference, operatorToken } = keptOf(item)
    const query = {
      reference,
      applicationId,
      operator,
      type,
      amountMinor: item.amountMinor,
      currency: OPERATORS[operator].country.currency,
      phoneNumber: item.phoneNumber,
      operatorReference: operatorReference ?? undefined,
      operatorToken: operatorToken ?? undefined,
    }
    const outcome = await connectors.get(operator)?.query(query)
    const expected = operatorFate === 'submitted' ? 'pending' : 'succeeded'
    assert.deepEqual([operator, type, outcome?.kind], [operator, type, expected])
  }
})

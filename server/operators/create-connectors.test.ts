import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { customerStepOf, OPERATOR_CODES, type OperatorCode } from '#lib/operators/operators.ts'
import { systemClock } from '#server/clock.ts'
import { createLogger } from '#server/logger.ts'
import { simulatedOperators } from '#server/operators/simulator/simulated-operators.ts'
import { tokensInMemory } from '#server/operators/testing/connectors/connector-context.ts'
import { sayTransfer, startScriptedOperator } from '#server/operators/testing/scripted-operator.ts'
import { createConnectors } from './create-connectors.ts'
import { gatewaySettings } from './sandbox-protocol/sandbox-connector.ts'

test('answered: a query to an operator that takes its time, with settings that name no limit', async (context) => {
  const operator = await startScriptedOperator({
    submit: () => assert.fail('nothing is submitted'),
    query: (asked) => void setTimeout(() => sayTransfer(asked, 'PENDING'), 200),
  })
  const connectors = createConnectors({
    settings: gatewaySettings(['OMCM'], { baseUrl: operator.url, secret: 'shared' }),
    tokens: tokensInMemory(),
    callbackBaseUrl: undefined,
    clock: systemClock,
    logger: createLogger('silent'),
  })
  context.after(async () => {
    await connectors.close()
    await operator.close()
  })
  const outcome = await connectors.get('OMCM')?.query({
    reference: randomUUID(),
    applicationId: randomUUID(),
    operator: 'OMCM',
    type: 'DEPOSIT',
    amountMinor: 100n,
    currency: 'XAF',
    phoneNumber: '237699000111',
  })
  assert.equal(outcome?.kind, 'pending')
})

test("a link, a code or a prompt for the customers of each operator's own protocol, as the guide for partners says", async (context) => {
  const connectors = createConnectors({
    settings: simulatedOperators('http://127.0.0.1:9', 'shared'),
    tokens: tokensInMemory(),
    callbackBaseUrl: undefined,
    clock: systemClock,
    logger: createLogger('silent'),
  })
  context.after(() => connectors.close())
  const stepOf = (operator: OperatorCode) => {
    const step = connectors.get(operator)?.customerStep
    return step === undefined || step === 'link' ? (step ?? 'prompt') : 'code'
  }
  assert.deepEqual(OPERATOR_CODES.map(stepOf), OPERATOR_CODES.map(customerStepOf))
})

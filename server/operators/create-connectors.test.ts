import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { systemClock } from '#server/clock.ts'
import { createLogger } from '#server/logger.ts'
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

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { aConnectorContext, keepNothing } from '#server/operators/testing/connectors/connector-context.ts'
import type { CallbackOutcome, Connector, Submission, Terms } from './connector.ts'
import { combineConnectors } from './create-connectors.ts'

const exchange = { httpStatus: 200, answer: '{}' }
const { terms } = aConnectorContext()

/** A protocol that serves these directions, and whose answers carry its name. */
function aProtocol(name: string, types: readonly TransactionType[], overrides: Partial<Terms> = {}, callback?: CallbackOutcome): Connector {
  return {
    terms: { ...terms, ...overrides, routes: new Map(types.map((type) => [type, name])) },
    hasNoQueries: name === 'code only',
    submit: async () => ({ kind: 'accepted', operatorReference: name, exchange }),
    query: async () => ({ kind: 'pending', operatorReference: name, exchange }),
    balance: async () => ({ kind: 'unknown', detail: name, exchange }),
    parseCallback: () => callback ?? { kind: 'malformed', detail: name },
    close: async () => undefined,
  }
}

function combined(...connectors: Connector[]): Connector {
  return combineConnectors(connectors) ?? assert.fail()
}

test('the longest answer time and the longest pause before a query of all protocols, because one claim serves both directions', () => {
  for (const turned of [false, true]) {
    const parts = [
      aProtocol('first', ['COLLECT'], { submitTimeoutMs: 10_000, enquiryDelayMs: 60_000 }),
      aProtocol('second', ['DEPOSIT'], { submitTimeoutMs: 60_000 }),
    ]
    const { submitTimeoutMs, enquiryDelayMs } = combined(...(turned ? parts.toReversed() : parts)).terms
    assert.deepEqual([submitTimeoutMs, enquiryDelayMs], [60_000, 60_000])
  }
})

test('each direction is submitted and queried through the first protocol that serves it', async () => {
  const connector = combined(aProtocol('code only', ['COLLECT']), aProtocol('gateway', ['COLLECT', 'DEPOSIT']))
  assert.deepEqual(
    [...connector.terms.routes],
    [
      ['COLLECT', 'code only'],
      ['DEPOSIT', 'gateway'],
    ],
  )
  assert.equal(connector.hasNoQueries, true)
  const submission: Omit<Submission, 'type'> = {
    reference: 'r',
    applicationId: 'a',
    operator: 'BFOM',
    amountMinor: 100n,
    currency: 'XOF',
    phoneNumber: '22676000000',
    customerName: 'x',
  }
  for (const [type, name] of [
    ['COLLECT', 'code only'],
    ['DEPOSIT', 'gateway'],
  ] as const) {
    const submitted = await connector.submit({ ...submission, type }, keepNothing)
    const queried = await connector.query({ ...submission, type })
    assert.deepEqual(
      [submitted.kind === 'accepted' && submitted.operatorReference, queried.kind === 'pending' && queried.operatorReference],
      [name, name],
    )
  }
})

test('a callback that one protocol refuses is read by another one; refused, if none reads it', () => {
  const callback = { kind: 'callback', applicationId: 'a', reference: 'r', claim: 'succeeded', isVerified: false } as const
  const refusing = aProtocol('first', ['COLLECT'], {}, { kind: 'unverified' })
  const reading = aProtocol('second', ['DEPOSIT'], {}, callback)
  for (const parts of [
    [refusing, reading],
    [reading, refusing],
  ])
    assert.deepEqual(combined(...parts).parseCallback({}, Buffer.from('')), callback)
  const malformed = aProtocol('second', ['DEPOSIT'])
  assert.equal(combined(refusing, malformed).parseCallback({}, Buffer.from('')).kind, 'unverified')
})

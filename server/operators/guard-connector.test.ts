import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { systemClock } from '#server/clock.ts'
import { createLogger } from '#server/logger.ts'
import { aConnectorContext, keepNothing, tokensInMemory } from '#server/operators/testing/connectors/connector-context.ts'
import type { Connector, Submission } from './connector.ts'
import { createConnectors } from './create-connectors.ts'
import { guardConnector } from './guard-connector.ts'
import { SIGNATURE_HEADER, signCallback } from './sandbox-protocol/messages.ts'
import { createSandboxConnector, gatewaySettings } from './sandbox-protocol/sandbox-connector.ts'

const SECRET = 'shared'
const SETTINGS = { baseUrl: 'http://127.0.0.1:1', secret: SECRET }
const connector = createSandboxConnector({ ...aConnectorContext({ operator: 'OMCM' }), ...SETTINGS })
const guard = guardConnector('OMCM', connector, createLogger('silent'))
const ids = { reference: randomUUID(), context: randomUUID() }

const submission: Submission = {
  reference: ids.reference,
  applicationId: ids.context,
  operator: 'OMCM',
  type: 'DEPOSIT',
  amountMinor: 100n,
  currency: 'XAF',
  phoneNumber: '237699000111',
  customerName: 'Awa',
}
const exchange = { httpStatus: 200, answer: '{"status":"x"}' }

function parse(body: string | Buffer, through = guard) {
  const signature = signCallback(SECRET, body.toString(), new Date())
  return through.parseCallback({ [SIGNATURE_HEADER]: signature }, Buffer.from(body))
}

function transfer(overrides: Record<string, unknown> = {}): string {
  return JSON.stringify({ ...ids, status: 'SUCCESS', operatorReference: 'R', ...overrides })
}

test('lower-case ids for a callback with upper-case ids', () => {
  const parsed = parse(transfer({ reference: ids.reference.toUpperCase(), context: ids.context.toUpperCase() }))
  assert.deepEqual(parsed, { kind: 'callback', applicationId: ids.context, reference: ids.reference, claim: 'succeeded', isVerified: true })
})

test('malformed for signed callbacks of any garbage', () => {
  const nonsense = [
    '',
    'null',
    '[]',
    '"x"',
    '{',
    '['.repeat(30_000),
    transfer({ status: 1 }),
    transfer({ reference: `${ids.reference}\0` }),
    transfer({ context: '' }),
  ]
  for (const body of nonsense) assert.equal(parse(body).kind, 'malformed', body.slice(0, 40))
  assert.equal(parse(transfer({ message: 'x'.repeat(70_000) })).kind, 'malformed')
})

test('unverified for signatures of every wrong form', () => {
  const body = Buffer.from(transfer())
  const good = signCallback(SECRET, transfer(), new Date())
  const wrong = [
    undefined,
    '',
    [good, good],
    good.replace('v1=', 'v2='),
    `${good}0`,
    `${good.slice(0, -1)}Z`,
    `t=1e3,${good}`,
    't=,v1=',
    'x'.repeat(100_000),
  ]
  for (const signature of wrong) assert.equal(guard.parseCallback({ [SIGNATURE_HEADER]: signature }, body).kind, 'unverified')
})

test('unknown for a connector that throws', async () => {
  const broken = guardConnector(
    'OMCM',
    {
      ...connector,
      submit: () => Promise.reject(new Error('bug')),
      parseCallback: () => {
        throw new Error('bug')
      },
    },
    createLogger('silent'),
  )
  assert.equal((await broken.submit(submission, keepNothing)).kind, 'unknown')
  assert.equal(parse('{}', broken).kind, 'malformed')
})

test('cleaned outcomes from every connector of the service', () => {
  const connectors = createConnectors({
    settings: gatewaySettings(['OMCM'], SETTINGS),
    tokens: tokensInMemory(),
    callbackBaseUrl: undefined,
    clock: systemClock,
    logger: createLogger('silent'),
  })
  // Only the guard knows this limit; the connector itself would read the body.
  const parsed = parse(transfer({ padding: 'x'.repeat(70_000) }), connectors.get('OMCM'))
  assert.equal(parsed.kind, 'malformed')
  assert.equal(parse(transfer({ padding: 'x'.repeat(70_000) }), connector as typeof guard).kind, 'callback')
})

test('unknown for the refusal of a repeated submission; the refusal itself for a first one', async () => {
  const refusing = (outcome: Awaited<ReturnType<Connector['submit']>>) =>
    guardConnector('OMCM', { ...connector, submit: async () => outcome }, createLogger('silent'))
  const failed = refusing({ kind: 'failed', reason: 'Solde insuffisant', operatorCode: '60019', exchange })
  assert.equal((await failed.submit(submission, keepNothing)).kind, 'failed')
  const repeated = await failed.submit({ ...submission, isRepeated: true }, keepNothing)
  assert.ok(repeated.kind === 'unknown')
  assert.deepEqual(repeated.doubt, { kind: 'refused', reason: 'Solde insuffisant', operatorCode: '60019' })
  assert.match(repeated.exchange.answer, /^The repeated submission was refused.*: \{"status":"x"\}$/)
  const wrongCode = refusing({ kind: 'wrong_code', operatorCode: '08', exchange })
  assert.equal((await wrongCode.submit(submission, keepNothing)).kind, 'wrong_code')
  assert.equal((await wrongCode.submit({ ...submission, isRepeated: true }, keepNothing)).kind, 'unknown')
  // A submission that was not sent moves nothing, regardless of the earlier one.
  const unsent = refusing({ kind: 'not_sent', detail: 'no connection', exchange })
  assert.equal((await unsent.submit({ ...submission, isRepeated: true }, keepNothing)).kind, 'not_sent')
})

test('unknown, and logged as an error, for a success of another movement, from a submission or a query', async () => {
  const logged: object[] = []
  const success = { kind: 'succeeded', reported: { amountMinor: 100n, currency: 'EUR' }, exchange } as const
  const lying = guardConnector(
    'OMCM',
    { ...connector, submit: async () => success, query: async () => success },
    { error: (facts: object) => logged.push(facts) },
  )
  for (const outcome of [await lying.submit(submission, keepNothing), await lying.query(submission)]) {
    assert.ok(outcome.kind === 'unknown')
    assert.deepEqual(outcome.doubt, { kind: 'mismatch' })
    assert.match(outcome.detail, /another currency: EUR instead of XAF/)
  }
  assert.equal(logged.length, 2)
  const honest = guardConnector(
    'OMCM',
    { ...connector, query: async () => ({ ...success, reported: { amountMinor: 100n, currency: 'XAF', phoneNumber: '699000111' } }) },
    createLogger('silent'),
  )
  assert.equal((await honest.query(submission)).kind, 'succeeded')
})

test('the HTTP status of an answer as it was, also beside a doubt; none for a number that is no status', async () => {
  const statusOf = async (httpStatus: number | null, of: Submission = submission) => {
    const answer = { kind: 'failed', reason: 'x', operatorCode: '1', exchange: { httpStatus, answer: 'x' } } as const
    const answering = guardConnector('OMCM', { ...connector, submit: async () => answer }, createLogger('silent'))
    return (await answering.submit(of, keepNothing)).exchange.httpStatus
  }
  const statuses = [100, 200, 417, 999, 99, 1_000, 200.5, Number.NaN, null]
  assert.deepEqual(await Promise.all(statuses.map((status) => statusOf(status))), [100, 200, 417, 999, null, null, null, null, null])
  assert.equal(await statusOf(417, { ...submission, isRepeated: true }), 417)
})

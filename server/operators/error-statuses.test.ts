import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { request as send } from 'undici'
import { OPERATOR_CODES, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { TRANSACTION_TYPES, type TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { keepNothing } from './testing/connectors/connector-context.ts'
import { OperatorHarness } from './testing/operator-harness.ts'
import { NUMBER_STEMS } from './testing/phone-numbers.ts'

/** The HTTP status in place of the operator's own, with its own body. */
let status: number | undefined
/** Answers whose status was replaced. */
let replaced = 0
const proxy = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) body += chunk
  const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers
  const answer = await send(`${target}${request.url ?? ''}`, {
    method: request.method === 'GET' ? 'GET' : 'POST',
    headers: headers as Record<string, string>,
    body: body === '' ? null : body,
  })
  const text = await answer.body.text()
  const type = answer.headers['content-type']
  if (status !== undefined) replaced++
  response.writeHead(status ?? answer.statusCode, type === undefined ? {} : { 'content-type': String(type) }).end(text)
})
let target = ''
let harness: OperatorHarness
before(async () => {
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  // Not a pipe: it listens on a host.
  const { port } = proxy.address() as AddressInfo
  const calls = async (url: string) => {
    target = url
    return `http://127.0.0.1:${port}`
  }
  harness = await OperatorHarness.open({
    usesOwnProtocols: true,
    hasNoCallbacks: true,
    callTimeoutMs: 5_000,
    proxy: { calls, callbacks: async (url) => url },
    dispatcher: { leaseMs: 30_000, absenceMs: 60_000 },
  })
})
after(async () => {
  await harness.close()
  proxy.close()
  proxy.closeAllConnections()
})

const numberOf = (operator: OperatorCode, digits: string) => NUMBER_STEMS[operator] + digits

/** The stored facts of a payment after its end, as a query needs them. */
type Identifiers = { reference: string; operatorReference?: string | undefined; operatorToken?: string | undefined }
async function identifiersOf(reference: string): Promise<Identifiers> {
  const { rows } = await harness.database.pool.query<{ operator_reference: string | null; operator_token: string | null }>(
    'select operator_reference, operator_token from transactions where transaction_id = $1',
    [reference],
  )
  return { reference, operatorReference: rows[0]?.operator_reference ?? undefined, operatorToken: rows[0]?.operator_token ?? undefined }
}

function queryOf(identifiers: Identifiers, operator: OperatorCode, type: TransactionType) {
  return {
    ...identifiers,
    applicationId: harness.applicationId,
    operator,
    type,
    amountMinor: 500_000n,
    currency: OPERATORS[operator].country.currency,
    phoneNumber: numberOf(operator, '341'),
  }
}

test('unknown, at every operator: the report of a success, of a failure and of an unknown reference with the HTTP status of a server error or a redirection', async () => {
  const made = await Promise.all(
    OPERATOR_CODES.flatMap((operator) =>
      TRANSACTION_TYPES.flatMap((type) =>
        ['341', '902'].map(async (digits) => ({
          operator,
          type,
          digits,
          item: await harness.make({ operator, type, phoneNumber: numberOf(operator, digits) }),
        })),
      ),
    ),
  )
  const dispatcher = harness.startDispatcher()
  for (const { item } of made) await harness.untilFinal(item)
  await dispatcher.drain()
  const wrong: string[] = []
  let answers = 0
  /** Without a call, because of what is stored, nothing was answered. */
  const ask = async (what: string, call: () => Promise<{ kind: string }>) => {
    const before = replaced
    const { kind } = await call()
    if (replaced === before) return
    answers++
    if (['succeeded', 'failed', 'not_found'].includes(kind)) wrong.push(`${what}: ${kind}`)
  }
  for (const { operator, type, digits, item } of made) {
    const connector = harness.connectors.get(operator) ?? assert.fail()
    const payment = queryOf(await identifiersOf(item.transactionId), operator, type)
    const never = queryOf({ reference: randomUUID() }, operator, type)
    const more = { phoneNumber: numberOf(operator, digits), customerName: 'Awa', isRepeated: false, payToken: randomUUID() }
    for (const replacement of [500, 503, 302]) {
      status = replacement
      const where = `${operator} ${type} ${digits} HTTP ${status}`
      await ask(`${where} query`, () => connector.query(payment))
      await ask(`${where} query of an unknown reference`, () => connector.query(never))
      // MTN answers a refused submission with 500 and its code.
      if (!/MTN|MOMOCM/.test(operator) || status !== 500)
        await ask(`${where} submission`, () =>
          connector.submit({ ...never, ...more, reference: randomUUID(), writeBeforeMs: undefined }, keepNothing),
        )
    }
  }
  status = undefined
  assert.deepEqual(wrong, [])
  assert.ok(answers > 300, `only ${answers} answers`)
})

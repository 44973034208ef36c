import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { z } from 'zod'
import { fundDeposits, newPartner } from '#e2e/contract/arrange.ts'
import type { ContractService, Partner } from '#e2e/contract/service.ts'
import { CLIENT_FILES, CLIENT_LANGUAGES, type ClientLanguage, clientPath } from '#lib/partner/reference.ts'
import { keyedInitiationSchema } from '#lib/schemas/api/responses.ts'
import { listedTransactionSchema } from '#lib/schemas/api/transaction-responses.ts'
import { CLIENT_SAMPLES } from '#server/http/clients/client-samples.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { CLIENT_PROGRAMS, CLIENT_VERIFIERS } from './client-programs.ts'
import { compileStrictly } from './compile-typescript.ts'
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy.ts'
import { describeRun, isInstalled, parsePhp, runSample } from './run-sample.ts'

const outcomeSchema = z.object({
  idempotencyKey: z.string(),
  collect: keyedInitiationSchema,
  deposits: z.array(z.string()),
  refund: listedTransactionSchema,
  listed: z.array(z.string()),
  operators: z.array(z.number()),
  refusals: z.record(z.string(), z.unknown()),
})

type Webhook = { headers: IncomingHttpHeaders; body: string }

/** The clients that partners download, used by a partner's programs. */
export function describeClients(service: () => ContractService): void {
  describe('clients', () => {
    const webhooks: Webhook[] = []
    const receiver = createServer(async (request, response) => {
      webhooks.push({ headers: request.headers, body: await text(request) })
      response.end()
    })
    before(() => new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve)))
    after(() => new Promise<void>((resolve) => receiver.close(() => resolve())))

    async function run(language: ClientLanguage, source: string, variables: Record<string, string>, files: Record<string, string> = {}) {
      const client = await (await fetch(service().baseUrl + clientPath(language))).text()
      return runSample(language, source, variables, { ...files, [CLIENT_FILES[language]]: client })
    }

    function variablesOf(partner: Partner, baseUrl: string): Record<string, string> {
      const WEBHOOK_URL = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`
      const { apiKey, apiId, username, password } = partner
      return { BASE_URL: baseUrl, API_KEY: apiKey, API_ID: apiId, API_USER: username, API_PASSWORD: password, WEBHOOK_URL }
    }

    for (const language of CLIENT_LANGUAGES.filter(isInstalled)) {
      test(`200 for a collect, a deposit sent twice, a refund and a list, refusals with their codes, and a genuine webhook: ${language}`, async () => {
        const partner = await newPartner(service())
        for (const operator of ['SNWAVE', 'MOMOCM'] as const) await fundDeposits(service(), partner, operator, 1_000_000_00n)
        const proxy = await startFaultyProxy(service().baseUrl, faults())
        try {
          const printed = await run(language, CLIENT_PROGRAMS[language], variablesOf(partner, proxy.url))
          const outcome = outcomeSchema.parse(JSON.parse(printed))
          expectOutcome(outcome)
          expectCalls(proxy)
          const { collect } = outcome
          const webhook = await waitUntil('the webhook of the collect', () =>
            webhooks.find(({ body }) => body.includes(collect.transactionId)),
          )
          for (const [body, isGenuine] of [
            [webhook.body, 'true'],
            [webhook.body.replace('5000', '9000'), 'false'],
          ] as const) {
            const files = { 'headers.json': JSON.stringify(webhook.headers), 'body.json': body }
            const verified = await run(language, CLIENT_VERIFIERS[language], { WEBHOOK_SECRET: partner.webhookSecret }, files)
            assert.equal(verified.trim(), isGenuine)
          }
        } finally {
          await proxy.close()
        }
      })

      test(`PENDING for the example of the documentation: ${language}`, async () => {
        const printed = await run(language, CLIENT_SAMPLES[language], variablesOf(service().partner, service().baseUrl))
        assert.match(printed, /^[0-9a-f-]{36} PENDING\s*$/)
      })
    }

    test('no error from the TypeScript compiler, in its strict mode', async () => {
      const client = await (await fetch(service().baseUrl + clientPath('typescript'))).text()
      const sources = { example: CLIENT_SAMPLES.typescript, program: CLIENT_PROGRAMS.typescript, verifier: CLIENT_VERIFIERS.typescript }
      const programs = Object.entries(sources).map(([name, source]) => [`${name}.ts`, source] as const)
      await compileStrictly([...programs, [CLIENT_FILES.typescript, client]])
    })

    test(`no syntax error in the PHP client, its example and the programs that use it (${describeRun('php')})`, async () => {
      const client = await (await fetch(service().baseUrl + clientPath('php'))).text()
      for (const source of [client, CLIENT_SAMPLES.php, CLIENT_PROGRAMS.php, CLIENT_VERIFIERS.php])
        assert.doesNotThrow(() => parsePhp(source))
    })
  })
}

/** The faults that each program meets between it and the service. */
function faults(): Parameters<typeof startFaultyProxy>[1] {
  const error = (status: number, code: string) => JSON.stringify({ status, code, message: 'Refused on the way.' })
  return {
    'POST /api/v2/collects': [{ status: 503, headers: { 'retry-after': '1' }, body: error(503, 'overloaded') }, 'pass', 'silence'],
    'GET /api/v2/transactions': [{ status: 429, headers: { 'retry-after': '1' }, body: error(429, 'too_many_requests') }],
    'GET /api/v2/operators': [{ status: 401, body: error(401, 'credentials_invalid') }],
    'POST /api/v2/account-checks': [{ status: 503, headers: { 'retry-after': '1' }, body: error(503, 'overloaded') }],
    'GET /api/v2/batches': [{ status: 502, headers: { 'content-type': 'text/html' }, body: '<html>' }],
    'GET /api/v2/transactions/{id}/refunds': [{ status: 302, headers: { location: '/elsewhere' } }],
  }
}

function expectOutcome({ idempotencyKey, collect, deposits, refund, listed, operators, refusals }: z.output<typeof outcomeSchema>): void {
  assert.equal(collect.amount, 5000)
  assert.equal(deposits[0], deposits[1])
  assert.deepEqual([refund.refundOf, refund.amount], [collect.transactionId, 1000])
  assert.deepEqual(listed.toSorted(), [collect.transactionId, deposits[0], refund.transactionId].toSorted())
  assert.deepEqual(operators, [13, 13])
  assert.deepEqual(refusals, {
    otherContent: [422, 'idempotency_key_reused', true, idempotencyKey],
    busy: [503, 'overloaded', true, null],
    page: [502, 'unreadable_answer', true, null],
    moved: [302, 'unreadable_answer', true, null],
    slow: [0, 'timeout', true, idempotencyKey],
    away: [0, 'no_connection', true, null],
    password: [401, 'status_401', true, null],
  })
}

/** Checks which calls were repeated, with which key and after how long, and that the token was renewed once for two calls. */
function expectCalls({ seen }: FaultyProxy): void {
  const of = (call: string) => seen.filter((each) => each.call === call)
  const [first, second, ...more] = of('POST /api/v2/collects')
  assert.ok(first?.key && first.key === second?.key, 'the same key')
  assert.ok(second.atMs - first.atMs >= 1_000, 'as late as Retry-After says')
  assert.equal(more.length, 1, 'a timeout is not repeated')
  assert.equal(of('POST /api/v2/account-checks').length, 1)
  assert.equal(of('GET /api/v2/batches').length, 1)
  assert.equal(of('GET /elsewhere').length, 0)
  // At the start, after the 401, for the client of the timeout, and with the wrong password.
  assert.equal(of('POST /public/access_token').length, 4)
}

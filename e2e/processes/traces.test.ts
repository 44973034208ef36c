import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { registerHooks } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { json } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import type { Agent } from 'undici'
import { type Partner, signIn } from '#e2e/contract/service.ts'
import { loadConfig } from '#server/config.ts'
import { freePort } from '#server/database/embedded/embedded.ts'
import { createLogger } from '#server/logger.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { fund } from '#server/testing/factories.ts'
import { createTestPartner } from '#server/testing/partner.ts'
import { PRODUCTION, type Service, startService } from '#server/testing/service/start-service.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { listen, type Receiver, startReceiver } from '#server/webhooks/testing.ts'
import { aCollect, openConnections, post } from './requests.ts'

type Link = { traceId: string; spanId: string }
type Attribute = { key: string; value: { stringValue?: string; intValue?: string } }
type Span = Link & {
  parentSpanId?: string
  name: string
  kind: number
  links?: Link[]
  attributes: Attribute[]
  startTimeUnixNano: string
  endTimeUnixNano: string
}
type Export = { resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: Span[] }[] }[] }

const PARTNERS_TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARTNERS_SPAN = '00f067aa0ba902b7'
const NAME = 'Clarisse Mbarga-Traceless'
const PHONE = '237677209341'

const spans: Span[] = []
const collectorHeaders: IncomingHttpHeaders[] = []
const exportedTexts: string[] = []
/** Takes OTLP over HTTP as JSON, as a collector does. */
const collector = createServer(async (request, response) => {
  const body = (await json(request)) as Export
  assert.equal(request.url, '/v1/traces')
  collectorHeaders.push(request.headers)
  exportedTexts.push(JSON.stringify(body))
  for (const { scopeSpans } of body.resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans)
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
})

let database: TestDatabase
let folder: string
let web: Service
let worker: Service
let partner: Partner
let agent: Agent
let receiver: Receiver

before(async () => {
  database = await createTestDatabase({ mode: 'sandbox' })
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-traces-'))
  agent = openConnections(4)
  receiver = await startReceiver((response) => response.writeHead(200).end())
  const created = await createTestPartner(database.pool)
  await fund(database.pool, created.applicationId, 'MOMOCM', 100_000_000n)
  const port = await freePort()
  const simulatorPort = await freePort()
  const environment = {
    ...PRODUCTION,
    SANDBOX: '1',
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    SIMULATOR_PORT: String(simulatorPort),
    SIMULATOR_DELAY_MS: '50',
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await listen(collector)}`,
    OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20of%20a%20test,x-scope=one',
  }
  worker = await startService({
    environment: { ...environment, ROLE: 'worker' },
    readiness: () =>
      fetch(`http://127.0.0.1:${simulatorPort}/health`).then(
        (answer) => answer.ok,
        () => false,
      ),
  })
  web = await startService({ port, environment: { ...environment, ROLE: 'web' } })
  partner = await signIn(web.baseUrl, created)
})
after(async () => {
  await agent.destroy()
  await Promise.all([web.stop(), worker.stop()])
  await receiver.close()
  collector.closeAllConnections()
  collector.close()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

const named = (transactionId: string, name: RegExp) =>
  spans.find((span) => span.traceId === transactionId.replaceAll('-', '') && name.test(span.name))

/** Sends a deposit and waits until its webhook is in the trace. Returns its id. */
async function deposit(headers: Record<string, string> = {}): Promise<string> {
  const body = aCollect({ webhookUrl: receiver.url, customerName: NAME, phoneNumber: PHONE })
  const answer = await post(agent, web.baseUrl, 'deposit', { ...partner.headers, ...headers }, body)
  assert.equal(answer.status, 200, JSON.stringify(answer))
  const transactionId = String(answer.body['transactionId'])
  await waitUntil('the webhook is in the trace', async () => named(transactionId, /^webhook$/) !== undefined, {
    limitMs: 60_000,
    pauseMs: 20,
  })
  return transactionId
}

test('one trace from the request of a deposit over its commit, the calls of the operator and its settlement to its webhook, from two processes', async () => {
  const transactionId = await deposit()
  const request = await waitUntil('the request is in the trace', async () => named(transactionId, /^POST deposit$/))
  const [commit, submit, settle, webhook] = [/^commit$/, /^submit MOMOCM$/, /^settle$/, /^webhook$/].map((name) =>
    named(transactionId, name),
  )
  assert.equal(request.parentSpanId, undefined)
  assert.equal(commit?.parentSpanId, request.spanId)
  for (const step of [submit, settle, webhook]) assert.equal(step?.parentSpanId, commit?.spanId, String(step?.name))
  const starts = [request, commit, submit, settle, webhook].map((span) => BigInt(span?.startTimeUnixNano ?? 0))
  assert.deepEqual(
    starts,
    starts.toSorted((a, b) => (a < b ? -1 : 1)),
  )
  const hook = receiver.received.find(({ body }) => body.includes(transactionId))
  assert.equal(hook?.headers['traceparent'], `00-${webhook?.traceId}-${webhook?.spanId}-01`)
})

test('the request in the trace that its partner began, and that of the transaction linked to it', async () => {
  const transactionId = await deposit({ traceparent: `00-${PARTNERS_TRACE}-${PARTNERS_SPAN}-01` })
  const request = await waitUntil('the request is there', async () => spans.find(({ traceId }) => traceId === PARTNERS_TRACE))
  assert.deepEqual([request.name, request.parentSpanId], ['POST deposit', PARTNERS_SPAN])
  const commit = named(transactionId, /^commit$/)
  assert.deepEqual([commit?.parentSpanId, commit?.links], [undefined, [{ traceId: request.traceId, spanId: request.spanId }]])
})

test('no span of a request whose partner does not record its trace, or of a header that is none; the transaction has its own in both cases', async () => {
  const before = spans.length
  await deposit({ traceparent: `00-${PARTNERS_TRACE.replace('4', '5')}-${PARTNERS_SPAN}-00` })
  assert.equal(spans.slice(before).filter(({ name }) => name === 'POST deposit').length, 0)
  const transactionId = await deposit({ traceparent: `00-${'0'.repeat(32)}-${PARTNERS_SPAN}-01` })
  await waitUntil('the request is in the trace of the transaction', async () => named(transactionId, /^POST deposit$/))
})

test('facts of a fixed list, without phone number, name, address or secret, with the headers that the collector requires', () => {
  const keys = new Set(spans.flatMap(({ attributes }) => attributes.map(({ key }) => key)))
  const ours = ['application_id', 'attempt', 'event', 'operator', 'outcome', 'type'].map((name) => `countersign.${name}`)
  assert.deepEqual([...keys].toSorted(), [...ours, 'http.request.method', 'http.response.status_code', 'http.route'])
  for (const text of exportedTexts)
    for (const secret of [PHONE, NAME, receiver.url, String(partner.headers['apiKey']), 'Bearer'])
      assert.ok(!text.includes(secret), `${secret} in ${text}`)
  for (const headers of collectorHeaders) assert.deepEqual([headers['authorization'], headers['x-scope']], ['Bearer of a test', 'one'])
  const services = exportedTexts.map((text) => /"service.name","value":\{"stringValue":"([^"]*)"/.exec(text)?.[1])
  assert.deepEqual([...new Set(services)], ['countersign'])
})

test('nothing of the folder tracing is loaded by a process without a collector, and all of it by one with a collector', async () => {
  const loaded: string[] = []
  const hooks = registerHooks({
    load(url, context, next) {
      loaded.push(url)
      return next(url, context)
    },
  })
  const { createRuntime } = await import('#server/runtime.ts')
  const isTracing = () => loaded.filter((url) => url.includes('/server/tracing/')).map((url) => path.basename(url))
  const start = async (environment: Record<string, string>) => {
    const config = loadConfig({ ROLE: 'worker', ...environment })
    const runtime = await createRuntime({ config, databaseUrl: database.url, logger: createLogger('silent'), operatorDefaults: [] })
    await runtime.close()
  }
  await start({})
  assert.ok(loaded.length > 100)
  assert.deepEqual(isTracing(), [])
  await start({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })
  hooks.deregister()
  assert.deepEqual(isTracing().toSorted(), ['otlp-exporter.ts', 'tracing.ts'])
})

test('payments go on, and what was dropped is counted, while the collector refuses', async () => {
  const refusing = createServer((_, response) => response.writeHead(503).end())
  const { createTracing } = await import('#server/tracing/tracing.ts')
  const endpoint = `http://127.0.0.1:${await listen(refusing)}`
  const tracing = createTracing({ endpoint, headers: {}, serviceName: 'test', ratio: 1 })
  const intake = tracing.traceIntake({
    submit: async (item: { applicationId: string; transactionId: string; operator: string; type: string }) => ({
      ...item,
      kind: 'created',
    }),
  })
  for (let count = 0; count < 20_000; count++)
    await intake.submit({ applicationId: 'a', transactionId: randomUUIDv7(), operator: 'MOMOCM', type: 'DEPOSIT' })
  await waitUntil('all are dropped', async () => tracing.dropped() === 20_000, { limitMs: 30_000, pauseMs: 20 })
  await tracing.close()
  refusing.close()
})

test('the same share of transactions in every process', async () => {
  const taken: string[] = []
  const counting = createServer(async (request, response) => {
    const { resourceSpans } = (await json(request)) as Export
    for (const { scopeSpans } of resourceSpans) taken.push(...scopeSpans.flatMap((scope) => scope.spans.map(({ traceId }) => traceId)))
    response.writeHead(200).end()
  })
  const endpoint = `http://127.0.0.1:${await listen(counting)}`
  const { createTracing } = await import('#server/tracing/tracing.ts')
  const ids = Array.from({ length: 2_000 }, () => randomUUIDv7())
  for (const serviceName of ['web', 'worker']) {
    const tracing = createTracing({ endpoint, headers: {}, serviceName, ratio: 0.25 })
    for (const transactionId of ids)
      tracing.addCall({ applicationId: 'a', transactionId, operator: 'MOMOCM', type: 'DEPOSIT' }, 'query', 'pending', 1)
    await tracing.close()
  }
  const distinct = new Set(taken)
  assert.equal(taken.length, distinct.size * 2)
  assert.ok(distinct.size > 400 && distinct.size < 600, `${distinct.size} of 2,000`)
  counting.close()
})

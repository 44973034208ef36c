import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { z } from 'zod'
import { ok } from '#lib/result.ts'
import { errorSchema, initiationSchema, recordSchema } from '#lib/schemas/api/responses.ts'
import { createAccessLog } from '#server/http/api/access-log.ts'
import { aCollect, HARNESS_TOKEN_SECRET, type HttpHarness, openHttpHarness } from '#server/http/testing/http-harness.ts'
import { createTokens } from '#server/partner-auth/access-token.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { healthReady } from '../endpoints/service.ts'
import type { ApiRequest } from '../request/api-request.ts'

const TRANSACTION = '/api/v1/transaction'
let harness: HttpHarness

before(async () => {
  harness = await openHttpHarness()
})
after(() => harness.close())

async function post(
  in_: HttpHarness,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: unknown; headers: Headers }> {
  const response = await fetch(in_.baseUrl + path, {
    method: 'POST',
    headers: { ...in_.headers, ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  return { status: response.status, body: await response.json(), headers: response.headers }
}

test('401 for an expired access token', async () => {
  const { partner } = harness
  const earlier = createTokens({ clock: { now: () => new Date(Date.now() - 3_601_000) }, secret: HARNESS_TOKEN_SECRET })
  const token = await earlier.sign(partner.apiUserId, partner.applicationId)
  assert.equal((await post(harness, `${TRANSACTION}/collect`, aCollect(), { authorization: `Bearer ${token}` })).status, 401)
  const inTime = createTokens({ clock: { now: () => new Date(Date.now() - 3_590_000) }, secret: HARNESS_TOKEN_SECRET })
  const stillGood = await inTime.sign(partner.apiUserId, partner.applicationId)
  assert.equal((await post(harness, `${TRANSACTION}/collect`, aCollect(), { authorization: `Bearer ${stillGood}` })).status, 200)
})

test('500 with Retry-After for chekTransactionStatus while the operator is down, and the stored status does not change', async () => {
  const other = await openHttpHarness()
  try {
    const made = await post(other, `${TRANSACTION}/collect`, aCollect())
    const { transactionId } = made.body as { transactionId: string }
    await other.stopSimulator()
    const answer = await post(other, `${TRANSACTION}/chekTransactionStatus?transactionId=${transactionId}`)
    assert.equal(answer.status, 500)
    assert.equal(answer.headers.get('retry-after'), '5')
    assert.match(errorSchema.parse(answer.body).message, /operator/)
    assert.equal(recordSchema.parse((await post(other, `${TRANSACTION}/transaction-status?id=${transactionId}`)).body).status, 'PENDING')
  } finally {
    await other.close()
  }
})

test('429 with the five fields and Retry-After for an application that forces more queries than it may; other applications are not affected', async () => {
  const other = await openHttpHarness({ forcedEnquiries: { burst: 2, perSecond: 0.5 } })
  try {
    const made = await post(other, `${TRANSACTION}/collect`, aCollect())
    const { transactionId } = made.body as { transactionId: string }
    const check = () => post(other, `${TRANSACTION}/chekTransactionStatus?transactionId=${transactionId}`)
    for (let count = 0; count < 2; count++) assert.equal(recordSchema.parse((await check()).body).status, 'PENDING')
    const refused = await check()
    assert.equal(refused.status, 429)
    assert.match(errorSchema.parse(refused.body).message, /Try again in 2 s/)
    assert.equal(refused.headers.get('retry-after'), '2')
    assert.equal((await post(other, `${TRANSACTION}/transaction-status?id=${transactionId}`)).status, 200)
    const unprovenReceivers = await other.runtime.forcedEnquiries.run(
      { applicationId: randomUUID(), transactionId: randomUUID(), operator: 'OMCM' },
      { kind: 'api', id: randomUUID() },
      async () => true,
    )
    assert.deepEqual(unprovenReceivers, { ok: true, value: true })
  } finally {
    await other.close()
  }
})

test('503 with Retry-After for a forced enquiry when no slot becomes free, and the operator is not queried', async () => {
  const other = await openHttpHarness({ forcedEnquiries: { callsMax: 1, waitMsMax: 20 } })
  const done = Promise.withResolvers<boolean>()
  try {
    const made = await post(other, `${TRANSACTION}/collect`, aCollect())
    const { transactionId } = made.body as { transactionId: string }
    const place = { applicationId: other.partner.applicationId, transactionId: randomUUID(), operator: 'OMCM' as const }
    const holding = other.runtime.forcedEnquiries.run(place, { kind: 'api', id: null }, () => done.promise)
    const answer = await post(other, `${TRANSACTION}/chekTransactionStatus?transactionId=${transactionId}`)
    assert.equal(answer.status, 503)
    assert.equal(answer.headers.get('retry-after'), '1')
    errorSchema.parse(answer.body)
    done.resolve(true)
    await holding
  } finally {
    done.resolve(true)
    await other.close()
  }
})

test('403 if the address that a trusted proxy appended is not allowed, 200 if it is, regardless of what is to the left of it', async () => {
  const behind = await openHttpHarness({ config: { trustedProxies: ['127.0.0.0/8'] } })
  try {
    const from = async (forwardedFor: string) =>
      (await post(behind, `${TRANSACTION}/collect`, aCollect(), { 'x-forwarded-for': forwardedFor })).status
    assert.equal(await from('203.0.113.9'), 403)
    assert.equal(await from('127.0.0.1, 203.0.113.9'), 403)
    assert.equal(await from('nonsense'), 403)
    assert.equal(await from('203.0.113.9, ::1'), 200)
  } finally {
    await behind.close()
  }
})

test('401 for /metrics without the METRICS_TOKEN that is set, 200 with it', async () => {
  const guarded = await openHttpHarness({ config: { metricsToken: 'a-token-for-the-metrics' } })
  try {
    const read = (authorization?: string) => fetch(`${guarded.baseUrl}/metrics`, { headers: authorization ? { authorization } : {} })
    for (const authorization of [undefined, 'Bearer wrong', 'a-token-for-the-metrics']) {
      const response = await read(authorization)
      assert.equal(response.status, 401)
      errorSchema.parse(await response.json())
    }
    const response = await read('Bearer a-token-for-the-metrics')
    assert.equal(response.status, 200)
    assert.match(await response.text(), /^# HELP /)
  } finally {
    await guarded.close()
  }
})

test('one log line per request, without its query; none if the access log is off', async () => {
  let log = ''
  const destination = {
    write(lines: string) {
      log += lines
    },
  }
  assert.equal(createAccessLog('warn', destination), undefined)
  const runtime = harness.runtime as { accessLog?: ReturnType<typeof createAccessLog> }
  runtime.accessLog = createAccessLog('info', destination)
  try {
    await fetch(`${harness.baseUrl}${TRANSACTION}/getByApplicationProductAndPhoneReceiver?phoneNumber=237699000111&page=0&size=1`, {
      headers: harness.headers,
    })
    await post(harness, `${TRANSACTION}/rejectTransaction?checkerId=${randomUUID()}&transactionId=${randomUUID()}&reason=secret`)
  } finally {
    runtime.accessLog = undefined
  }
  await waitUntil('the lines are written', () => log !== '')
  const [read, reject, ...others] = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(others, [])
  assert.deepEqual([read.method, read.status, read.app, read.peer], ['GET', 200, harness.partner.applicationId, '127.0.0.1'])
  assert.deepEqual([reject.path, reject.status], [`${TRANSACTION}/rejectTransaction`, 404])
  assert.doesNotMatch(log, /237699000111|secret/)
})

test('400 in its place for an element of depositMultiple whose externalId is taken between check and start; the others are started', async () => {
  const racing = await openHttpHarness()
  try {
    const taken = aCollect({ amount: 5000 })
    const { intake } = racing.runtime
    // The one moment at which another request can come between: after the look-up of the array, before its elements are submitted.
    const runtime = racing.runtime as { intake: typeof intake }
    runtime.intake = {
      async submit(item) {
        if (item.externalId === taken['externalId'] && item.amountMinor === 100n)
          assert.equal((await post(racing, `${TRANSACTION}/deposit`, taken)).status, 200)
        return intake.submit(item)
      },
    }
    const answer = await post(racing, `${TRANSACTION}/depositMultiple`, [aCollect(), { ...taken, amount: 1 }, aCollect()])
    assert.equal(answer.status, 200)
    const [first, second, third] = z.tuple([initiationSchema, errorSchema, initiationSchema]).parse(answer.body)
    assert.deepEqual([first.transactionStatus, second.status, third.transactionStatus], ['PENDING', 400, 'PENDING'])
    assert.match(second.message, /^\[1\] externalId must be unique/)
  } finally {
    await racing.close()
  }
})

test('lower-case externalId in every response, regardless of its case in the request', async () => {
  const externalId = randomUUID()
  for (const [path, body] of [
    ['collect', aCollect({ externalId: externalId.toUpperCase() })],
    ['collect', aCollect({ externalId })],
  ] as const) {
    const made = initiationSchema.parse((await post(harness, `${TRANSACTION}/${path}`, body)).body)
    assert.equal(made.externalId, externalId)
    const read = recordSchema.parse((await post(harness, `${TRANSACTION}/transaction-status?id=${made.transactionId}`)).body)
    assert.equal(read.externalId, externalId)
  }
  const inArray = randomUUID()
  const batch = await post(harness, `${TRANSACTION}/depositMultiple`, [aCollect({ externalId: inArray.toUpperCase() })])
  assert.equal(z.array(initiationSchema).parse(batch.body)[0]?.externalId, inArray)
})

const NO_TRACE = { applicationId: undefined, owner: undefined }

test('200 for a hundred health requests at once and another within a second, with one write to the database', async () => {
  let questions = 0
  const pool = new Proxy(harness.runtime.pool, {
    get(target, name) {
      if (name === 'query') questions++
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  // Asked without a socket: requests that come over the network are not all there before the first one is answered.
  const asked = Array.from({ length: 100 }, () => healthReady.respond({ ...harness.runtime, pool }, HEALTH_REQUEST, NO_TRACE))
  assert.ok((await Promise.all(asked)).every((answer) => answer.ok && answer.value.status === 200))
  assert.ok((await healthReady.respond({ ...harness.runtime, pool }, HEALTH_REQUEST, NO_TRACE)).ok)
  assert.equal(questions, 1)
})

const HEALTH_REQUEST: ApiRequest = {
  method: 'GET',
  path: '/health',
  search: '',
  peerAddress: '127.0.0.1',
  isForwarded: false,
  headers: {},
  header: () => undefined,
  readBody: async () => ok(new Uint8Array()),
}

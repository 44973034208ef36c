import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { z } from 'zod'
import { errorSchema, initiationSchema } from '#lib/schemas/api/responses.ts'
import { aCollect, collectBody, type HttpHarness, openHttpHarness } from '#server/http/testing/http-harness.ts'
import { answersOf, headOf, talk } from '#server/http/testing/raw-client.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { BodyBudget } from '../request/body-budget.ts'

const MB = 1024 * 1024
const TRANSACTION = '/api/v1/transaction'
const SHARES = { totalMax: 12 * MB, applicationMax: 6 * MB, addressesMax: 3 * MB, addressMax: 2 * MB }
let harness: HttpHarness
let budget: BodyBudget
/** Lengths of the bodies that reached the pages. */
const pageBodies: number[] = []

before(async () => {
  budget = new BodyBudget(SHARES)
  harness = await openHttpHarness({ frontDoor: { fallback: readAsPage, budget, bodyTimeoutMs: 1_500, pageBodyTimeoutMs: 1_500 } })
})
after(() => harness.close())

async function readAsPage(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  let bytes = 0
  for await (const chunk of incoming) bytes += (chunk as Buffer).length
  pageBodies.push(bytes)
  outgoing.end(`page with ${bytes}`)
}

const credentials = (headers = harness.headers): string[] => Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
const isAnswered = (text: string): boolean => answersOf(text).length > 0

function declared(path: string, bytes: number, lines: readonly string[] = []): string {
  return headOf(`POST ${path} HTTP/1.1`, [...lines, `Content-Length: ${bytes}`]) + ' '.repeat(bytes)
}

function chunked(path: string, bytes: number, lines: readonly string[] = []): string {
  return `${headOf(`POST ${path} HTTP/1.1`, [...lines, 'Transfer-Encoding: chunked'])}${bytes.toString(16)}\r\n${' '.repeat(bytes)}\r\n0\r\n\r\n`
}

const ACTION = ['Next-Action: 7f']
/** How a refusal is written: one sentence for a server action, a code for a program, a page for people. */
function formatOf(path: string, lines: readonly string[]): [type: string, text: RegExp] {
  if (lines.some((line) => ACTION.includes(line))) return ['text/plain; charset=utf-8', /^The request is too large/]
  return path.startsWith('/api/')
    ? ['application/json', /^\{"code":"too_large"\}$/]
    : ['text/html; charset=utf-8', /<h1>This form is too large/]
}

const FORM = ['Content-Type: multipart/form-data; boundary=x']

for (const [path, lines, bytesMax] of [
  ['/api/auth/callback/credentials', [], 64 * 1024],
  ['/api/auth/anything', FORM, 64 * 1024],
  ['/api/auth/callback/credentials', ACTION, 64 * 1024],
  ['/api/back-office/x/transactions/export', [], 64 * 1024],
  ['/sign-in', [], 64 * 1024],
  ['/no/such/page', [], 64 * 1024],
  ['/sign-in', ACTION, MB],
  ['/sign-in', FORM, 64 * 1024],
  ['/sign-in', [...ACTION, ...FORM], 64 * 1024],
] as const) {
  test(`413 for more than ${bytesMax} bytes to ${path} ${lines.join()}, declared and chunked, and no page sees them`, async () => {
    pageBodies.length = 0
    for (const write of [declared, chunked]) {
      const taken = await talk(harness.port, write(path, bytesMax, [...lines, 'Connection: close']))
      assert.match(taken, new RegExp(`page with ${bytesMax}`))
      for (const bytes of [bytesMax + 1, path === '/sign-in' && lines.length === 0 ? 20 * MB : 3 * MB]) {
        const [answer] = answersOf(await talk(harness.port, write(path, bytes, lines)))
        assert.equal(answer?.status, 413, `${write.name} ${bytes}`)
        const [type, text] = formatOf(path, lines)
        assert.match(answer?.head ?? '', new RegExp(`^content-type: ${type}`, 'im'))
        assert.match(answer?.body ?? '', text)
      }
    }
    assert.deepEqual(pageBodies, [bytesMax, bytesMax])
    assert.equal(budget.heldBytes, 0)
  })
}

test('413 in French for a reader who prefers French', async () => {
  const answer = await talk(harness.port, declared('/sign-in', 100_000, ['Accept-Language: fr-CM, en;q=0.5']), isAnswered)
  assert.match(Buffer.from(answersOf(answer)[0]?.body ?? '', 'latin1').toString(), /trop volumineux/)
})

test('413 with the five fields for a body that is too large at every path of the API, declared and chunked', async () => {
  for (const path of [
    `${TRANSACTION}/collect`,
    `${TRANSACTION}/deposit`,
    `${TRANSACTION}/depositMultiple`,
    '/public/access_token',
    '/public/refresh_token',
  ])
    for (const write of [declared, chunked]) {
      const [answer] = answersOf(await talk(harness.port, write(path, path.endsWith('/depositMultiple') ? 20 * MB : 3 * MB, credentials())))
      assert.equal(answer?.status, 413, path)
      errorSchema.parse(JSON.parse(answer?.body ?? ''))
    }
  assert.equal(budget.heldBytes, 0)
})

test('100 before a page’s body that fits, and 413 instead before one that does not', async () => {
  const start = (bytes: number) =>
    headOf('POST /sign-in HTTP/1.1', ['Expect: 100-continue', `Content-Length: ${bytes}`, 'Connection: close'])
  assert.match(await talk(harness.port, start(MB)), /^HTTP\/1\.1 413 /)
  assert.match(await talk(harness.port, `${start(5)}hello`), /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /)
})

test('400 for a page’s body that is not HTTP, 408 for one that stops', async () => {
  const bad = await talk(harness.port, `${headOf('POST /sign-in HTTP/1.1', ['Transfer-Encoding: chunked'])}zz\r\n`, isAnswered)
  assert.equal(answersOf(bad)[0]?.status, 400)
  const slow = await talk(harness.port, `${headOf('POST /sign-in HTTP/1.1', ['Content-Length: 10'])}half`, isAnswered)
  assert.equal(answersOf(slow)[0]?.status, 408)
})

test('200 for a thousand elements whose fields have their maximum length, even when every letter of the names is escaped', async () => {
  for (const write of [
    (text: string) => text,
    (text: string) => text.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`),
  ]) {
    const element = {
      customerName: '😀'.repeat(200),
      phoneNumber: '237699000111234',
      amount: 9_999_999_999.99,
      webhookUrl: `https://partner.example/${'x'.repeat(2_024)}`,
    }
    const body = write(JSON.stringify(Array.from({ length: 1_000 }, () => aCollect(element))))
    const response = await fetch(`${harness.baseUrl}${TRANSACTION}/depositMultiple`, { method: 'POST', headers: harness.headers, body })
    assert.equal(response.status, 200, String(body.length))
    assert.equal(z.array(initiationSchema).parse(await response.json()).length, 1_000)
  }
  assert.equal(budget.heldBytes, 0)
})

/** Opens a request whose body stops short of its length. */
async function openStopped(path: string, bytes: number, lines: readonly string[]): Promise<Socket> {
  const socket = connect(harness.port, '127.0.0.1')
    .setEncoding('latin1')
    .on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(headOf(`POST ${path} HTTP/1.1`, [...lines, `Content-Length: ${bytes + 1}`]) + ' '.repeat(bytes))
  return socket
}

test('408 or 503 for bodies that stop: no more of them are held than the share of their application', async () => {
  const sockets = await Promise.all(
    Array.from({ length: 40 }, () => openStopped(`${TRANSACTION}/depositMultiple`, 1_000_000, credentials())),
  )
  const statuses = await Promise.all(sockets.map(async (socket) => answersOf(String((await once(socket, 'data'))[0]))[0]?.status)).then(
    (all) => Object.groupBy(all, (status) => status ?? 0),
  )
  assert.deepEqual(Object.keys(statuses), ['408', '503'])
  assert.ok((statuses[408]?.length ?? 0) <= SHARES.applicationMax / 1_000_000)
  for (const socket of sockets) socket.destroy()
  await waitUntil('the budget is returned', () => budget.heldBytes === 0)
})

test('200 for a body of one-byte chunks, which takes the memory of its bytes', async () => {
  const body = collectBody({ externalId: randomUUID(), note: 'x'.repeat(20_000) })
  const bytes = headOf(`POST ${TRANSACTION}/collect HTTP/1.1`, [...credentials(), 'Transfer-Encoding: chunked', 'Connection: close'])
  const chunks = Array.from(body, (character) => `1\r\n${character}\r\n`).join('')
  assert.equal(answersOf(await talk(harness.port, `${bytes}${chunks}0\r\n\r\n`))[0]?.status, 200)
})

test('false for bytes beyond a share, and all that were taken are returned', () => {
  const small = new BodyBudget({ totalMax: 100, applicationMax: 60, addressesMax: 50, addressMax: 30 })
  const a = small.open({ kind: 'application', id: 'a' })
  const b = small.open({ kind: 'application', id: 'b' })
  const near = small.open({ kind: 'address', id: '192.0.2.1' })
  const far = small.open({ kind: 'address', id: '192.0.2.2' })
  assert.deepEqual(
    [a.raiseTo(60), a.raiseTo(61), near.raiseTo(31), near.raiseTo(30), far.raiseTo(21), far.raiseTo(10)],
    [true, false, false, true, false, true],
  )
  assert.deepEqual([b.raiseTo(1), small.heldBytes], [false, 100])
  a.release()
  a.release()
  assert.deepEqual([b.raiseTo(60), small.heldBytes], [true, 100])
  for (const hold of [b, near, far]) hold.release()
  assert.equal(small.heldBytes, 0)
})

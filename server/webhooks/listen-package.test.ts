import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { after, afterEach, before, test } from 'node:test'
import { promisify } from 'node:util'
import { LISTEN_FILE, LISTEN_PATH } from '#lib/partner/reference.ts'
import { ok } from '#lib/result.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { type HttpHarness, openHttpHarness } from '#server/http/testing/http-harness.ts'
import { anIntakeItem } from '#server/testing/factories.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { transition } from '#server/transactions/transition.ts'
import { verifyWebhook } from './send/sign-webhook.ts'

const run = promisify(execFile)
/** In a folder of its own, because a package.json ends the imports of the one around it. */
let harness: HttpHarness
let folder: string
const children: ChildProcess[] = []

before(async () => {
  harness = await openHttpHarness({ config: { isSandbox: true } })
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-listen-'))
  const served = await fetch(harness.baseUrl + LISTEN_PATH)
  await writeFile(path.join(folder, LISTEN_FILE), Buffer.from(await served.arrayBuffer()))
  await run('tar', ['-xzf', LISTEN_FILE], { cwd: folder })
})
afterEach(() => {
  for (const child of children.splice(0)) child.kill()
})
after(async () => {
  await harness.close()
  await rm(folder, { recursive: true, force: true })
})

/** Ends new transactions of the partner, in this order. `webhookUrl` null: no program waits for the result. */
async function endTransactions(events: readonly ('succeeded' | 'failed')[], webhookUrl: string | null = 'https://partner.example/h') {
  const { applicationId } = harness.partner
  const items = events.map(() =>
    anIntakeItem(applicationId, {
      type: 'COLLECT',
      webhookUrl,
      ...(webhookUrl === null ? { source: 'person', makerId: randomUUID() } : {}),
    }),
  )
  await takeIn(harness.database.pool, items)
  for (const [index, event] of events.entries()) {
    const transactionId = items[index]?.transactionId ?? ''
    const move = { applicationId, transactionId, event, message: 'ok', actor: { kind: 'operator' as const, id: null } }
    await withTransaction(harness.database.pool, async (trx) => ok(await transition(trx, [move])))
  }
  return items.map(({ transactionId }) => transactionId)
}

/** The developer's server. */
async function startLocal(port = 0) {
  const received: { id: string; isSigned: boolean }[] = []
  const server: Server = createServer(async (request, response) => {
    const body = await text(request)
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    received.push({ id: JSON.parse(body).transactionId, isSigned: verifyWebhook(headers, body, harness.partner.webhookSecret, new Date()) })
    response.writeHead(received.length === 1 ? 500 : 200).end()
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { received, port: (server.address() as AddressInfo).port, close }
}

/** Runs the packed program and collects what it prints. */
function startListen(port: number, args: readonly string[] = [], env: Record<string, string> = {}) {
  const { apiKey, apiId, username, password } = harness.partner
  const child = spawn(
    process.execPath,
    [path.join(folder, 'package/countersign.mjs'), 'listen', '--forward-to', `127.0.0.1:${port}/hooks`, ...args],
    {
      env: {
        ...process.env,
        BASE_URL: harness.baseUrl,
        API_KEY: apiKey,
        API_ID: apiId,
        API_USER: username,
        API_PASSWORD: password,
        ...env,
      },
    },
  )
  children.push(child)
  const printed = { text: '' }
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk: string) => (printed.text += chunk))
  return { printed, ended: new Promise<number | null>((resolve) => child.once('close', resolve)), child }
}

test('served as npm packs it: the same files, under the version of its description', async () => {
  const own = path.join(folder, 'by-npm')
  await mkdir(own)
  const source = path.join(import.meta.dirname, '../listen')
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', own], { cwd: source })
  assert.equal(stdout.trim(), LISTEN_FILE)
  await run('tar', ['-xzf', LISTEN_FILE], { cwd: own })
  const names = ['README.md', 'countersign.mjs', 'package.json']
  for (const place of [folder, own]) assert.deepEqual((await readdir(path.join(place, 'package'))).toSorted(), names)
  for (const name of names)
    assert.deepEqual(await readFile(path.join(folder, 'package', name)), await readFile(path.join(own, 'package', name)), name)
})

test('run by npm from its address, as the guide says', async () => {
  const command = ['exec', '--yes', `--package=${harness.baseUrl}${LISTEN_PATH}`, '--', 'countersign', 'listen']
  const env = { ...process.env, npm_config_cache: path.join(folder, 'cache'), BASE_URL: harness.baseUrl, API_KEY: '' }
  const failed = await run('npm', command, { cwd: folder, env }).catch((error: Error & { stderr?: string }) => error.stderr ?? '')
  assert.match(String(failed), /Usage: countersign listen/)
})

// Before any program listens: after a program has ended, its last call still waits for up to ten seconds, and is counted.
test('200 with a page of fifty and the cursor behind it; 400 and 429 for wrong and for too many calls', async () => {
  const ask = (query: string) => fetch(`${harness.baseUrl}/api/v2/webhook-events${query}`, { headers: harness.headers })
  const { cursor } = await (await ask('')).json()
  const ids = await endTransactions(Array.from({ length: 53 }, (_, place) => (place % 3 === 0 ? 'failed' : 'succeeded')))
  const page = await (await ask(`?after=${cursor}&wait=1`)).json()
  const rest = await (await ask(`?after=${page.cursor}`)).json()
  assert.deepEqual([page.events.length, page.events.at(-1).cursor, rest.events.length], [50, page.cursor, 3])
  assert.deepEqual(
    [...page.events, ...rest.events].map(({ transactionId }) => transactionId),
    ids,
  )
  assert.deepEqual(await (await ask(`?after=${rest.cursor}`)).json(), { events: [], cursor: rest.cursor })
  for (const query of ['?after=w1.1', '?after=w1.1.1&wait=11', '?wait=x']) assert.equal((await ask(query)).status, 400, query)
  const many = await Promise.all(Array.from({ length: 5 }, () => ask(`?after=${rest.cursor}&wait=2`)))
  assert.deepEqual(many.map(({ status }) => status).toSorted(), [200, 200, 200, 200, 429])
})

test('forwarded in order, signed and once, with a line for each answer; nothing of before and nothing that no program waits for', async () => {
  await endTransactions(['succeeded'])
  const local = await startLocal()
  const { printed } = startListen(local.port)
  await waitUntil('it listens', () => printed.text.includes('Listening.'))
  const ids = [...(await endTransactions(['succeeded', 'failed'])), ...(await endTransactions(['succeeded']))]
  await endTransactions(['failed'], null)
  const [last = ''] = await endTransactions(['failed'])
  await waitUntil('all arrived', () => local.received.length >= 4 && printed.text.includes(last))
  assert.deepEqual(
    local.received,
    [...ids, last].map((id) => ({ id, isSigned: true })),
  )
  assert.match(printed.text, new RegExp(`SUCCESS {2}${ids[0]} {2}-> {2}500 \\(only 200 counts as received\\)`))
  assert.match(printed.text, new RegExp(`FAILED {2}${ids[1]} {2}-> {2}200 `))
  await local.close()
})

test('nothing lost and nothing twice: the local server is away, and the program starts again behind its last webhook', async () => {
  const first = await startLocal()
  const one = startListen(first.port)
  await waitUntil('it listens', () => one.printed.text.includes('Listening.'))
  const [before = ''] = await endTransactions(['succeeded'])
  await waitUntil('the first arrived', () => one.printed.text.includes(before))
  await first.close()
  const away = await endTransactions(['failed', 'succeeded'])
  await waitUntil('it says that nothing listens', () => one.printed.text.includes('Nothing listens at'))
  const second = await startLocal(first.port)
  await waitUntil('both arrived', () => away.every((id) => one.printed.text.includes(id)))
  one.child.kill()
  await one.ended
  const cursor = one.printed.text.match(/w1\.\d+\.\d+/g)?.at(-1) ?? ''
  const later = await endTransactions(['succeeded'])
  const two = startListen(second.port, ['--after', cursor])
  await waitUntil('the last arrived', () => two.printed.text.includes(later[0] ?? 'none'))
  assert.deepEqual(
    [...first.received, ...second.received].map(({ id }) => id),
    [before, ...away, ...later],
  )
  await second.close()
})

test('exit 1 with one sentence: a wrong password, a missing setting, no address, a cursor that is none', async () => {
  for (const [args, env, sentence] of [
    [[], { API_PASSWORD: 'wrong' }, /^Sign-in refused: Invalid username or password\./],
    [[], { API_KEY: '' }, /^The environment has no API_KEY\./],
    [['more'], {}, /^Usage: countersign listen/],
    [['--after', 'nonsense'], {}, /^Refused with 400: after must be the cursor of an earlier response\./],
    [[], { API_KEY: 'csk_wrong' }, /^Refused with 401: /],
  ] as const) {
    const { printed, ended } = startListen(1, args, env)
    assert.equal(await ended, 1)
    assert.match(printed.text, sentence)
  }
})

test('404 outside of a sandbox', async () => {
  const production = await openHttpHarness()
  try {
    const answer = await fetch(`${production.baseUrl}/api/v2/webhook-events`, { headers: production.headers })
    assert.deepEqual([answer.status, (await answer.json()).message], [404, 'Endpoint not found.'])
  } finally {
    await production.close()
  }
})

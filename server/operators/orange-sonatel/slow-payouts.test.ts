import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, afterEach, before, test } from 'node:test'
import { enterCode } from '#server/operators/customer-step/enter-code.ts'
import type { OperatorSettings } from '#server/operators/settings/operator-settings.ts'
import { OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { killProcess, startDispatcherProcess } from '#server/operators/testing/processes/start-dispatcher-process.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'

const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const KEY = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
const SEARCH = /^\/api\/eWallet\/v1\/transactions\?reference=(.+)$/
/** More than are needed before a payout is sent again that was denied. */
const SEARCHES = 5

let harness: OperatorHarness
let server: Server
let url = ''
const processes: ChildProcess[] = []

/** Every call about a payment: `paid` or `searched` and its reference, in order. */
let calls: string[] = []
/** The references that searches find. */
const found = new Set<string>()
/** The payouts that the operator works on, until it answers. */
const working = new Map<string, ServerResponse>()
/** Called when a search arrives, before it is answered: how many came before. */
let onSearch: (reference: string, earlier: number) => void = () => undefined

before(async () => {
  harness = await OperatorHarness.open()
  server = createServer(async (request, response) => {
    const body = await text(request)
    if (request.url === '/oauth/v1/token') return say(response, { access_token: 'token', expires_in: 300 })
    if (request.url === '/api/account/v1/publicKeys') return say(response, { key: KEY })
    const [, searched] = SEARCH.exec(request.url ?? '') ?? []
    if (searched !== undefined) {
      onSearch(searched, countOf('searched', searched))
      calls.push(`searched ${searched}`)
      return say(response, found.has(searched) ? [transactionOf(searched)] : [])
    }
    const reference = /"reference":"([^"]+)"/.exec(body)?.[1] ?? /<ext_txn_id>([^<]+)</.exec(body)?.[1] ?? ''
    calls.push(`paid ${reference}`)
    working.set(reference, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // Not a pipe: it listens on a host.
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(async () => {
  await Promise.all(processes.splice(0).map(killProcess))
  await harness.database.pool.query('delete from operator_work')
  calls = []
  onSearch = () => undefined
})
after(async () => {
  server.closeAllConnections()
  server.close()
  await harness.close()
})

function say(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function transactionOf(reference: string): object {
  const movement = { amount: { value: 5_000, unit: 'XOF' }, customer: { idType: 'MSISDN', id: '772093341' } }
  return { transactionId: `CI ${reference}`, status: 'SUCCESS', reference, ...movement }
}

/** Answers the payout, long after the caller has gone or in time. */
function answer({ transactionId }: Pick<IntakeItem, 'transactionId'>): void {
  const response = working.get(transactionId)
  assert.ok(response)
  say(response, transactionOf(transactionId))
}

function countOf(what: 'paid' | 'searched', reference: string): number {
  return calls.filter((call) => call === `${what} ${reference}`).length
}

function untilPaid({ transactionId }: IntakeItem): Promise<unknown> {
  return waitUntil('the call that pays has arrived', () => countOf('paid', transactionId) > 0)
}

function untilSearched({ transactionId }: IntakeItem): Promise<unknown> {
  const earlier = countOf('searched', transactionId)
  return waitUntil('it is searched for again and again', () => countOf('searched', transactionId) >= earlier + SEARCHES)
}

function sonatel(more: Record<string, unknown> = {}): OperatorSettings {
  const account = { environment: 'sandbox', clientId: 'client', clientSecret: 'secret', merchantCode: '123456' }
  return {
    operator: 'SNOM',
    protocol: 'orange-sonatel',
    document: { ...account, baseUrl: url, channelMsisdn: '771000001', pin: '2468', ...more },
  }
}

async function startProcess(settings: readonly OperatorSettings[]): Promise<ChildProcess> {
  const child = await startDispatcherProcess({ databaseUrl: harness.database.url, settings })
  processes.push(child)
  return child
}

function payOut(): Promise<IntakeItem> {
  return harness.make({ operator: 'SNOM', type: 'DEPOSIT', phoneNumber: '221772093341' })
}

/** Enters a code as often as one is awaited, until it has paid: on a slow machine a code may be taken too late to be sent. */
function payWithCode(collect: IntakeItem): Promise<unknown> {
  return waitUntil('the call that pays has arrived', async () => {
    if (countOf('paid', collect.transactionId) > 0) return true
    const { payToken } = await harness.read(collect)
    await enterCode(harness.database.pool, payToken ?? '', '123456', 6)
    return false
  })
}

/** The moment at which the slow answer comes; `isFound`: searches show the payout from its arrival on, otherwise from its answer on. */
const MOMENTS: readonly (readonly [moment: string, searchesBefore: number, isFound: boolean])[] = [
  ['while its call is waited for', 0, false],
  ['with the first search, after the deadline of its call', 1, true],
  ['with the first search, which does not show it', 1, false],
  ['with the third search, of which none shows it', 3, false],
  ['after the lease, with many searches of which none shows it', 40, false],
]

test('one payout each, and SUCCESS, whenever a slow operator without keys answers, with two worker processes', async () => {
  await Promise.all([startProcess([sonatel()]), startProcess([sonatel()])])
  const items = await Promise.all(MOMENTS.map(() => payOut()))
  const moments = items.map((item, place) => ({ item, moment: MOMENTS[place] ?? assert.fail() }))
  onSearch = (reference, earlier) => {
    const due = moments.find(({ item }) => item.transactionId === reference)
    if (due?.moment[2]) found.add(reference)
    if (!due || earlier + 1 !== due.moment[1]) return
    answer(due.item)
    found.add(reference)
  }
  for (const { item, moment } of moments) {
    await untilPaid(item)
    if (moment[1] > 0) continue
    answer(item)
    found.add(item.transactionId)
  }
  for (const { item, moment } of moments) {
    assert.equal((await harness.untilFinal(item)).status, 'SUCCESS', moment[0])
    assert.equal(countOf('paid', item.transactionId), 1, moment[0])
  }
})

test('unconfirmed and sent once, in the other worker process too, if nothing shows whether a payout was carried out before its process was killed', async () => {
  const burkina: OperatorSettings = {
    operator: 'BFOM',
    protocol: 'orange-bf',
    document: { baseUrl: url, merchantMsisdn: '76000001', apiUsername: 'user', apiPassword: 'password' },
  }
  const first = await startProcess([sonatel(), burkina])
  const [shown, hidden] = await Promise.all([payOut(), payOut()])
  const collect = await harness.make({ operator: 'BFOM', type: 'COLLECT', phoneNumber: '22676123341' })
  await payWithCode(collect)
  for (const item of [shown, hidden]) await untilPaid(item)
  const second = startProcess([sonatel(), burkina])
  await killProcess(first)
  processes.splice(processes.indexOf(first), 1)
  found.add(shown.transactionId)
  await second
  assert.equal((await harness.untilFinal(shown)).status, 'SUCCESS')
  await untilSearched(hidden)
  for (const item of [hidden, collect])
    await waitUntil('it is left for people', async () => (await harness.workOf(item))?.['state'] === 'unconfirmed')
  await untilSearched(hidden)
  for (const item of [shown, hidden, collect]) assert.equal(countOf('paid', item.transactionId), 1)
  for (const item of [hidden, collect]) assert.equal((await harness.read(item)).status, 'PENDING')
})

test('sent again by the other worker process only after two searches and one more denied it, where that was agreed to prove something', async () => {
  const settings = [sonatel({ believesEmptySearches: true })]
  const first = await startProcess(settings)
  const item = await payOut()
  await untilPaid(item)
  const second = startProcess(settings)
  await killProcess(first)
  processes.splice(processes.indexOf(first), 1)
  await second
  await waitUntil('it is sent again', () => countOf('paid', item.transactionId) === 2)
  answer(item)
  found.add(item.transactionId)
  assert.equal((await harness.untilFinal(item)).status, 'SUCCESS')
  const [once, ...between] = calls.slice(0, calls.lastIndexOf(`paid ${item.transactionId}`))
  assert.equal(once, `paid ${item.transactionId}`)
  // One whose answer died with the first process counts for nothing.
  assert.ok(between.length >= 3 && between.every((call) => call === `searched ${item.transactionId}`), between.join(', '))
})

test('unconfirmed and sent once for a payment with a code that nothing shows, after the settings changed to QR codes', async () => {
  const first = await startProcess([sonatel()])
  const collect = await harness.make({ operator: 'SNOM', type: 'COLLECT', phoneNumber: '221772093341' })
  await payWithCode(collect)
  await killProcess(first)
  processes.splice(processes.indexOf(first), 1)
  await startProcess([sonatel({ collectBy: 'qr' })])
  await untilSearched(collect)
  assert.equal((await harness.workOf(collect))?.['state'], 'unconfirmed')
  assert.equal(countOf('paid', collect.transactionId), 1)
})

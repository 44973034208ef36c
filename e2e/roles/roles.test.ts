import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { signIn as signInPartner } from '#e2e/contract/service.ts'
import { aCollect } from '#e2e/processes/requests.ts'
import { can } from '#lib/people/permissions.ts'
import { makeBatch } from '#server/batches/testing/make-batch.ts'
import { makeFileBatch } from '#server/testing/batches/file-batch.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, makePaymentLink, makePerson } from '#server/testing/factories.ts'
import { createTestPartner } from '#server/testing/partner.ts'
import { PRODUCTION, type Service, startService } from '#server/testing/service/start-service.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { ACTIONS, type Access, type Examples, ROUTES, WITHOUT_INPUT } from './access-table.ts'
import { type Caller, gatherCallers } from './callers.ts'
import { findActions, findRoutes, readBuiltActions } from './find-endpoints.ts'
import { fingerprint } from './fingerprint.ts'
import { makeExport } from './make-export.ts'
import { makeImport } from './make-import.ts'

let database: TestDatabase
let service: Service
let callers: Caller[]
let examples: Examples

before(async () => {
  database = await createTestDatabase({ mode: 'production' })
  const here = await createTestPartner(database.pool, { name: 'Role table' })
  const elsewhere = await createTestPartner(database.pool, { name: 'Elsewhere' })
  // Without a worker nothing is dispatched and no transaction moves; the operator only has to be switched on.
  const operator = { OPERATOR_MOMOCM_BASE_URL: 'http://127.0.0.1:9', OPERATOR_MOMOCM_SECRET: 'a secret that no operator knows' }
  service = await startService({
    environment: { ...PRODUCTION, ROLE: 'web', DATABASE_URL: database.url, ...operator },
    readiness: 'pages',
  })
  const { headers } = await signInPartner(service.baseUrl, here)
  const waiting = anIntakeItem(here.applicationId, { bands: [aBand()] })
  await takeIn(database.pool, [waiting])
  const { batchId } = await makeFileBatch(database.pool, { applicationId: here.applicationId, makerId: here.applicationId, count: 2 })
  const personId = await makePerson(database.pool, here.applicationId, ['maker'])
  examples = {
    application: 'role-table',
    operator: 'MOMOCM',
    batchId: await makeBatch(database.pool, {
      applicationId: here.applicationId,
      makerId: personId,
      text: 'Téléphone;Nom;Montant;Opérateur\n237677209341;Clarisse Mbarga;5000;MOMOCM\n',
    }),
    transactionId: await createTransaction(headers),
    waitingId: waiting.transactionId,
    waitingBatchId: batchId,
    personId,
    importId: await makeImport(database.pool, here.applicationId),
    linkId: await makePaymentLink(database.pool, here.applicationId, personId),
    exportId: await makeExport(database.pool, here.applicationId),
  }
  callers = await gatherCallers(service.baseUrl, database.pool, { here: here.applicationId, elsewhere: elsewhere.applicationId })
})

after(async () => {
  await service.stop()
  await database.drop()
})

async function createTransaction(headers: Record<string, string>): Promise<string> {
  return waitUntil('the partner is accepted', async () => {
    const answer = await fetch(`${service.baseUrl}/api/v1/transaction/collect`, {
      method: 'POST',
      headers,
      body: JSON.stringify(aCollect()),
    })
    return answer.status === 200 && ((await answer.json()) as { transactionId: string }).transactionId
  })
}

test('one row in the table for every page, data address and action', async () => {
  assert.deepEqual((await findRoutes()).map(({ name }) => name).toSorted(), Object.keys(ROUTES).toSorted())
  assert.deepEqual(await findActions(), Object.keys(ACTIONS).toSorted())
  for (const { name } of await readBuiltActions()) assert.ok(ACTIONS[name], `${name} can be called and is not in the table`)
})

test('200 at every page and data address for exactly the callers that the permission table admits', async () => {
  const wrong: string[] = []
  for (const { name, kind } of await findRoutes()) {
    const row = ROUTES[name]
    if (!row) continue
    const [method = '', pattern = ''] = name.split(' ')
    const address = fill(row.address ?? pattern)
    for (const caller of callers) {
      const answer = await request(method, address, caller.cookie, row)
      const wanted = decide(row.access, caller)
      const expected = wanted === 'allowed' ? [row.allowed ?? 200] : row.refused ? [row.refused] : REFUSALS[kind][wanted]
      if (!expected.includes(answer.status)) wrong.push(`${name} as ${caller.name}: ${answer.status} instead of ${expected.join(' or ')}`)
      if (kind === 'page' && wanted === 'unauthenticated' && !answer.location.startsWith('/sign-in'))
        wrong.push(`${name} as ${caller.name} leads to ${answer.location}`)
    }
  }
  assert.deepEqual(wrong, [])
})

test('the code of the table from every action, and nothing is written for input that makes no sense', async () => {
  const wrong: string[] = []
  const before = await fingerprint(database.pool)
  let turn = 0
  for (const { name, id, page } of await readBuiltActions()) {
    const access = ACTIONS[name]
    if (!access) continue
    const firstAllowed = callers.find((caller) => caller.standing.kind !== 'nobody' && decide(access, caller) === 'allowed')
    for (const caller of callers) {
      const wanted = decide(access, caller)
      const mayAct = wanted === 'allowed' && caller.standing.kind !== 'nobody'
      if (mayAct && WITHOUT_INPUT.has(name)) continue
      // A refusal comes before the input is read, and input is read the same way for everybody who may act: one of each sort is enough
      // there, another one for each action and caller. The first who may act tries all of them.
      turn++
      const isTried = (place: number) => caller === firstAllowed || place === turn % WHOLE_REFUSALS || place === WHOLE_REFUSALS + (turn % 5)
      for (const [place, input] of GARBAGE.entries()) {
        if (!isTried(place)) continue
        const answer = await act(id, fill(page), caller.cookie, input)
        const where = `${name} as ${caller.name} with garbage ${place}`
        if (answer.status >= 500) wrong.push(`${where}: ${answer.status}`)
        else if (access !== 'public' && place < WHOLE_REFUSALS) {
          const expected = wanted === 'allowed' ? 'invalid' : wanted
          if (answer.code !== expected) wrong.push(`${where}: ${answer.code ?? answer.text.slice(0, 200)} instead of ${expected}`)
        }
      }
    }
  }
  assert.deepEqual(wrong, [])
  assert.deepEqual(await fingerprint(database.pool), before, 'nothing in the database moved')
})

type Wanted = 'allowed' | 'led_on' | 'unauthenticated' | 'not_found' | 'forbidden'

/** The entry of the table for a caller, as the code that actions return. */
function decide(access: Access, { standing }: Caller): Wanted {
  if (access === 'public') return 'allowed'
  if (standing.kind === 'nobody') return access === 'guest' ? 'allowed' : 'unauthenticated'
  if (access === 'guest') return 'led_on'
  if (access === 'self') return 'allowed'
  if (standing.kind !== 'member') return 'not_found'
  // It is the only right that a deputy has.
  const isDeputys = standing.isDeputy === true && access === 'transaction:decide'
  return access === 'member' || isDeputys || can(standing.roles, access) ? 'allowed' : 'forbidden'
}

const REFUSALS: Record<'page' | 'data', Record<Exclude<Wanted, 'allowed'>, readonly number[]>> = {
  page: { led_on: [307], unauthenticated: [307], not_found: [404], forbidden: [403] },
  data: { led_on: [307], unauthenticated: [401], not_found: [404], forbidden: [403] },
}

/** The first of these name the application, so that a refusal can be told from a misunderstanding. */
const WHOLE_REFUSALS = 5
const APPLICATION = 'role-table'
const GARBAGE: readonly (readonly unknown[])[] = [
  [APPLICATION, { transactionId: 'no id', items: 'none', viewId: 7, name: '', query: 9, note: {} }],
  [APPLICATION, null],
  [APPLICATION, 'words'],
  [APPLICATION, [[[]]]],
  [APPLICATION, { items: [{ transactionId: null }], decision: 'perhaps', constructor: { prototype: 1 } }],
  [],
  [null, null],
  [{ application: APPLICATION }, 12],
  ["'; drop table transactions; --", { transactionId: '\u0000' }],
  [APPLICATION, 'x'.repeat(100_000)],
]

function fill(pattern: string): string {
  return pattern.replaceAll(/\[(\w+)\]/g, (_, name: string) => (examples as Record<string, string>)[name] ?? `no-${name}`)
}

async function request(
  method: string,
  address: string,
  cookie: string,
  { form, upload }: { form?: Record<string, string>; upload?: string },
): Promise<{ status: number; location: string }> {
  // A live stream has no end.
  const stop = new AbortController()
  const answer = await fetch(service.baseUrl + address, {
    method,
    redirect: 'manual',
    signal: stop.signal,
    headers: { cookie, accept: 'text/html', ...(upload !== undefined && { 'content-type': 'application/octet-stream' }) },
    ...(form && { body: new URLSearchParams(form) }),
    ...(upload !== undefined && { body: upload }),
  })
  const location = (answer.headers.get('location') ?? '').replace(/^https?:\/\/[^/]+/, '')
  if (!answer.headers.get('content-type')?.startsWith('text/event-stream')) await answer.arrayBuffer()
  stop.abort()
  return { status: answer.status, location }
}

/** Calls a server action as the browser does, with arguments of one's own. */
async function act(
  id: string,
  page: string,
  cookie: string,
  input: readonly unknown[],
): Promise<{ status: number; code?: string | undefined; text: string }> {
  const answer = await fetch(service.baseUrl + page, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie, 'next-action': id, accept: 'text/x-component', 'content-type': 'text/plain;charset=UTF-8', origin: service.baseUrl },
    body: JSON.stringify(input),
  })
  const text = await answer.text()
  return { status: answer.status, code: /"error":\{"code":"(\w+)"/.exec(text)?.[1], text }
}

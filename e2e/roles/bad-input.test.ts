import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { ZodObject } from 'zod'
import { LIST_COLUMNS } from '#lib/payments/transactions/transaction-exports.ts'
import { ROLES } from '#lib/people/permissions.ts'
import { readExactAddress } from '#lib/schemas/read-address.ts'
import { makeBatch } from '#server/batches/testing/make-batch.ts'
import { MESSAGES } from '#server/messages.ts'
import { insertUpload } from '#server/reconciliation/statements/statement-store.ts'
import { makeFileBatch } from '#server/testing/batches/file-batch.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, makePaymentLink, makePerson } from '#server/testing/factories.ts'
import { createTestPartner } from '#server/testing/partner.ts'
import { PRODUCTION, type Service, startService } from '#server/testing/service/start-service.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { ACTIONS } from './access-table.ts'
import { INPUTS } from './action-inputs.ts'
import { shareOf, WRONG_QUERY_VALUES, WRONG_SEGMENTS, WRONG_TEXTS, WRONG_TYPES } from './bad-values.ts'
import { newPerson } from './callers.ts'
import { type Endpoint, findRoutes, readBuiltActions } from './find-endpoints.ts'
import { fingerprint } from './fingerprint.ts'
import { makeExport } from './make-export.ts'
import { makeImport } from './make-import.ts'
import { PARAMETERS, SCHEMAS } from './query-schemas.ts'
import { type Sent, sendRequest } from './send-request.ts'

const APPLICATION = 'bad-input'
let database: TestDatabase
let service: Service
/** A person with every role, so that nothing but the input can be refused. */
let cookie: string
let waitingId: string
let exportId: string
/** A statement whose upload was begun. */
let fileId: string
/** A submitted batch whose rows wait. */
let waitingBatchId: string
let batchId: string
let personId: string
let linkId: string
let importId: string

before(async () => {
  database = await createTestDatabase({ mode: 'production' })
  const here = await createTestPartner(database.pool, { name: 'Bad input' })
  await createTestPartner(database.pool, { name: 'Elsewhere' })
  await database.pool.query('update applications set runs_installation = true where application_id = $1', [here.applicationId])
  service = await startService({ environment: { ...PRODUCTION, ROLE: 'web', DATABASE_URL: database.url }, readiness: 'pages' })
  const waiting = anIntakeItem(here.applicationId, { bands: [aBand()] })
  await takeIn(database.pool, [waiting])
  waitingId = waiting.transactionId
  exportId = await makeExport(database.pool, here.applicationId)
  waitingBatchId = (await makeFileBatch(database.pool, { applicationId: here.applicationId, makerId: here.applicationId, count: 2 }))
    .batchId
  personId = await makePerson(database.pool, here.applicationId, ['maker'])
  batchId = await makeBatch(database.pool, {
    applicationId: here.applicationId,
    makerId: personId,
    text: 'Téléphone;Nom;Montant;Opérateur\n237677209341;Clarisse Mbarga;5000;MOMOCM\n',
  })
  importId = await makeImport(database.pool, here.applicationId)
  linkId = await makePaymentLink(database.pool, here.applicationId, personId)
  const upload = { wallet: 'OMCM', fileName: 'a.csv', byteCount: 5, modifiedMs: 0, uploadedBy: personId }
  fileId = (await insertUpload(database.pool, { applicationId: here.applicationId, fileId: randomUUID(), ...upload })).fileId
  cookie = (await newPerson(service.baseUrl, database.pool, here.applicationId, ROLES)).cookie
})
after(async () => {
  await service.stop()
  await database.drop()
})

/** A service that has little memory left may refuse a large body for a moment, as the interface documents; the caller tries again. */
function send(path: string, method = 'GET', more: { headers?: Record<string, string>; body?: string } = {}): Promise<Sent> {
  const attempt = () => sendRequest(service.baseUrl, { path, method, ...more, headers: { cookie, accept: 'text/html', ...more.headers } })
  const isAnswered = async () => {
    const answer = await attempt()
    return answer.status === 503 && /too much data/.test(answer.body) ? undefined : answer
  }
  return waitUntil(`${method} ${path.slice(0, 60)} is answered`, isAnswered, { limitMs: 30_000, pauseMs: 250 })
}

/** Things that exist, to fill into an address. Some addresses are about batches that were submitted, the others about drafts. */
function examplesFor(pattern: string) {
  const isSubmitted = /approvals\/batches|\/(run|results)$/.test(pattern)
  return {
    application: APPLICATION,
    transactionId: waitingId,
    operator: 'MOMOCM',
    exportId,
    fileId,
    batchId: isSubmitted ? waitingBatchId : batchId,
    linkId,
    changeId: importId,
    personId,
    wallet: 'OMCM',
    day: '2026-11-05',
    number: '1',
  }
}

/** Nothing is there for the examples: no wallet is named, nobody has signed the day, no fee was agreed, no file is attached, no call is recorded. */
const ABSENT = [
  'certificates',
  'calls',
  'settlements/[wallet]/[day]/export',
  'fees/[wallet]/claim',
  'transactions/[transactionId]/attachment',
].map((path) => `GET /api/back-office/[application]/${path}`)

const LIVE = 'GET /api/back-office/[application]/live'
/** They take files: tested apart. */
const UPLOADS = [
  'batches',
  'beneficiaries/import',
  ...['statements', 'attachments'].flatMap((kind) => [kind, `${kind}/[fileId]/pieces`, `${kind}/[fileId]/complete`]),
].map((path) => `POST /api/back-office/[application]/${path}`)
async function endpoints(kind: Endpoint['kind']): Promise<{ name: string; method: string; path: string; pattern: string }[]> {
  const found = (await findRoutes()).filter((each) => each.kind === kind && each.name !== LIVE && !UPLOADS.includes(each.name))
  return found.map(({ name }) => {
    const [method = '', pattern = ''] = name.split(' ')
    const filled = examplesFor(pattern)
    return { name, method, pattern, path: pattern.replaceAll(/\[(\w+)\]/g, (_, key: keyof ReturnType<typeof examplesFor>) => filled[key]) }
  })
}

test('400: every data address and export with any value that its query does not allow; 200 with what it does', async () => {
  const wrong: string[] = []
  for (const [turn, { name, method, path }] of (await endpoints('data')).entries()) {
    const schema = SCHEMAS[name]
    for (const [place, parameter] of [...(schema instanceof ZodObject ? Object.keys(schema.shape) : []), 'unknown'].entries()) {
      const unreadable = ['%00', 'a%00b', '%ED%A0%80', '%FF', '%']
      for (const value of shareOf([...WRONG_QUERY_VALUES, ...unreadable], turn + place, 4)) {
        const query = `${parameter}=${value}`
        const answer = await send(`${path}?${query}`, method, method === 'POST' ? FORM : {})
        const isReadable = !/%00|%ED%A0%80|%FF|%$/.test(value)
        const allowed = isReadable && (schema === undefined || readExactAddress(schema, new URLSearchParams(query)).ok)
        const expected = allowed ? (name.endsWith('/exports') ? 400 : ABSENT.includes(name) ? 404 : 200) : 400
        if (answer.status !== expected) wrong.push(`${name} with ${query.slice(0, 60)}: ${answer.status} instead of ${expected}`)
      }
      const twice = await send(`${path}?${parameter}=1&${parameter}=1`, method, method === 'POST' ? FORM : {})
      if (schema && twice.status !== 400) wrong.push(`${name} with ${parameter} twice: ${twice.status}`)
    }
  }
  assert.deepEqual(wrong.slice(0, 40), [])
})

const FORM = { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'format=csv' }

test('404: no application, transaction or operator of that name, in every part of every path; 405 for every other method', async () => {
  const wrong: string[] = []
  for (const [place, { name, method, pattern, path }] of [...(await endpoints('data')), ...(await endpoints('page'))].entries()) {
    const parts = [...pattern.matchAll(/\[(\w+)\]/g)].map((match) => match[1] ?? '')
    for (const part of parts) {
      const filled = examplesFor(pattern)
      for (const segment of shareOf(WRONG_SEGMENTS, place, part === 'application' ? 5 : 2)) {
        const address = pattern.replaceAll(/\[(\w+)\]/g, (_, key: keyof ReturnType<typeof examplesFor>) =>
          key === part ? segment : filled[key],
        )
        const { status } = await send(address, method, method === 'POST' ? FORM : {})
        const isLedOn = method === 'POST' && status === 303
        if (status !== 404 && !isLedOn) wrong.push(`${method} ${address.slice(0, 100)}: ${status}`)
      }
    }
    const others = ['POST', 'PUT', 'PATCH', 'DELETE'].filter((each) => each !== method)
    for (const other of shareOf(others, place, 2)) {
      const isForm = other === 'POST' && !path.startsWith('/api/')
      const { status } = await send(path, other, { body: '{}' })
      if (isForm ? status >= 500 : status !== 405) wrong.push(`${other} ${path} (${name}): ${status}`)
    }
  }
  assert.deepEqual(wrong.slice(0, 40), [])
})

test('403 at every address that answers a file, if another site made the browser send the request', async () => {
  const files: string[] = []
  const wrong: string[] = []
  for (const { name, method, path } of await endpoints('data')) {
    const from = (site: string) =>
      send(path, method, {
        ...(method === 'POST' && { body: FORM.body }),
        headers: { ...(method === 'POST' && FORM.headers), 'sec-fetch-site': site },
      })
    const own = await from('same-origin')
    if (!own.headers['content-disposition']?.startsWith('attachment')) continue
    files.push(name)
    if (own.status !== 200) wrong.push(`${name}: ${own.status} for a page of its own`)
    const site = files.length % 2 === 0 ? 'cross-site' : 'same-site'
    const { status } = await from(site)
    if (status !== 403) wrong.push(`${name} from ${site}: ${status}`)
  }
  assert.deepEqual(wrong, [])
  assert.ok(files.length >= 8, files.join())
})

test('400, 404 or 422 and no row written: an upload with a wrong address, another content type, or a file that cannot be read', async () => {
  const octets = { 'content-type': 'application/octet-stream' }
  const right = `/api/back-office/${APPLICATION}/batches?type=DEPOSIT&fileName=a.csv`
  const statements = `/api/back-office/${APPLICATION}/statements`
  const attachments = `/api/back-office/${APPLICATION}/attachments`
  const before = await fingerprint(database.pool)
  const wrong: string[] = []
  const tries: [string, Record<string, string>, string, number][] = [
    [right, FORM.headers, FORM.body, 400],
    [right, { 'content-type': 'text/csv' }, 'a;b', 400],
    [right, octets, '', 422],
    [right, octets, '%PDF-1.7', 422],
    [right, octets, 'PK\u0003\u0004', 422],
    [right, octets, '\u0000'.repeat(5_000), 422],
    [right, { ...octets, 'sec-fetch-site': 'cross-site' }, 'a;b', 403],
    [right.replace(APPLICATION, 'nothing'), octets, 'a;b', 404],
    [`${statements}?wallet=OMCM&fileName=a.csv&bytes=5&modified=0`, FORM.headers, '', 400],
    [`${statements}?wallet=OMCM&fileName=a.csv&bytes=0&modified=0`, octets, '', 400],
    [`${statements}?wallet=OMCM&fileName=a%00&bytes=5&modified=0`, octets, '', 400],
    [`${statements}?wallet=OMCM&fileName=a.csv&bytes=5&modified=0`, { ...octets, 'sec-fetch-site': 'cross-site' }, '', 403],
    [`${statements}/nothing/pieces?number=0`, octets, 'a;b', 404],
    [`${statements}/${fileId}/pieces?number=-1`, octets, 'a;b', 400],
    [`${statements}/${fileId}/pieces?number=0&number=1`, octets, 'a;b', 400],
    [`${statements}/${randomUUID()}/complete`, octets, '', 404],
    [`${statements}/${fileId}/complete?more=1`, octets, '', 400],
    [`${attachments}?payment=${randomUUID()}&fileName=a.pdf&bytes=5&modified=0`, FORM.headers, '', 400],
    [`${attachments}?payment=${randomUUID()}&fileName=a.pdf&bytes=6000000&modified=0`, octets, '', 409],
    [`${attachments}?payment=${randomUUID()}&fileName=a.pdf&bytes=5&modified=0`, { ...octets, 'sec-fetch-site': 'cross-site' }, '', 403],
    [`${attachments}?payment=nothing&fileName=a.pdf&bytes=5&modified=0`, octets, '', 400],
    [`${attachments}/nothing/pieces?number=0`, octets, '%PDF', 404],
    [`${attachments}/${fileId}/pieces?number=-1`, octets, '%PDF', 400],
    [`${attachments}/${randomUUID()}/complete`, octets, '', 404],
    ...[
      'type=',
      'type=BOTH',
      'type=DEPOSIT',
      'type=DEPOSIT&fileName=',
      'type=DEPOSIT&fileName=a&operator=NONE',
      'type=DEPOSIT&fileName=a%00b',
      'type=DEPOSIT&type=DEPOSIT&fileName=a',
      `type=DEPOSIT&fileName=${'x'.repeat(300)}`,
    ].map((query): [string, Record<string, string>, string, number] => [
      `/api/back-office/${APPLICATION}/batches?${query}`,
      octets,
      'a;b',
      400,
    ]),
  ]
  for (const [path, headers, body, status] of tries) {
    const answer = await send(path, 'POST', { headers, body })
    if (answer.status !== status) wrong.push(`${path} ${JSON.stringify(headers)} ${body.slice(0, 20)}: ${answer.status}`)
  }
  assert.deepEqual(wrong, [])
  assert.deepEqual(await fingerprint(database.pool), before)
})

test('400: an export whose body is not a form, or names no format or no transactions', async () => {
  const address = `/api/back-office/${APPLICATION}/transactions/export`
  const urlencoded = 'application/x-www-form-urlencoded'
  const wrong: string[] = []
  for (const [type, body] of [
    ['', ''],
    ['application/json', '{"format":"csv"}'],
    ['text/plain', 'format=csv'],
    ['multipart/form-data', 'abc'],
    ['multipart/form-data; boundary=x', '--x\r\nContent-Disposition: form-data; name="format"; filename="a"\r\n\r\ncsv\r\n--x--\r\n'],
    [urlencoded, ''],
    [urlencoded, 'format=pdf'],
    [urlencoded, 'format=csv&ids='],
    [urlencoded, 'format=csv&ids=7'],
    [urlencoded, `format=csv&ids=${waitingId},`],
    [urlencoded, `format=csv&ids=${Array(1_001).fill(waitingId).join(',')}`],
    [urlencoded, 'format=csv%00'],
    [urlencoded, 'format=csv&columns='],
    [urlencoded, 'format=csv&columns=id,nothing'],
    [urlencoded, `format=csv&columns=${'id,'.repeat(LIST_COLUMNS.length)}id`],
  ] as const) {
    const { status } = await send(address, 'POST', { headers: { 'content-type': type }, body })
    if (status !== 400) wrong.push(`${type} ${body.slice(0, 60)}: ${status}`)
  }
  assert.deepEqual(wrong, [])
})

test('400 with a page that says so: every page whose address has a date that does not exist; no other value of an address breaks a page', async () => {
  const wrong: string[] = []
  const dates = PARAMETERS.filter((parameter) => /^(from|to)$|After$|Before$/.test(parameter))
  for (const [page, { path }] of (await endpoints('page')).entries()) {
    // All of them at once, so that one request tries each. The dates apart, because one wrong date alone is refused: each value in
    // the place of another date.
    const others = PARAMETERS.filter((each) => !dates.includes(each))
    for (const [place, value] of shareOf([...WRONG_QUERY_VALUES.entries()], page, 6)) {
      for (const parameters of [others, [dates[Math.floor(place / 3) % dates.length] ?? '']]) {
        if (value.length * parameters.length >= 12_000) continue
        const { status } = await send(`${path}?${parameters.map((each) => `${each}=${value}`).join('&')}`)
        if (status >= 500) wrong.push(`${path} with ${parameters.length} parameters ${value.slice(0, 40)}: ${status}`)
      }
    }
    for (const value of shareOf(['%00', '%FF', 'a%00b', '%'], page, 2)) {
      const { status } = await send(`${path}?name=${value}`)
      if (status !== 400) wrong.push(`${path}?name=${value}: ${status}`)
    }
  }
  for (const query of [
    'totals?from=0000-01-01',
    'audit?from=0000-01-01',
    'totals?to=2026-02-30',
    'balances/MOMOCM?from=0000-12-31',
    'transactions?to=0000-01-01',
    'transactions?unconfirmedBefore=0000-01-01T00:00:00Z',
  ]) {
    for (const language of ['en', 'fr'] as const) {
      const { status, body } = await send(`/${APPLICATION}/${query}`, 'GET', { headers: { 'accept-language': language } })
      if (status !== 400 || !body.includes(String(MESSAGES[language]['refusal.addressTitle'])))
        wrong.push(`${query} in ${language}: ${status}`)
    }
  }
  assert.deepEqual(wrong.slice(0, 40), [])
})

/** Valid: a view without a filter, shared or not; no threshold; a payment that replaces none; a browser error with empty texts. */
const RIGHT_AFTER_ALL = new Set([
  'saveView query ""',
  'saveView isShared true',
  'saveView isShared false',
  'saveView isSentMonthly false',
  // Refused for a list that cannot be sent.
  'saveView isSentMonthly true',
  'setThreshold threshold null',
  // All sessions; nobody has this id, so what is right is not found.
  'endSessions sessionId null',
  // An application may have no rules.
  'saveRules rules []',
  ...['countRecovery', 'startRecovery'].flatMap((action) => [true, false].map((value) => `${action} includesDelivered ${value}`)),
  // A person may be in no group and have no amount; a list may have its usual name and purpose. Nobody has this id.
  ...['groupName', 'amount'].map((field) => `editBeneficiary ${field} null`),
  ...['true', 'false'].map((value) => `archiveBeneficiary isArchived ${value}`),
  ...['prepareList name', 'prepareList purpose', 'scheduleList purpose'].map((field) => `${field} null`),
  // A link with an amount has no limits; it may accept any number of payments, and have no end.
  ...['minimum', 'maximum', 'paymentsMax', 'lastDay'].map((field) => `createLink ${field} null`),
  // There are no passkeys at an IP address. Somebody without an authenticator app sends an empty code.
  'addPasskey name ""',
  'startPasskey code ""',
  // No cause is reported in browsers.
  'changeNotices inBrowser []',
  // Nothing is replaced.
  'sendForApproval originId null',
  'keepDraft originId null',
  ...['name', 'message', 'stack', 'path'].map((field) => `reportPageFailure ${field} ""`),
])

/** `turn`: which share of the values takes the place of a whole argument, and of each field. */
function* wrongInputs(action: string, turn: number): Generator<readonly unknown[]> {
  const input = Object.fromEntries(Object.entries(INPUTS[action] ?? {}).map(([name, value]) => [name, value === '' ? waitingId : value]))
  const values = [...WRONG_TYPES, ...WRONG_TEXTS]
  for (const value of shareOf(values, turn, 6)) {
    yield [APPLICATION, value]
    yield [value, input]
  }
  // Of each half of the texts some cannot be stored and one is too long.
  for (const [place, field] of Object.keys(input).entries())
    for (const value of [...shareOf(WRONG_TYPES, turn + place, 3), ...shareOf(WRONG_TEXTS, turn + place, 2)])
      if (!RIGHT_AFTER_ALL.has(`${action} ${field} ${JSON.stringify(value)}`)) yield [APPLICATION, { ...input, [field]: value }]
  if (action === 'decideWholeBatch') {
    const row = { transactionId: waitingId, reason: 'fine' }
    for (const value of values)
      for (const wrong of [value, { ...row, transactionId: value }, { ...row, reason: value }])
        yield [APPLICATION, { ...input, excluded: [wrong] }]
    yield [APPLICATION, { ...input, excluded: [row, row] }]
  }
  if (action === 'decideTransactions') {
    const item = { transactionId: waitingId, contentHash: '0'.repeat(64) }
    for (const value of values)
      for (const wrong of [value, { ...item, transactionId: value }]) yield [APPLICATION, { ...input, items: [wrong] }]
    yield [APPLICATION, { ...input, items: Array(501).fill(item) }]
  }
  for (const field of Object.keys(input)) yield [APPLICATION, Object.fromEntries(Object.entries(input).filter(([name]) => name !== field))]
  yield ['elsewhere', input]
  yield []
}

test('invalid or not_found, and no row written: every action with every field of a wrong type, unstorable, too long or missing', async () => {
  const wrong: string[] = []
  const before = await fingerprint(database.pool)
  for (const [turn, { name, id, page }] of (await readBuiltActions()).entries()) {
    const action = name.split(' ').at(-1) ?? ''
    if (ACTIONS[name] === 'public') continue
    assert.ok(INPUTS[action], `${name} has no example of its input here`)
    const path = page.replaceAll(/\[(\w+)\]/g, (_, key) =>
      key === 'application' ? APPLICATION : key === 'operator' ? 'MOMOCM' : waitingId,
    )
    for (const input of wrongInputs(action, turn)) {
      const headers = { 'next-action': id, 'content-type': 'text/plain;charset=UTF-8', accept: 'text/x-component', origin: service.baseUrl }
      const answer = await send(path, 'POST', { headers, body: JSON.stringify(input) })
      const code = /"error":\{"code":"(\w+)"/.exec(answer.body)?.[1]
      if (answer.status >= 500 || (code !== 'invalid' && code !== 'not_found'))
        wrong.push(`${action} ${JSON.stringify(input).slice(0, 120)}: ${answer.status} ${code ?? answer.body.slice(0, 120)}`)
    }
  }
  assert.deepEqual(wrong.slice(0, 40), [])
  assert.deepEqual(await fingerprint(database.pool), before)
})

/** A form in which one field holds this text twice: as a browser without script sends it, and as React's client does, whose fields carry a prefix. */
function formsWith(actionId: string, field: string, text: string): { headers: Record<string, string>; body: string }[] {
  const part = (of: string, value: string, file = '') => `--x\r\nContent-Disposition: form-data; name="${of}"${file}\r\n\r\n${value}\r\n`
  const bodyOf = (start: string, prefix: string) =>
    `${start}${part(prefix + field, text)}${part(prefix + field, text)}${part(`${prefix}password`, text, '; filename="a.txt"')}--x--\r\n`
  return [
    { headers: {}, body: bodyOf(part(`$ACTION_ID_${actionId}`, ''), '') },
    { headers: { 'next-action': actionId, accept: 'text/x-component' }, body: bodyOf(part('0', '["$undefined","$K1"]'), '1_') },
  ]
}

test('no row written and no 5xx: every public form, with every field unstorable, too long, twice, a file or missing', async () => {
  const wrong: string[] = []
  const before = await fingerprint(database.pool)
  const fields = ['email', 'password', 'code', 'next', 'theme', 'locale']
  const texts = [...WRONG_TEXTS.slice(0, 6).map((each) => each.toWellFormed()), '//evil.example', 'zz']
  for (const { name, id } of await readBuiltActions()) {
    if (ACTIONS[name] !== 'public' || /signOut/.test(name)) continue
    for (const [row, text] of texts.entries()) {
      for (const [column, field] of shareOf([...fields.entries()], row, 2)) {
        // Half of them signed in, in turn, so that texts and fields are tried both ways.
        const session: Record<string, string> = Math.floor((row + column) / 2) % 2 === 0 ? { cookie: '' } : {}
        for (const { headers, body } of formsWith(id, field, text)) {
          const common = { 'content-type': 'multipart/form-data; boundary=x', origin: service.baseUrl }
          const answer = await send('/sign-in', 'POST', { headers: { ...common, ...headers, ...session }, body })
          if (answer.status >= 500 || /evil/.test(answer.headers['location'] ?? ''))
            wrong.push(`${name} ${field}=${JSON.stringify(text.slice(0, 20))}: ${answer.status}`)
        }
      }
    }
  }
  assert.deepEqual(wrong.slice(0, 40), [])
  assert.deepEqual(await fingerprint(database.pool), before)
})

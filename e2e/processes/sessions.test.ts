import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { cookiesOf, postCredentials, signIn } from '#e2e/roles/callers.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { freePort } from '#server/database/embedded/embedded.ts'
import { blockPerson, createPerson } from '#server/people/accounts.ts'
import { endMemberSessions, listMemberSessions } from '#server/people/sign-in/sessions.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makePerson } from '#server/testing/factories.ts'
import { createTestPartner, must } from '#server/testing/partner.ts'
import { PRODUCTION, type Service, startService } from '#server/testing/service/start-service.ts'

/** Ended, in every process, within this long: the pages ask once a second. */
const END_LIMIT_MS = 20_000
let database: TestDatabase
let folder: string
let processes: Service[]
let application: { applicationId: string; slug: string }

before(async () => {
  database = await createTestDatabase()
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-sessions-'))
  const environment = { ...PRODUCTION, SANDBOX: '1', ROLE: 'web', DATABASE_URL: database.url, PUBLIC_URL: 'http://127.0.0.1:3000' }
  // One after the other: the first one fills the empty sandbox.
  processes = []
  for (const name of ['one', 'two'])
    processes.push(
      await startService({
        environment: { ...environment, DATA_DIR: path.join(folder, name), SIMULATOR_PORT: String(await freePort()) },
      }),
    )
  const { applicationId } = await createTestPartner(database.pool)
  const { rows } = await database.pool.query<{ slug: string }>('select slug from applications where application_id = $1', [applicationId])
  application = { applicationId, slug: rows[0]?.slug ?? '' }
})
after(async () => {
  await Promise.all(processes.map((one) => one.stop()))
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

type TestPerson = { personId: string; email: string; password: string }

async function newPerson(): Promise<TestPerson> {
  const email = `${crypto.randomUUID()}@example.com`
  const person = { applicationId: application.applicationId, email, name: 'Awa Kaboré', roles: ['checker' as const], actor: SYSTEM_ACTOR }
  const { personId, password } = must(await createPerson(database.pool, person))
  return { personId, email, password: password ?? '' }
}

function baseUrl(place: number): string {
  return processes[place]?.baseUrl ?? assert.fail('no such process')
}

/** The status of each process for a data request with this cookie. */
async function statuses(cookie: string): Promise<number[]> {
  const answers = await Promise.all(
    processes.map((one) => fetch(`${one.baseUrl}/api/back-office/${application.slug}/waiting`, { headers: { cookie } })),
  )
  await Promise.all(answers.map((answer) => answer.body?.cancel()))
  return answers.map((answer) => answer.status)
}

/** Opens the event stream of each process; resolves when each has said hello. `ended` resolves with all that was sent until the end. */
async function openStreams(cookie: string): Promise<{ ended: Promise<string[]> }> {
  const readers = await Promise.all(
    processes.map(async (one) => {
      const answer = await fetch(`${one.baseUrl}/api/back-office/${application.slug}/live`, { headers: { cookie } })
      assert.equal(answer.status, 200)
      const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader() ?? assert.fail('no body')
      assert.match((await reader.read()).value ?? '', /event: hello/)
      return reader
    }),
  )
  const readAll = async (reader: ReadableStreamDefaultReader<string>): Promise<string> => {
    let text = ''
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) text += piece.value
    return text
  }
  return { ended: Promise.all(readers.map(readAll)) }
}

async function signOut(cookie: string): Promise<Response> {
  const first = await fetch(`${baseUrl(0)}/api/auth/csrf`)
  const { csrfToken } = (await first.json()) as { csrfToken: string }
  return fetch(`${baseUrl(0)}/api/auth/signout`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: `${cookiesOf(first)}; ${cookie}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ csrfToken }),
  })
}

async function readSession(cookie: string): Promise<{ body: unknown; setsCookie: boolean }> {
  const answer = await fetch(`${baseUrl(1)}/api/auth/session`, { headers: { cookie } })
  assert.equal(answer.status, 200)
  return { body: await answer.json(), setsCookie: answer.headers.getSetCookie().length > 0 }
}

test('401 in both processes for a copied cookie after sign-out, and 200 for the other device', async () => {
  const person = await newPerson()
  const [here, elsewhere] = [
    await signIn(baseUrl(0), person.email, person.password),
    await signIn(baseUrl(1), person.email, person.password),
  ]
  assert.deepEqual(await statuses(here), [200, 200])
  const streams = await openStreams(here)
  const startedMs = performance.now()
  assert.equal((await signOut(here)).status, 302)
  assert.deepEqual(await statuses(here), [401, 401])
  for (const text of await streams.ended) assert.match(text, /event: ended/)
  assert.ok(performance.now() - startedMs < END_LIMIT_MS)
  assert.deepEqual(await statuses(elsewhere), [200, 200])
})

test('401 in both processes, and the end of both streams, once the person is blocked', async () => {
  const person = await newPerson()
  const cookie = await signIn(baseUrl(0), person.email, person.password)
  const streams = await openStreams(cookie)
  const startedMs = performance.now()
  must(await blockPerson(database.pool, { personId: person.personId, isBlocked: true, actor: SYSTEM_ACTOR }))
  assert.deepEqual(await statuses(cookie), [401, 401])
  for (const text of await streams.ended) assert.match(text, /event: ended/)
  assert.ok(performance.now() - startedMs < END_LIMIT_MS)
})

test('seen and ended by the administrators of an application: a session that only asked for its data', async () => {
  const { pool } = database
  const { applicationId } = application
  const { personId, email, password } = await newPerson()
  const cookie = await signIn(baseUrl(0), email, password)
  const ask = async () => {
    const headers = { cookie, accept: 'application/json' }
    return (await fetch(`${baseUrl(0)}/api/back-office/${application.slug}/waiting`, { headers })).status
  }
  assert.equal(await ask(), 200)
  assert.equal((await listMemberSessions(pool, { applicationId, personId, now: new Date() })).length, 1)
  const id = await makePerson(pool, applicationId, ['administrator'])
  must(await endMemberSessions(pool, { applicationId, personId, actor: { kind: 'person', id, applicationId, roles: ['administrator'] } }))
  assert.equal(await ask(), 401)
})

test('no use of a session: the live connection of an open page, and a page that Next prefetches', async () => {
  const { pool } = database
  const { personId, email, password } = await newPerson()
  const cookie = await signIn(baseUrl(0), email, password)
  const ask = async (path: string, headers: Record<string, string>) => {
    await pool.query(`update person_sessions set last_used_at = now() - interval '10 minutes' where person_id = $1`, [personId])
    await pool.query(`update application_sessions set last_used_at = now() - interval '10 minutes'`)
    const answer = await fetch(baseUrl(0) + path, { headers: { cookie, ...headers } })
    assert.equal(answer.status, 200)
    await answer.body?.cancel()
    const { rows } = await pool.query<{ isUse: boolean }>(
      `select s.last_used_at > now() - interval '5 minutes' and u.last_used_at > now() - interval '5 minutes' as "isUse"
         from person_sessions s join application_sessions u using (session_id) where s.person_id = $1`,
      [personId],
    )
    return rows.map(({ isUse }) => isUse)
  }
  const page = `/${application.slug}`
  // The first request always counts.
  await statuses(cookie)
  assert.deepEqual(await ask(`/api/back-office${page}/live`, { accept: 'text/event-stream' }), [false])
  assert.deepEqual(await ask(page, { accept: 'text/html', 'next-router-prefetch': '1', rsc: '1' }), [false])
  assert.deepEqual(await ask(page, { accept: 'text/html' }), [true])
})

test('no cookie and the same end each time the session is read', async () => {
  const person = await newPerson()
  const cookie = await signIn(baseUrl(0), person.email, person.password)
  const first = await readSession(cookie)
  const { expires } = first.body as { expires: string }
  const leftMs = Date.parse(expires) - Date.now()
  assert.ok(leftMs > 11.9 * 3_600_000 && leftMs <= 12 * 3_600_000, expires)
  await delay(1_100)
  assert.deepEqual(await readSession(cookie), { body: { expires }, setsCookie: false })
  await signOut(cookie)
  assert.deepEqual(await readSession(cookie), { body: {}, setsCookie: false })
  assert.deepEqual(await readSession(`${cookie.slice(0, -6)}forged`), { body: {}, setsCookie: false })
})

test('no session cookie after a wrong password, or without the csrf token', async () => {
  const person = await newPerson()
  const wrong = await postCredentials(baseUrl(0), person.email, 'wrong')
  const without = await fetch(`${baseUrl(0)}/api/auth/callback/credentials`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ email: person.email, password: person.password }),
  })
  for (const answer of [wrong, without]) assert.doesNotMatch(cookiesOf(answer), /session/)
})

test('404: addresses of next-auth that this product does not offer', async () => {
  for (const [method, rest] of [
    ['GET', 'providers'],
    ['GET', 'signin'],
    ['POST', 'signin/credentials'],
    ['GET', 'signout'],
    ['GET', 'error?error=<script>'],
    ['GET', 'verify-request'],
    ['GET', 'callback/credentials'],
    ['POST', 'session'],
    ['POST', '_log'],
    ['GET', 'session/x'],
  ] as const) {
    const answer = await fetch(`${baseUrl(0)}/api/auth/${rest}`, { method, redirect: 'manual', ...(method === 'POST' && { body: '{}' }) })
    assert.equal(answer.status, 404, `${method} ${rest}`)
    assert.doesNotMatch(await answer.text(), /script|providers/)
  }
})

test('400: bodies and cookies that next-auth would answer with a 500; a foreign callbackUrl is ignored', async () => {
  const post = (body: string, type: string, cookie = '') =>
    fetch(`${baseUrl(0)}/api/auth/callback/credentials`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': type, cookie },
      body,
    })
  for (const [body, type] of [
    ['{', 'application/json'],
    ['[]', 'application/json'],
    ['null', 'application/json'],
    ['{"email":["a"],"password":{}}', 'application/json'],
    ['--x', 'multipart/form-data; boundary=x'],
    ['email=a', 'text/plain'],
  ] as const)
    assert.equal((await post(body, type)).status, 400, body)
  for (const value of ['garbage', 'https%3A%2F%2Fevil.example', '%'])
    assert.equal((await post('email=a', 'application/x-www-form-urlencoded', `countersign.callback=${value}`)).status, 400)
  const foreign = await fetch(`${baseUrl(0)}/api/auth/csrf?callbackUrl=${encodeURIComponent('https://evil.example')}`)
  assert.equal(foreign.status, 200)
  assert.doesNotMatch(foreign.headers.getSetCookie().join(), /evil/)
})

test('/metrics counts a page, a data address and a next-auth session that fail on the server, each under its place', async () => {
  const person = await newPerson()
  const cookie = await signIn(baseUrl(0), person.email, person.password)
  await database.pool.query('alter table people rename to people_away')
  try {
    for (const address of [`/${application.slug}`, `/api/back-office/${application.slug}/waiting`, '/api/auth/session'])
      await (await fetch(`${baseUrl(0)}${address}`, { headers: { cookie } })).text()
  } finally {
    await database.pool.query('alter table people_away rename to people')
  }
  const metrics = await (await fetch(`${baseUrl(0)}/metrics`)).text()
  for (const place of ['pages: render', 'back office: data', 'next-auth: decode'])
    assert.match(metrics, new RegExp(`^countersign_unexpected_errors_total\\{place="${place}"\\} [1-9]`, 'm'))
})

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { digest } from '#server/credentials/secrets.ts'
import { blockPerson, createPerson } from '#server/people/accounts.ts'
import { keyringOfProcess } from '#server/secrets-at-rest/keyring.ts'
import { totpSecretPlace } from '#server/secrets-at-rest/sealed-columns.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { createTestPartner, must } from '#server/testing/partner.ts'
import { PRODUCTION, type Service, startService } from '#server/testing/service/start-service.ts'

const CODE_PAGE = '/sign-in/second-factor'
let database: TestDatabase
let service: Service
let applicationId: string
before(async () => {
  database = await createTestDatabase({ mode: 'production' })
  applicationId = (await createTestPartner(database.pool, { name: 'Second step' })).applicationId
  service = await startService({ environment: { ...PRODUCTION, ROLE: 'web', DATABASE_URL: database.url }, readiness: 'pages' })
})
after(async () => {
  await service.stop()
  await database.drop()
})

/** A person with a second factor, and what their device shows. */
async function enrolled() {
  const email = `${randomUUID()}@example.com`
  const person = { applicationId, email, name: 'Awa', roles: ['checker'] as const, actor: SYSTEM_ACTOR }
  const { personId, password } = must(await createPerson(database.pool, person))
  const device = new TOTP({ secret: new Secret({ size: 20 }) })
  const sealed = keyringOfProcess().seal(totpSecretPlace(personId), device.secret.base32)
  await database.pool.query('update people set totp_secret = $2, totp_enabled_at = now() where person_id = $1', [personId, sealed])
  return { personId, email, password: password ?? assert.fail('it is a new person'), code: () => device.generate() }
}

type Answer = { location: string; cookies: readonly string[] }

/** Sends the form of a page as a browser without script does. */
async function submit(page: string, cookie: string, fields: Record<string, string>): Promise<Answer> {
  const { text } = await fetch(service.baseUrl + page, { headers: { cookie, accept: 'text/html' } }).then(async (answer) => ({
    text: await answer.text(),
  }))
  const body = new FormData()
  for (const [tag] of text.matchAll(/<input type="hidden"[^>]*>/g)) {
    const value = /value="([^"]*)"/.exec(tag)?.[1] ?? ''
    body.append(/name="([^"]*)"/.exec(tag)?.[1] ?? '', value.replaceAll('&quot;', '"').replaceAll('&amp;', '&'))
  }
  for (const [name, value] of Object.entries(fields)) body.set(name, value)
  const answer = await fetch(service.baseUrl + page, { method: 'POST', redirect: 'manual', headers: { cookie, accept: 'text/html' }, body })
  await answer.arrayBuffer()
  const location = (answer.headers.get('location') ?? '').replace(/^https?:\/\/[^/]+/, '')
  return { location, cookies: answer.headers.getSetCookie() }
}

/** Enters the password; returns the cookie of the step that follows. */
async function enterPassword({ email, password }: { email: string; password: string }): Promise<string> {
  const { location, cookies } = await submit('/sign-in', '', { email, password })
  assert.equal(location, CODE_PAGE)
  return pairOf(cookies, 'countersign.half') ?? assert.fail('there is a second step')
}

const cookieNamed = (cookies: readonly string[], name: string) => cookies.find((cookie) => cookie.startsWith(`${name}=`))
const pairOf = (cookies: readonly string[], name: string) => cookieNamed(cookies, name)?.split(';')[0]

test('a session of twelve hours that no script and no other site reads, for the right code within five minutes after the password', async () => {
  const person = await enrolled()
  const { email, password } = person
  const first = await submit('/sign-in', '', { email, password })
  assert.match(cookieNamed(first.cookies, 'countersign.half') ?? '', /; Path=\/;.* Max-Age=300;.* HttpOnly; SameSite=lax$/)
  assert.equal(cookieNamed(first.cookies, 'countersign.session'), undefined)
  const second = await submit(CODE_PAGE, pairOf(first.cookies, 'countersign.half') ?? '', { code: person.code() })
  assert.equal(second.location, '/')
  assert.match(cookieNamed(second.cookies, 'countersign.session') ?? '', /; Path=\/;.* Max-Age=43200;.* HttpOnly; SameSite=lax$/)
  assert.match(cookieNamed(second.cookies, 'countersign.half') ?? '', /^countersign\.half=;.* Max-Age=0;/)
})

test('the password again, in every copy of the second step, after the twentieth wrong code in a row', async () => {
  const person = await enrolled()
  const half = await enterPassword(person)
  assert.equal((await submit(CODE_PAGE, half, { code: '000000' })).location, '')
  const { rowCount } = await database.pool.query(`update sign_in_throttles set failures = 19 where throttle_key like '%' || $1`, [
    digest(`second factor sign_in ${person.personId}`).toString('hex'),
  ])
  assert.equal(rowCount, 1)
  assert.equal((await submit(CODE_PAGE, half, { code: '000000' })).location, '/sign-in?guessed=1')
  const { location, cookies } = await submit(CODE_PAGE, half, { code: person.code() })
  assert.equal(location.split('?')[0], '/sign-in')
  assert.equal(cookieNamed(cookies, 'countersign.session'), undefined)
})

test('no session, and no code is counted, for a person who was blocked between the password and the code', async () => {
  const person = await enrolled()
  const half = await enterPassword(person)
  must(await blockPerson(database.pool, { personId: person.personId, isBlocked: true, actor: SYSTEM_ACTOR }))
  for (const code of ['000000', person.code()]) {
    const { location, cookies } = await submit(CODE_PAGE, half, { code })
    assert.equal(location, '/sign-in')
    assert.equal(cookieNamed(cookies, 'countersign.session'), undefined)
  }
  const { rowCount } = await database.pool.query(`select 1 from sign_in_throttles where throttle_key like '%' || $1`, [
    digest(`second factor sign_in ${person.personId}`).toString('hex'),
  ])
  assert.equal(rowCount, 0)
})

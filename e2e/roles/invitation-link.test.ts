import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { withTransaction } from '#server/database/with-transaction.ts'
import { invitePerson } from '#server/people/invitations.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makePerson } from '#server/testing/factories.ts'
import { createTestPartner, must } from '#server/testing/partner.ts'
import { PRODUCTION, type Service, startService } from '#server/testing/service/start-service.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { readBuiltActions } from './find-endpoints.ts'
import { sendRequest } from './send-request.ts'

const PAGE = '/sign-in/invitation'
let database: TestDatabase
let service: Service
let applicationId: string
before(async () => {
  database = await createTestDatabase({ mode: 'production' })
  applicationId = (await createTestPartner(database.pool, { name: 'Invitations' })).applicationId
  service = await startService({
    environment: { ...PRODUCTION, ROLE: 'web', DATABASE_URL: database.url, LOG_LEVEL: 'trace' },
    readiness: 'pages',
  })
})
after(async () => {
  await service.stop()
  await database.drop()
})

async function invite(): Promise<{ email: string; token: string }> {
  const { pool } = database
  const [anna, ben] = [await makePerson(pool, applicationId, ['administrator']), await makePerson(pool, applicationId, ['administrator'])]
  const email = `${randomUUID()}@example.com`
  const actor = { kind: 'person' as const, id: ben, applicationId, roles: ['administrator' as const] }
  const invitation = { applicationId, email, name: 'Carine', roles: ['maker' as const], proposedBy: anna, actor }
  const { token } = must(await withTransaction(pool, (trx) => invitePerson(trx, invitation)))
  return { email, token }
}

async function call(action: string, input: unknown, peer?: string) {
  const found = (await readBuiltActions()).find(({ name }) => name.endsWith(` ${action}`))
  return sendRequest(service.baseUrl, {
    path: PAGE,
    method: 'POST',
    headers: {
      'next-action': found?.id ?? '',
      'content-type': 'text/plain;charset=UTF-8',
      accept: 'text/x-component',
      origin: service.baseUrl,
      ...(peer !== undefined && { 'x-forwarded-for': peer }),
    },
    body: JSON.stringify([input]),
  })
}

test('200 without a token in the address, never stored by a browser, with a policy and without a referrer for other sites', async () => {
  const { status, headers } = await sendRequest(service.baseUrl, { path: PAGE })
  assert.equal(status, 200)
  assert.match(headers['cache-control'] ?? '', /no-store/)
  assert.equal(headers['referrer-policy'], 'same-origin')
  assert.match(headers['content-security-policy'] ?? '', /default-src 'self'/)
})

test('a session and the page of their code for the person who used the link, and the token in no line of the most detailed log and in no row', async () => {
  const { email, token } = await invite()
  assert.match((await call('openInvitation', { token })).body, /Invitations/)
  const joined = await call('joinApplication', { token, name: 'Carine Ngo', password: 'a long enough password', wantsSecondFactor: false })
  assert.equal(joined.headers['x-action-redirect']?.split(';')[0], '/sign-in/invitations')
  assert.match(joined.headers['set-cookie'] ?? '', /session=/)
  assert.match(
    (await call('joinApplication', { token, name: 'Carine', password: 'another long password', wantsSecondFactor: false })).body,
    /"used"/,
  )
  const { rows } = await database.pool.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`,
  )
  for (const { name } of rows) {
    const found = await database.pool.query(`select 1 from ${name} as t where position($1 in t::text) > 0 limit 1`, [token])
    assert.equal(found.rowCount, 0, name)
  }
  const signedIn = await database.pool.query(
    `select e.address from audit_entries e join people p on p.person_id::text = e.subject
      where p.email = $1 and e.action in ('person.joined', 'person.signed_in')`,
    [email],
  )
  assert.deepEqual(signedIn.rows, [{ address: '127.0.0.1' }, { address: '127.0.0.1' }])
  // Requests are logged together: once this one is there, those before it are.
  await sendRequest(service.baseUrl, { path: '/api/v1/openapi.json' })
  await waitUntil('a later request is logged', async () => service.output().includes('/api/v1/openapi.json'))
  await service.stop()
  assert.ok(!service.output().includes(token))
})

test('throttled after twenty tries in a row, even with a valid token', async () => {
  const environment = { ...PRODUCTION, ROLE: 'web', DATABASE_URL: database.url, TRUSTED_PROXIES: '127.0.0.0/8' }
  service = await startService({ environment, readiness: 'pages' })
  const { token } = await invite()
  for (let tries = 0; tries < 20; tries++) assert.match((await call('openInvitation', { token: randomUUID() })).body, /"unknown"/)
  assert.match((await call('openInvitation', { token })).body, /"throttled"/)
  const joining = { token, name: 'Carine Ngo', password: 'a long enough password', wantsSecondFactor: false }
  assert.match((await call('joinApplication', joining)).body, /"throttled"/)
  for (const wrong of [{}, null, [], { token: 7 }, { token: 'x'.repeat(100_000) }, { token: 'a\0b' }]) {
    const { status, body } = await call('openInvitation', wrong)
    assert.ok(status === 200 && body.includes('"unknown"'), `${JSON.stringify(wrong).slice(0, 40)}: ${status}`)
  }
})

test('throttled after twenty tries or more from as many addresses of one IPv6 /64, which is one customer; unknown in the next /64', async () => {
  const tryFrom = async (peer: string) => (await call('openInvitation', { token: randomUUID() }, peer)).body
  let tries = 0
  // One more every six seconds is allowed, so on a slow machine it is more than twenty.
  while (tries < 60 && (await tryFrom(`2001:db8:64:1:${tries}::1`)).includes('"unknown"')) tries++
  assert.ok(tries >= 20 && tries < 60, `${tries} tries`)
  assert.match(await tryFrom('2001:db8:64:2::1'), /"unknown"/)
})

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { cookiesOf, postCredentials } from '#e2e/roles/callers.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { freePort } from '#server/database/embedded/embedded.ts'
import { createPerson } from '#server/people/accounts.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { createTestPartner, must } from '#server/testing/partner.ts'
import { PRODUCTION, type Service, startService } from '#server/testing/service/start-service.ts'

let database: TestDatabase
let folder: string
let web: Service

before(async () => {
  database = await createTestDatabase({ mode: 'sandbox' })
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-https-'))
  web = await startService({
    environment: {
      ...PRODUCTION,
      SANDBOX: '1',
      ROLE: 'web',
      DATABASE_URL: database.url,
      DATA_DIR: folder,
      SIMULATOR_PORT: String(await freePort()),
      PUBLIC_URL: 'https://office.example',
    },
  })
})
after(async () => {
  await web.stop()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

test('__Host- or __Secure- cookies, and an HttpOnly session, from a sign-in over https', async () => {
  const { applicationId } = await createTestPartner(database.pool)
  const email = 'awa.kabore@example.com'
  const person = must(
    await createPerson(database.pool, { applicationId, email, name: 'Awa Kaboré', roles: ['checker'], actor: SYSTEM_ACTOR }),
  )
  const answer = await postCredentials(web.baseUrl, email, person.password ?? '')
  const set = answer.headers.getSetCookie().filter((cookie) => !/max-age=0/i.test(cookie))
  const session = set.find((cookie) => cookie.startsWith('__Host-countersign.session='))
  assert.ok(session, `no __Host- session among ${set.map((cookie) => cookie.split('=')[0]).join(', ')}`)
  for (const cookie of set) {
    assert.match(cookie, /^__(Host|Secure)-/)
    assert.match(cookie, /; Secure/i)
  }
  for (const attribute of [/; HttpOnly/i, /; Path=\/(;|$)/i, /; SameSite=Lax/i]) assert.match(session, attribute)
  assert.doesNotMatch(session, /; Domain=/i)
  const page = await fetch(`${web.baseUrl}/`, { headers: { cookie: cookiesOf(answer) }, redirect: 'manual' })
  assert.doesNotMatch(page.headers.get('location') ?? '', /sign-in/)
})

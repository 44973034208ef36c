import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { type CustomerPageTerms, NO_CUSTOMER_PAGE } from '#lib/partner/customer-page.ts'
import type { Role } from '#lib/people/permissions.ts'
import { type PersonCommandActor, SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { listAudit } from '#server/audit/read-audit.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication, makePerson } from '#server/testing/factories.ts'
import { setCustomerPage } from './customer-page.ts'
import { readCustomerPage } from './customer-page-store.ts'

const PNG = `data:image/png;base64,${Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]).toString('base64')}`
const PAGE: CustomerPageTerms = { logo: PNG, support: 'help@shop.example', returnUrl: 'https://shop.example/', offersRetry: true }

let database: TestDatabase
let applicationId: string
before(async () => {
  database = await createTestDatabase()
  applicationId = await makeApplication(database.pool)
})
after(() => database.drop())

const set = (page: CustomerPageTerms, actor: PersonCommandActor | typeof SYSTEM_ACTOR = SYSTEM_ACTOR) =>
  setCustomerPage(database.pool, { applicationId, page, actor })
const bytesOf = (type: string, bytes: Uint8Array) => `data:${type};base64,${Buffer.from(bytes).toString('base64')}`

test('what was set is read again, and the audit entry identifies the picture by its SHA-256', async () => {
  assert.deepEqual(await readCustomerPage(database.pool, applicationId), NO_CUSTOMER_PAGE)
  assert.ok((await set(PAGE)).ok)
  assert.deepEqual(await readCustomerPage(database.pool, applicationId), PAGE)
  const [entry] = await listAudit(database.pool, applicationId, { size: 1 })
  assert.equal(entry?.action, 'application.customer_page_changed')
  const sha256 = createHash('sha256').update(PNG).digest('hex')
  assert.deepEqual(entry?.details, { before: NO_CUSTOMER_PAGE, after: { ...PAGE, logo: `image/png, SHA-256 ${sha256}` } })
})

test('invalid_logo for what is larger than 4 KB, of another kind than it says, SVG, HTML or no data address', async () => {
  const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
  const sized = (length: number) => Uint8Array.from({ length }, (_, place) => signature[place] ?? 0)
  assert.ok((await set({ ...PAGE, logo: bytesOf('image/png', sized(4_096)) })).ok)
  const wrong = [
    bytesOf('image/png', sized(4_097)),
    bytesOf('image/jpeg', sized(100)),
    bytesOf('image/svg+xml', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')),
    bytesOf('image/png', Buffer.from('<html>')),
    'https://shop.example/logo.png',
    'data:image/png,abc',
    'data:image/png;base64,A',
    'data:image/png;base64,iVBOR=',
    '',
  ]
  for (const logo of wrong) assert.deepEqual(await set({ ...PAGE, logo }), { ok: false, error: 'invalid_logo' }, logo.slice(0, 40))
})

test('invalid_return_url for anything but https, with a password, and for a second try without one; invalid_support for an empty one', async () => {
  const wrong = [
    'http://shop.example/',
    'javascript:alert(1)',
    'https://user:pass@shop.example/',
    'https://shop.example/a b',
    '//shop.example',
    'x',
  ]
  for (const returnUrl of wrong) assert.deepEqual(await set({ ...PAGE, returnUrl }), { ok: false, error: 'invalid_return_url' }, returnUrl)
  assert.deepEqual(await set({ ...PAGE, returnUrl: null }), { ok: false, error: 'invalid_return_url' })
  assert.ok((await set({ ...PAGE, returnUrl: 'http://127.0.0.1:3001/' })).ok)
  assert.deepEqual(await set({ ...PAGE, support: ' ' }), { ok: false, error: 'invalid_support' })
})

test('not_permitted for every role but administrators', async () => {
  for (const role of ['maker', 'checker', 'finance', 'engineer'] as const satisfies Role[]) {
    const actor: PersonCommandActor = {
      kind: 'person',
      id: await makePerson(database.pool, applicationId, [role]),
      applicationId,
      roles: [role],
    }
    assert.deepEqual(await set(PAGE, actor), { ok: false, error: 'not_permitted' })
  }
})

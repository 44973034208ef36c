import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeApplication, makePerson } from '#server/testing/factories.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { bumpSessionEpoch } from './bump-session-epoch.ts'
import { chooseLook, findSignedIn } from './find-signed-in.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

test('a session finds its person with every application they are an active member of, by name', async () => {
  const { pool } = database
  const second = await makeApplication(pool, 'Zongo Élite')
  const first = await makeApplication(pool, 'Ancre')
  const personId = await makePerson(pool, second, ['checker'])
  await pool.query("insert into memberships (application_id, person_id, roles) values ($1, $2, '{finance}')", [first, personId])
  const person = await findSignedIn(pool, { personId, epoch: 1 })
  assert.deepEqual(
    person?.memberships.map(({ slug, roles }) => ({ slug, roles })),
    [
      { slug: 'ancre', roles: ['finance'] },
      { slug: 'zongo-elite', roles: ['checker'] },
    ],
  )
  await pool.query('update memberships set is_active = false where application_id = $1', [first])
  assert.deepEqual(
    (await findSignedIn(pool, { personId, epoch: 1 }))?.memberships.map(({ slug }) => slug),
    ['zongo-elite'],
  )
})

test('a blocked person, an older session and an unknown id find nobody', async () => {
  const { pool } = database
  const personId = await makePerson(pool, await makeApplication(pool), ['maker'])
  assert.equal(await findSignedIn(pool, { personId: '00000000-0000-4000-8000-000000000000', epoch: 1 }), undefined)
  await bumpSessionEpoch(pool, { personId, actor: { kind: 'person', id: personId } })
  assert.equal(await findSignedIn(pool, { personId, epoch: 1 }), undefined)
  assert.ok(await findSignedIn(pool, { personId, epoch: 2 }))
  await pool.query('update people set is_blocked = true where person_id = $1', [personId])
  assert.equal(await findSignedIn(pool, { personId, epoch: 2 }), undefined)
})

test('a person keeps a language and a zone, and one is changed without the other', async () => {
  const { pool } = database
  const personId = await makePerson(pool, await makeApplication(pool), ['maker'])
  await chooseLook(pool, personId, { locale: 'fr' })
  await chooseLook(pool, personId, { timeZone: 'Africa/Douala' })
  const person = await findSignedIn(pool, { personId, epoch: 1 })
  assert.deepEqual([person?.locale, person?.timeZone], ['fr', 'Africa/Douala'])
  await chooseLook(pool, personId, { timeZone: null })
  assert.equal((await findSignedIn(pool, { personId, epoch: 1 }))?.timeZone, null)
})

test('applications of one name get addresses of their own, and none takes an address of the product', async () => {
  const { pool } = database
  const slugs: string[] = []
  for (const name of ['Même nom', 'Même nom', 'API', '???']) {
    const { rows } = await pool.query('select slug from applications where application_id = $1', [await makeApplication(pool, name)])
    slugs.push(rows[0].slug)
  }
  assert.deepEqual(slugs, ['meme-nom', 'meme-nom-2', 'api-app', 'application'])
})

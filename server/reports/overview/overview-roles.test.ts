import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ROLES, type Role } from '#lib/permissions.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication, makePerson } from '#server/testing/factories.ts'
import { readOverview } from './read-overview.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

async function readAs(applicationId: string, id: string, roles: readonly Role[]) {
  return readOverview(database.pool, { applicationId, id, roles, hasSecondFactor: true }, 7, new Date())
}

test('one part per role of the person, and null for every other role', async () => {
  const applicationId = await makeApplication(database.pool)
  for (const roles of [['checker'], ['finance'], ['maker'], ['administrator'], ['maker', 'checker'], ROLES] as const) {
    const id = await makePerson(database.pool, applicationId, [...roles])
    const overview = await readAs(applicationId, id, roles)
    assert.deepEqual(
      ROLES.filter((role) => overview[role] !== null),
      ROLES.filter((role) => (roles as readonly Role[]).includes(role)),
    )
  }
})

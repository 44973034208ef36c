import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { must } from '#server/testing/partner.ts'
import { blockPerson } from '../accounts.ts'
import { openTestPeople, type TestPeople } from '../testing/test-people.ts'
import { confirmSecondFactor, startSecondFactor } from './second-factor.ts'
import { findSignOnPerson } from './single-sign-on.ts'

const clock = { now: () => new Date() }
const TRUSTED = { amr: ['mfa'], acr: ['urn:strong'] }
let people: TestPeople
before(async () => {
  people = await openTestPeople(clock)
})
after(() => people.database.drop())

const claimsOf = (email: string | undefined) => ({ email, isEmailVerified: true, amr: [] as string[], acr: undefined })

test('the person with the verified address, in upper or lower case, without a code where their second factor is off', async () => {
  const { personId, email } = await people.createOne()
  const found = await findSignOnPerson(people.database.pool, claimsOf(` ${email.toUpperCase()}`), TRUSTED)
  assert.deepEqual(must(found), { personId, email, sessionEpoch: 1, needsCode: false })
})

test('needsCode: where the second factor is on, unless amr or acr has a value that the installation trusts', async () => {
  const { pool } = people.database
  const person = await people.createOne()
  const { secret } = must(await startSecondFactor(pool, person))
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
  must(await confirmSecondFactor({ pool, clock, throttle: people.throttle }, { ...person, code, peerAddress: '198.51.100.1' }))
  const needsCode = async (claims: { amr?: string[]; acr?: string }, trusted = TRUSTED) =>
    must(await findSignOnPerson(pool, { ...claimsOf(person.email), ...claims }, trusted)).needsCode
  assert.equal(await needsCode({}), true)
  assert.equal(await needsCode({ amr: ['pwd'], acr: 'urn:weak' }), true)
  assert.equal(await needsCode({ amr: ['pwd', 'mfa'] }), false)
  assert.equal(await needsCode({ acr: 'urn:strong' }), false)
  assert.equal(await needsCode({ amr: ['mfa'], acr: 'urn:strong' }, { amr: [], acr: [] }), true)
})

test('unverified, unknown and blocked: nobody is found, and nobody is made', async () => {
  const { pool } = people.database
  const person = await people.createOne()
  const refusalOf = async (claims: Parameters<typeof findSignOnPerson>[1]) => {
    const found = await findSignOnPerson(pool, claims, TRUSTED)
    return found.ok ? 'found' : found.error
  }
  assert.equal(await refusalOf({ ...claimsOf(person.email), isEmailVerified: false }), 'unverified')
  assert.equal(await refusalOf(claimsOf(undefined)), 'unverified')
  for (const email of ['stranger@example.com', `${person.email}\0`]) assert.equal(await refusalOf(claimsOf(email)), 'unknown')
  must(await blockPerson(pool, { personId: person.personId, isBlocked: true, actor: SYSTEM_ACTOR }))
  assert.equal(await refusalOf(claimsOf(person.email)), 'blocked')
  assert.equal((await pool.query("select 1 from people where email = 'stranger@example.com'")).rowCount, 0)
})

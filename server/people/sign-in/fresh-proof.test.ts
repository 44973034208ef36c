import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import type { Role } from '#lib/people/permissions.ts'
import type { Result } from '#lib/result.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { listAudit } from '#server/audit/read-audit.ts'
import { collectSecret } from '#server/changes/collect-secret.ts'
import { confirmChange } from '#server/changes/decide-change.ts'
import { proposeChange } from '#server/changes/propose-change.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { keyringOfProcess } from '#server/secrets-at-rest/keyring.ts'
import { totpSecretPlace } from '#server/secrets-at-rest/sealed-columns.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { listInvitations, listOwnInvitations } from '../invitation-store.ts'
import { acceptInvitation, invitePerson, renewInvitation } from '../invitations.ts'
import { activateMembership } from '../membership.ts'
import { givePasskey } from '../passkeys/testing/give-passkey.ts'
import { codeProof } from '../testing/test-people.ts'
import type { FreshProof } from './fresh-proof.ts'
import { verifySecondFactor } from './second-factor.ts'

let database: TestDatabase
let nowMs = Date.now()
const clock = { now: () => new Date(nowMs) }
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

/** Two administrators, and what the device of each shows. The second factor is not yet required. */
async function scene() {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  const administrator = async (): Promise<PersonCommandActor & { code(): string }> => {
    const roles: Role[] = ['administrator']
    const device = new TOTP({ secret: new Secret({ size: 20 }) })
    const id = await makePerson(pool, applicationId, roles)
    const secret = device.secret.base32
    await pool.query('update people set totp_secret = $2, totp_enabled_at = now() where person_id = $1', [
      id,
      keyringOfProcess().seal(totpSecretPlace(id), secret),
    ])
    return { kind: 'person', id, applicationId, roles, code: () => device.generate({ timestamp: nowMs }) }
  }
  return { deps: { pool, clock }, applicationId, anna: await administrator(), ben: await administrator(), administrator }
}
type Scene = Awaited<ReturnType<typeof scene>>
type Ready = { actor: Scene['anna']; run(proof?: FreshProof): Promise<Result<unknown, unknown>> }

async function proposeKey({ deps, applicationId, anna }: Scene): Promise<string> {
  return must(await proposeChange(deps.pool, { applicationId, kind: 'key.create', input: { name: 'Production' }, actor: anna })).changeId
}

/** An invitation that Anna proposed and Ben confirmed. */
async function invite({ deps, applicationId, anna, ben }: Scene) {
  const person = { email: `${randomUUID()}@example.com`, name: 'Carine', roles: ['maker'] as const }
  const invited = await withTransaction(deps.pool, (trx) =>
    invitePerson(trx, { applicationId, ...person, proposedBy: anna.id, actor: ben }),
  )
  const invitationId = (await listInvitations(deps.pool, applicationId))[0]?.invitationId ?? assert.fail('there is an invitation')
  return { token: must(invited).token, invitationId }
}

/** Everything that needs a fresh proof, ready for one call, and the audit entry of the call that is accepted. */
const COMMANDS: readonly { entry: string; of?: string; prepare(scene: Scene): Promise<Ready> }[] = [
  {
    entry: 'change.confirmed',
    async prepare(here) {
      const { deps, applicationId, ben: actor } = here
      const changeId = await proposeKey(here)
      return { actor, run: (proof) => confirmChange(deps, { applicationId, changeId, proof, actor }) }
    },
  },
  {
    entry: 'change.collected',
    async prepare(here) {
      const { deps, applicationId, anna: actor, ben } = here
      const changeId = await proposeKey(here)
      must(await confirmChange(deps, { applicationId, changeId, actor: ben }))
      return { actor, run: (proof) => collectSecret(deps, { applicationId, changeId, proof, actor }) }
    },
  },
  {
    entry: 'person.invitation_renewed',
    async prepare(here) {
      const { deps, applicationId, ben: actor } = here
      const { invitationId } = await invite(here)
      return { actor, run: (proof) => renewInvitation(deps, { applicationId, invitationId, proof, actor }) }
    },
  },
  {
    entry: 'person.activated',
    async prepare(here) {
      const { deps, applicationId, anna: actor } = here
      const { invitationId, token } = await invite(here)
      const person = { name: 'Carine Ngo', password: 'a long enough password', source: { address: '198.51.100.7', userAgent: 'Browser' } }
      const { personId } = must(await acceptInvitation(deps.pool, { token, ...person }))
      const spokenCode = (await listOwnInvitations(deps.pool, personId))[0]?.code ?? assert.fail('there is a code')
      return { actor, run: (proof) => activateMembership(deps, { applicationId, invitationId, spokenCode, proof, actor }) }
    },
  },
  {
    entry: 'change.confirmed',
    of: 'a funding',
    async prepare({ deps, applicationId, anna, ben: actor }) {
      const document = { name: 'a.pdf', sha256: 'a1'.repeat(32) }
      const input = { operator: 'MOMOCM', amountMinor: '500000', reference: randomUUID(), note: '', document }
      const { changeId } = must(await proposeChange(deps.pool, { applicationId, kind: 'funding.pay_in', input, actor: anna }))
      return { actor, run: (proof) => confirmChange(deps, { applicationId, changeId, proof, actor }) }
    },
  },
]

for (const { entry, of, prepare } of COMMANDS) {
  const entriesOf = async ({ deps, applicationId }: Scene) =>
    (await listAudit(deps.pool, applicationId, { size: 50 })).filter(({ action }) => action === entry)
  const require = ({ deps, applicationId }: Scene) =>
    deps.pool.query('update applications set requires_second_factor = true where application_id = $1', [applicationId])
  const removeCodes = ({ deps }: Scene, personId: string) =>
    deps.pool.query('update people set totp_secret = null, totp_enabled_at = null where person_id = $1', [personId])

  test(`refused without a code, with a wrong one and with a used one, then done once with a new one: ${entry} ${of ?? ''}`, async () => {
    const here = await scene()
    const { deps } = here
    const { actor, run } = await prepare(here)
    await require(here)
    const before = (await entriesOf(here)).length
    const used = actor.code()
    must(await verifySecondFactor(deps, { personId: actor.id, code: used, allowsRecovery: false, purpose: 'confirmation' }))
    assert.deepEqual(await run(), { ok: false, error: 'code_required' })
    assert.deepEqual(await run(codeProof('000')), { ok: false, error: 'wrong_code' })
    assert.deepEqual(await run(codeProof(used)), { ok: false, error: 'wrong_code' })
    assert.equal((await entriesOf(here)).length, before)
    nowMs += 30_000
    assert.equal((await run(codeProof(actor.code()))).ok, true)
    assert.deepEqual(
      (await entriesOf(here)).map(({ details }) => details['withCode']),
      [true],
    )
    await removeCodes(here, actor.id)
    assert.deepEqual(await run(codeProof(actor.code())), { ok: false, error: 'second_factor_missing' })
  })

  test(`passkey_refused for what another session signed, then done by a passkey of somebody without codes: ${entry} ${of ?? ''}`, async () => {
    const here = await scene()
    const { actor, run } = await prepare(here)
    await require(here)
    await removeCodes(here, actor.id)
    const { prove } = await givePasskey(here.deps, actor.id)
    const before = (await entriesOf(here)).length
    assert.deepEqual(await run(await prove({ askedIn: randomUUID() })), { ok: false, error: 'passkey_refused' })
    assert.equal((await entriesOf(here)).length, before)
    assert.equal((await run(await prove())).ok, true)
    assert.deepEqual(
      (await entriesOf(here)).map(({ details }) => details['withPasskey']),
      ['Telephone'],
    )
  })
}

test('not_permitted: a right passkey of an administrator who was suspended after the device was asked', async () => {
  const here = await scene()
  const { deps, applicationId, ben } = here
  const changeId = await proposeKey(here)
  await deps.pool.query('update applications set requires_second_factor = true where application_id = $1', [applicationId])
  const { prove } = await givePasskey(deps, ben.id)
  const proof = await prove()
  await deps.pool.query('update memberships set is_active = false where application_id = $1 and person_id = $2', [applicationId, ben.id])
  assert.deepEqual(await confirmChange(deps, { applicationId, changeId, proof, actor: ben }), { ok: false, error: 'not_permitted' })
})

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Role } from '#lib/people/permissions.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { listInvitations, listOwnInvitations } from '../invitation-store.ts'
import { acceptInvitation, invitePerson } from '../invitations.ts'
import { activateMembership } from '../membership.ts'

export const PASSWORD = 'a long enough password'
export const SOURCE = { address: '198.51.100.7', userAgent: 'Browser of Carine' }
const clock = { now: () => new Date() }

/** An application with two administrators, Anna who proposes and Ben who confirms, and the acts of an invitation of Carine. */
export async function invitationScene(pool: Pool, email = `${randomUUID()}@example.com`) {
  const applicationId = await makeApplication(pool)
  const administrator = async (): Promise<PersonCommandActor> => ({
    kind: 'person',
    id: await makePerson(pool, applicationId, ['administrator']),
    applicationId,
    roles: ['administrator'],
  })
  const [anna, ben] = [await administrator(), await administrator()]
  const invite = (roles: Role[] = ['maker'], actor = ben) =>
    withTransaction(pool, (trx) => invitePerson(trx, { applicationId, email, name: 'Carine', roles, proposedBy: anna.id, actor }))
  const token = async () => must(await invite()).token
  const accept = (of: string, password = PASSWORD, name = 'Carine Ngo', source = SOURCE) =>
    acceptInvitation(pool, { token: of, name, password, source })
  const age = (hours: number) =>
    pool.query(
      'update person_invitations set expires_at = expires_at - make_interval(hours => $2), created_at = created_at - make_interval(hours => $2) where application_id = $1',
      [applicationId, hours],
    )
  const only = async () => (await listInvitations(pool, applicationId))[0] ?? assert.fail('there is an invitation')
  const join = async (source = SOURCE) => must(await accept(await token(), PASSWORD, 'Carine Ngo', source)).personId
  const codeOf = async (personId: string) => (await listOwnInvitations(pool, personId))[0]?.code ?? assert.fail('there is a code')
  const activate = async (code: string, actor = anna) =>
    activateMembership({ pool, clock }, { applicationId, invitationId: (await only()).invitationId, spokenCode: code, actor })
  return { pool, applicationId, administrator, anna, ben, email, invite, token, accept, age, only, join, codeOf, activate }
}

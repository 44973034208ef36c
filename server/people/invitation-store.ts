import type { Role } from '#lib/permissions.ts'
import type { Queryable } from '#server/database/pool.ts'

/** How long a link is valid. */
const LINK_LIFETIME = `interval '24 hours'`
/** How long new links can be made of one confirmation, like proposals. */
const INVITATION_LIFETIME = `interval '7 days'`

type NewInvitation = {
  applicationId: string
  invitationId: string
  email: string
  name: string
  roles: readonly Role[]
  tokenHash: Buffer
  proposedBy: string
  confirmedBy: string
}

/** Stores an invitation, in place of an earlier one for the same address whose link has expired. Returns until when its link is valid. */
export async function insertInvitation(trx: Queryable, invitation: NewInvitation): Promise<Date> {
  const { applicationId, email } = invitation
  await trx.query(
    `update person_invitations set withdrawn_at = now()
      where application_id = $1 and email = $2 and accepted_at is null and withdrawn_at is null and expires_at <= now()`,
    [applicationId, email],
  )
  const { rows } = await trx.query<{ expires_at: Date }>(
    `insert into person_invitations
       (application_id, invitation_id, email, name, roles, token_hash, proposed_by, confirmed_by, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, now() + ${LINK_LIFETIME}) returning expires_at`,
    [
      applicationId,
      invitation.invitationId,
      email,
      invitation.name,
      invitation.roles,
      invitation.tokenHash,
      invitation.proposedBy,
      invitation.confirmedBy,
    ],
  )
  return expiryIn(rows)
}

type LockedInvitation = { email: string; proposedBy: string; isRenewable: boolean }

/** Returns an invitation that was neither accepted nor withdrawn, and locks it. */
export async function lockInvitation(trx: Queryable, applicationId: string, invitationId: string): Promise<LockedInvitation | undefined> {
  const { rows } = await trx.query<LockedInvitation>(
    `select email, proposed_by as "proposedBy", created_at > now() - ${INVITATION_LIFETIME} as "isRenewable" from person_invitations
      where application_id = $1 and invitation_id = $2 and accepted_at is null and withdrawn_at is null for update`,
    [applicationId, invitationId],
  )
  return rows[0]
}

/** Makes the earlier link worthless and begins the 24 hours of a new one. */
export async function replaceToken(trx: Queryable, applicationId: string, invitationId: string, tokenHash: Buffer): Promise<Date> {
  const { rows } = await trx.query<{ expires_at: Date }>(
    `update person_invitations set token_hash = $3, expires_at = now() + ${LINK_LIFETIME}
      where application_id = $1 and invitation_id = $2 returning expires_at`,
    [applicationId, invitationId, tokenHash],
  )
  return expiryIn(rows)
}

export async function withdrawOpenInvitation(trx: Queryable, applicationId: string, invitationId: string): Promise<void> {
  await trx.query('update person_invitations set withdrawn_at = now() where application_id = $1 and invitation_id = $2', [
    applicationId,
    invitationId,
  ])
}

export async function markAccepted(trx: Queryable, applicationId: string, invitationId: string, personId: string): Promise<void> {
  await trx.query('update person_invitations set accepted_at = now(), accepted_by = $3 where application_id = $1 and invitation_id = $2', [
    applicationId,
    invitationId,
    personId,
  ])
}

export type InvitationOfToken = {
  applicationId: string
  invitationId: string
  applicationName: string
  slug: string
  requiresSecondFactor: boolean
  email: string
  name: string
  roles: Role[]
  proposedBy: string
  confirmedBy: string
  isEnded: boolean
  isExpired: boolean
  /** Somebody with this e-mail address signs in already. */
  isKnown: boolean
}

/** Returns the invitation of a link. `locks`: until the transaction ends. */
export async function readInvitationOfToken(
  queryable: Queryable,
  tokenHash: Buffer,
  locks: boolean,
): Promise<InvitationOfToken | undefined> {
  const { rows } = await queryable.query<InvitationOfToken>(
    `select i.application_id as "applicationId", i.invitation_id as "invitationId", a.name as "applicationName", a.slug,
            a.requires_second_factor as "requiresSecondFactor", i.email, i.name, i.roles, i.proposed_by as "proposedBy",
            i.confirmed_by as "confirmedBy", i.accepted_at is not null or i.withdrawn_at is not null as "isEnded",
            i.expires_at <= now() as "isExpired", exists (select 1 from people p where p.email = i.email) as "isKnown"
       from person_invitations i join applications a using (application_id) where i.token_hash = $1 ${locks ? 'for update of i' : ''}`,
    [tokenHash],
  )
  return rows[0]
}

function expiryIn(rows: readonly { expires_at: Date }[]): Date {
  const row = rows[0]
  if (!row) throw new Error('The invitation was not stored')
  return row.expires_at
}

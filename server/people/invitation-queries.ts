import type { Role } from '#lib/permissions.ts'
import type { Queryable } from '#server/database/pool.ts'

/** Whether the person with this e-mail address is or was a member of an application, or has a link that is valid. */
export async function findInvitee(queryable: Queryable, applicationId: string, email: string): Promise<'member' | 'invited' | 'unknown'> {
  const { rows } = await queryable.query<{ is_member: boolean; is_invited: boolean }>(
    `select exists (select 1 from memberships m join people p using (person_id) where m.application_id = $1 and p.email = $2) as is_member,
            exists (select 1 from person_invitations where application_id = $1 and email = $2
                      and accepted_at is null and withdrawn_at is null and expires_at > now()) as is_invited`,
    [applicationId, email],
  )
  if (rows[0]?.is_member) return 'member'
  return rows[0]?.is_invited ? 'invited' : 'unknown'
}

export type InvitationListing = {
  invitationId: string
  email: string
  name: string
  roles: Role[]
  proposedBy: string
  proposerName: string
  confirmerName: string
  createdAt: Date
  expiresAt: Date
  isExpired: boolean
  /** Whether a new link can still be made; after seven days the person has to be proposed again. */
  isRenewable: boolean
}

/** Returns the invitations of an application that were neither accepted nor withdrawn, newest first. */
export async function listInvitations(queryable: Queryable, applicationId: string): Promise<InvitationListing[]> {
  const { rows } = await queryable.query<InvitationListing>(
    `select i.invitation_id as "invitationId", i.email, i.name, i.roles, i.proposed_by as "proposedBy", p.name as "proposerName",
            c.name as "confirmerName", i.created_at as "createdAt", i.expires_at as "expiresAt", i.expires_at <= now() as "isExpired",
            i.created_at > now() - interval '7 days' as "isRenewable"
       from person_invitations i join people p on p.person_id = i.proposed_by join people c on c.person_id = i.confirmed_by
      where i.application_id = $1 and i.accepted_at is null and i.withdrawn_at is null order by i.created_at desc, i.invitation_id limit 100`,
    [applicationId],
  )
  return rows
}

import type { Role } from '#lib/permissions.ts'
import type { Queryable } from '#server/database/pool.ts'
import { keyringOfProcess } from '#server/secrets-at-rest/process-keyring.ts'
import { invitationCodePlace } from '#server/secrets-at-rest/sealed-columns.ts'

/** How long an invitation can lead to a membership after two people agreed on it, like proposals. */
const INVITATION_LIFETIME = `interval '7 days'`
/** Conditions on an invitation `i`. */
export const IS_OPEN = 'i.activated_at is null and i.withdrawn_at is null'
export const IS_RECENT = `i.created_at > now() - ${INVITATION_LIFETIME}`
const isHere = (who: 'i.proposed_by' | 'i.confirmed_by') => `exists (select 1 from memberships m join people p using (person_id)
  where m.application_id = i.application_id and m.person_id = ${who} and m.is_active and not p.is_blocked and 'administrator' = any (m.roles))`
/** The proposer can still enter the code. */
const PROPOSER_IS_HERE = isHere('i.proposed_by')
/** Without the person who confirmed it, nobody's code counts: the person has to be proposed again. */
const CONFIRMER_IS_HERE = isHere('i.confirmed_by')
/** Its link is valid, or somebody has joined and can still become a member. */
export const CAN_LEAD_ON = `case when i.accepted_at is null then i.expires_at > now() else ${IS_RECENT} and ${CONFIRMER_IS_HERE} end`

/**
 * Whether the person with this e-mail address is or was a member of an application, or has a link that is valid, or has joined and waits for
 * the proposer.
 */
export async function findInvitee(queryable: Queryable, applicationId: string, email: string): Promise<'member' | 'invited' | 'unknown'> {
  const { rows } = await queryable.query<{ is_member: boolean; is_invited: boolean }>(
    `select exists (select 1 from memberships m join people p using (person_id) where m.application_id = $1 and p.email = $2) as is_member,
            exists (select 1 from person_invitations i where application_id = $1 and email = $2 and ${IS_OPEN}
                      and ${CAN_LEAD_ON}) as is_invited`,
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
  /** Whether a new link can still be made or the code entered; after seven days the person has to be proposed again. */
  isRecent: boolean
  /** Everybody who has had a link: they cannot enter the code. */
  linkHolders: string[]
  /** Whether the proposer can still enter the code; otherwise another administrator who had no link does. */
  isProposerHere: boolean
  /** Whether the person who confirmed it is still an administrator; otherwise the person has to be proposed again. */
  isConfirmerHere: boolean
  /** When somebody joined; null: nobody has. */
  joinedAt: Date | null
  joinedBy: string | null
  /** The name that this person signs in under. */
  joinedName: string | null
  /** The holder of a link who works from the same address with the same browser. */
  joinedLikeName: string | null
}

/** Returns the invitations of an application that have not led to a membership and were not withdrawn, newest first. */
export async function listInvitations(queryable: Queryable, applicationId: string): Promise<InvitationListing[]> {
  const { rows } = await queryable.query<InvitationListing>(
    `select i.invitation_id as "invitationId", i.email, i.name, i.roles, i.proposed_by as "proposedBy", p.name as "proposerName",
            c.name as "confirmerName", i.created_at as "createdAt", i.expires_at as "expiresAt", i.expires_at <= now() as "isExpired",
            ${IS_RECENT} as "isRecent", i.link_holders as "linkHolders", ${PROPOSER_IS_HERE} as "isProposerHere",
            ${CONFIRMER_IS_HERE} as "isConfirmerHere",
            i.accepted_at as "joinedAt", i.accepted_by as "joinedBy", j.name as "joinedName", l.name as "joinedLikeName"
       from person_invitations i join people p on p.person_id = i.proposed_by join people c on c.person_id = i.confirmed_by
            left join people j on j.person_id = i.accepted_by left join people l on l.person_id = i.joined_like
      where i.application_id = $1 and ${IS_OPEN} order by i.created_at desc, i.invitation_id limit 100`,
    [applicationId],
  )
  return rows
}

export type OwnInvitation = {
  applicationId: string
  invitationId: string
  applicationName: string
  requiresSecondFactor: boolean
  roles: Role[]
  /** Null: not accepted yet. */
  code: string | null
  /** Whom to tell the code: the proposer, as long as they can use it. Null: any administrator who never had the link. */
  proposerName: string | null
  /** The people who confirmed the invitation or made a link for it. */
  linkHolderNames: string[]
  endsAt: Date
}

/** Returns the open invitations of a person, by the e-mail address with which they sign in; those that they joined hold their code. */
export async function listOwnInvitations(queryable: Queryable, personId: string): Promise<OwnInvitation[]> {
  const { rows } = await queryable.query<OwnInvitation>(
    `select i.application_id as "applicationId", i.invitation_id as "invitationId", a.name as "applicationName",
            a.requires_second_factor as "requiresSecondFactor", i.roles, i.code,
            case when ${PROPOSER_IS_HERE} then (select p.name from people p where p.person_id = i.proposed_by) end as "proposerName",
            array(select h.name from people h where h.person_id = any (i.link_holders) order by h.name) as "linkHolderNames",
            i.created_at + ${INVITATION_LIFETIME} as "endsAt"
       from people o join person_invitations i on i.email = o.email join applications a using (application_id)
      where o.person_id = $1 and ${IS_OPEN} and ${IS_RECENT} and (i.accepted_by is null or i.accepted_by = o.person_id)
      order by i.created_at, i.invitation_id limit 20`,
    [personId],
  )
  return rows.map((row) => ({ ...row, code: openCode(row.applicationId, row.invitationId, row.code) }))
}

/** The code of a stored invitation; null until somebody has joined. */
export function openCode(applicationId: string, invitationId: string, code: string | null): string | null {
  return code === null ? null : keyringOfProcess().open(invitationCodePlace(applicationId, invitationId), code)
}

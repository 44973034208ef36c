import type { Role } from '#lib/people/permissions.ts'
import type { Queryable } from '#server/database/pool.ts'
import { keyringOfProcess } from '#server/secrets-at-rest/keyring.ts'
import { invitationCodePlace } from '#server/secrets-at-rest/sealed-columns.ts'

/** How long a link is valid. */
const LINK_LIFETIME = `interval '24 hours'`

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

/** Stores an invitation, in place of an earlier one for the same address that can no longer lead to a membership. Returns until when its link is valid. */
export async function insertInvitation(trx: Queryable, invitation: NewInvitation): Promise<Date> {
  const { applicationId, email } = invitation
  await trx.query(
    `update person_invitations i set withdrawn_at = now(), code = null
      where application_id = $1 and email = $2 and ${IS_OPEN} and not ${CAN_LEAD_ON}`,
    [applicationId, email],
  )
  const { rows } = await trx.query<{ expires_at: Date }>(
    `insert into person_invitations
       (application_id, invitation_id, email, name, roles, token_hash, proposed_by, confirmed_by, link_holders, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, array[$8::uuid], now() + ${LINK_LIFETIME}) returning expires_at`,
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

export type LockedInvitation = {
  email: string
  roles: Role[]
  proposedBy: string
  confirmedBy: string
  /** Everybody who has had a link. */
  linkHolders: string[]
  acceptedBy: string | null
  /** Null until somebody has joined. */
  code: string | null
  isRecent: boolean
}

/** Returns an invitation that has neither led to a membership nor was withdrawn, and locks it. */
export async function lockInvitation(trx: Queryable, applicationId: string, invitationId: string): Promise<LockedInvitation | undefined> {
  const { rows } = await trx.query<LockedInvitation>(
    `select email, roles, proposed_by as "proposedBy", confirmed_by as "confirmedBy", link_holders as "linkHolders", accepted_by as "acceptedBy",
            code, ${IS_RECENT} as "isRecent"
       from person_invitations i where application_id = $1 and invitation_id = $2 and ${IS_OPEN} for update`,
    [applicationId, invitationId],
  )
  const row = rows[0]
  return row && { ...row, code: openCode(applicationId, invitationId, row.code) }
}

/** Makes the earlier link worthless and begins the 24 hours of a new one. The person who gets it takes the place of the one who confirmed. */
export async function replaceToken(
  trx: Queryable,
  renewal: { applicationId: string; invitationId: string; tokenHash: Buffer; renewedBy: string },
): Promise<Date> {
  const { rows } = await trx.query<{ expires_at: Date }>(
    `update person_invitations set token_hash = $3, expires_at = now() + ${LINK_LIFETIME}, confirmed_by = $4,
            link_holders = array(select distinct unnest(link_holders || $4::uuid))
      where application_id = $1 and invitation_id = $2 returning expires_at`,
    [renewal.applicationId, renewal.invitationId, renewal.tokenHash, renewal.renewedBy],
  )
  return expiryIn(rows)
}

export async function withdrawOpenInvitation(trx: Queryable, applicationId: string, invitationId: string): Promise<void> {
  await trx.query('update person_invitations set withdrawn_at = now(), code = null where application_id = $1 and invitation_id = $2', [
    applicationId,
    invitationId,
  ])
}

/**
 * Stores who joined, and the code that this person tells the proposer. Returns the one of the people who had a link who works from the same
 * address with the same browser, if there is one.
 */
export async function markAccepted(
  trx: Queryable,
  joined: { applicationId: string; invitationId: string; personId: string; code: string; address: string; userAgent: string },
): Promise<string | null> {
  const { applicationId, invitationId } = joined
  const { rows } = await trx.query<{ joined_like: string | null }>(
    `update person_invitations i set accepted_at = now(), accepted_by = $3, code = $4,
            joined_like = (select s.person_id from person_sessions s where s.person_id = any (i.link_holders) and s.address = $5 and s.user_agent = $6
                            order by s.last_used_at desc limit 1)
      where application_id = $1 and invitation_id = $2 returning joined_like`,
    [
      applicationId,
      invitationId,
      joined.personId,
      keyringOfProcess().seal(invitationCodePlace(applicationId, invitationId), joined.code),
      joined.address,
      joined.userAgent,
    ],
  )
  return rows[0]?.joined_like ?? null
}

/** Whether one person had a link with which another one joined, in any application, and nobody has activated that membership. */
export async function heldLinkOf(queryable: Queryable, holderId: string, joinedId: string): Promise<boolean> {
  const { rowCount } = await queryable.query(
    'select 1 from person_invitations where accepted_by = $2 and $1 = any (link_holders) and activated_at is null limit 1',
    [holderId, joinedId],
  )
  return rowCount === 1
}

/** Counts a wrong code and returns how many there have been. */
export async function noteWrongCode(trx: Queryable, applicationId: string, invitationId: string): Promise<number> {
  const { rows } = await trx.query<{ wrong_codes: number }>(
    'update person_invitations set wrong_codes = wrong_codes + 1 where application_id = $1 and invitation_id = $2 returning wrong_codes',
    [applicationId, invitationId],
  )
  return rows[0]?.wrong_codes ?? 0
}

export async function markActivated(trx: Queryable, applicationId: string, invitationId: string, activatedBy: string): Promise<void> {
  await trx.query(
    'update person_invitations set activated_at = now(), activated_by = $3, code = null where application_id = $1 and invitation_id = $2',
    [applicationId, invitationId, activatedBy],
  )
}

export type InvitationOfToken = {
  applicationId: string
  invitationId: string
  applicationName: string
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
    `select i.application_id as "applicationId", i.invitation_id as "invitationId", a.name as "applicationName",
            a.requires_second_factor as "requiresSecondFactor", i.email, i.name, i.roles, i.proposed_by as "proposedBy",
            i.confirmed_by as "confirmedBy", i.accepted_at is not null or i.withdrawn_at is not null as "isEnded",
            i.expires_at <= now() as "isExpired", exists (select 1 from people p where p.email = i.email) as "isKnown"
       from person_invitations i join applications a using (application_id) where i.token_hash = $1 ${locks ? 'for update of i' : ''}`,
    [tokenHash],
  )
  return rows[0]
}

type OpenInvitation = {
  applicationId: string
  invitationId: string
  email: string
  roles: Role[]
  proposedBy: string
  confirmedBy: string
}

/** Returns an invitation that this person can still accept or decline, and locks it. */
export async function lockOwnInvitation(trx: Queryable, personId: string, invitationId: string): Promise<OpenInvitation | undefined> {
  const { rows } = await trx.query<OpenInvitation>(
    `select i.application_id as "applicationId", i.invitation_id as "invitationId", i.email, i.roles, i.proposed_by as "proposedBy",
            i.confirmed_by as "confirmedBy"
       from person_invitations i join people o on o.email = i.email
      where o.person_id = $1 and i.invitation_id = $2 and ${IS_OPEN} and ${IS_RECENT} and i.accepted_at is null for update of i`,
    [personId, invitationId],
  )
  return rows[0]
}

function expiryIn(rows: readonly { expires_at: Date }[]): Date {
  const row = rows[0]
  if (!row) throw new Error('The invitation was not stored')
  return row.expires_at
}

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
const CAN_LEAD_ON = `case when i.accepted_at is null then i.expires_at > now() else ${IS_RECENT} and ${CONFIRMER_IS_HERE} end`

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
function openCode(applicationId: string, invitationId: string, code: string | null): string | null {
  return code === null ? null : keyringOfProcess().open(invitationCodePlace(applicationId, invitationId), code)
}

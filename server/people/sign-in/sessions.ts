import type { AuditAction } from '#lib/people/audit-actions.ts'
import { DECIDING_ROLES, type Role } from '#lib/people/permissions.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { appendAuditEntries, SERVICE_WIDE } from '#server/audit/append-audit.ts'
import type { AuditDetails } from '#server/audit/canonical-text.ts'
import { type AuditActor, mayAct, type PersonCommandActor, SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import type { Pool, Queryable, TrxClient } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { readActiveApplicationIds, readActor, readMember, updatePerson } from '../person-store.ts'
import {
  deleteEndedSessionsBefore,
  deleteSessionsBefore,
  insertEndedSession,
  readSignedIn,
  type SessionListing,
  type SignedInRow,
  selectAdmitted,
  selectSessions,
  selectSessionsToEnd,
  upsertApplicationSession,
  upsertSession,
} from './session-store.ts'

/** "Last used" is right to this; a session is written at most once in this time, however many requests it makes. */
const NOTED_EVERY_MS = 60_000
const USER_AGENT_LENGTH_MAX = 300

type SessionUse = {
  personId: string
  epoch: number
  sessionId: string
  startedAt: Date
  endsAt: Date
  address: string
  userAgent: string
  /** When it was last noted, as `findSignedIn` read it with the person. */
  notedAt: Date | null
}

/** Notes that a session is used, from where and with which browser, if that was not done in the last minute. */
export async function noteSessionUse(queryable: Queryable, use: SessionUse, now: Date): Promise<void> {
  const noteBefore = new Date(now.getTime() - NOTED_EVERY_MS)
  if (use.notedAt !== null && use.notedAt > noteBefore) return
  const userAgent = storedUserAgent(use.userAgent)
  await upsertSession(queryable, { ...use, userAgent, address: use.address.slice(0, 64), at: now }, noteBefore)
}

type ApplicationUse = Pick<SessionUse, 'personId' | 'sessionId' | 'address' | 'userAgent' | 'notedAt'> & { applicationId: string }

/**
 * Notes that a session is used in an application, if that was not done in the last minute: its administrators see and end only such
 * sessions. The session itself has been noted before.
 */
export async function noteApplicationUse(queryable: Queryable, use: ApplicationUse, now: Date): Promise<void> {
  const noteBefore = new Date(now.getTime() - NOTED_EVERY_MS)
  if (use.notedAt !== null && use.notedAt > noteBefore) return
  const stored = { ...use, userAgent: storedUserAgent(use.userAgent), address: use.address.slice(0, 64), at: now }
  await upsertApplicationSession(queryable, stored, noteBefore)
}

/** The name of a browser as it is stored: text that PostgreSQL can hold, cut to its length. */
export function storedUserAgent(userAgent: string): string {
  return userAgent.toWellFormed().replaceAll('\0', '').slice(0, USER_AGENT_LENGTH_MAX).toWellFormed()
}

export type SessionPerson = Omit<SignedInRow, 'isBlocked' | 'sessionEpoch' | 'isSessionEnded'> & {
  /** Has an authenticator app or a passkey. */
  hasSecondFactor: boolean
  /** This session was started with a second factor. Someone who has only passkeys may have used the password alone. */
  hasProvenSecondFactor: boolean
}

/**
 * How long a session lasts without use where its person may decide about money or access: 30 minutes. Uses are noted once a minute, so the
 * last one may be that much later.
 */
const IDLE_MS_MAX = 30 * 60_000 + NOTED_EVERY_MS

/** Sessions of people who decide end if they were last noted as used before this instant. */
function idleBefore(now: Date): Date {
  return new Date(now.getTime() - IDLE_MS_MAX)
}

/**
 * Returns the person behind a session, read from the database on each request: undefined if there is no such person, if the
 * person is blocked, when the session was signed out, when all sessions of its epoch have ended, and when a person who may decide has
 * not used it for 30 minutes. `usedPasskey`: the session was started with a passkey.
 */
export async function findSignedIn(
  queryable: Queryable,
  session: { personId: string; epoch: number; sessionId: string; usedPasskey?: boolean },
  now: Date,
): Promise<SessionPerson | undefined> {
  const row = await readSignedIn(queryable, session.personId, session.sessionId)
  if (!row || row.isBlocked || row.isSessionEnded || row.sessionEpoch !== session.epoch) return undefined
  if (row.sessionUsedAt && row.sessionUsedAt < idleBefore(now) && mayDecide(row)) return undefined
  const { isBlocked: _, sessionEpoch: __, isSessionEnded: ___, ...person } = row
  const hasProvenSecondFactor = row.hasCodes || (row.hasPasskey && session.usedPasskey === true)
  return { ...person, hasSecondFactor: row.hasCodes || row.hasPasskey, hasProvenSecondFactor }
}

function mayDecide({ memberships }: SignedInRow): boolean {
  return memberships.some(({ roles, deputyFor }) => deputyFor.length > 0 || roles.some((role) => DECIDING_ROLES.includes(role)))
}

/** The session of a person who has a page of an application open. */
export type Subscriber = { personId: string; epoch: number; sessionId: string; usedPasskey?: boolean; applicationId: string }

/**
 * Returns which of these may still receive updates: not blocked, not signed out here or everywhere, not idle, still an active member with a role and with
 * the second factor that the application requires. One statement for any number of them; the result contains the indexes in the list.
 */
export async function findAdmitted(queryable: Queryable, subscribers: readonly Subscriber[], now: Date): Promise<Set<number>> {
  return subscribers.length === 0 ? new Set() : new Set(await selectAdmitted(queryable, subscribers, idleBefore(now)))
}

/** A person who works in one application. Assignable to CommandActor. */
export type PersonActor = {
  kind: 'person'
  id: string
  applicationId: string
  roles: readonly Role[]
  name: string
  email: string
  locale: 'en' | 'fr' | null
  timeZone: string | null
  hasSecondFactor: boolean
  /** The application requires a second factor and this person has none yet: only enrolment is allowed. */
  mustEnrolSecondFactor: boolean
  isApplicationEnabled: boolean
}

type ActorFailure = 'unknown_person' | 'person_blocked' | 'signed_out' | 'not_a_member'

/**
 * Who this person is in this application right now, read from the database each time, so that a blocked person is out
 * with the next request. With `sessionEpoch`, a session that started before the last "sign out everywhere",
 * password change or block is `signed_out`.
 */
export async function loadActor(
  queryable: Queryable,
  personId: string,
  applicationId: string,
  sessionEpoch?: number,
): Promise<Result<PersonActor, ActorFailure>> {
  const row = await readActor(queryable, personId, applicationId)
  if (!row) return err('unknown_person')
  if (row.isBlocked) return err('person_blocked')
  if (sessionEpoch !== undefined && sessionEpoch !== row.sessionEpoch) return err('signed_out')
  if (!row.roles || !row.isActive) return err('not_a_member')
  return ok({
    kind: 'person',
    id: row.personId,
    applicationId,
    roles: row.roles,
    name: row.name,
    email: row.email,
    locale: row.locale,
    timeZone: row.timeZone,
    hasSecondFactor: row.hasSecondFactor,
    mustEnrolSecondFactor: row.requiresSecondFactor && !row.hasSecondFactor,
    isApplicationEnabled: row.isApplicationEnabled,
  })
}

/**
 * Signs a person out of one session, in every process and wherever its cookie was copied to; their other sessions go on.
 * Nothing is written for a session that is over already.
 */
export async function endSession(
  pool: Pool,
  session: { personId: string; epoch: number; sessionId: string; endsAt: Date; address: string },
): Promise<void> {
  await withTransaction(pool, async (trx) => {
    if (!(await insertEndedSession(trx, session))) return ok(undefined)
    const { personId, address } = session
    await recordPersonAct(trx, { personId, action: 'person.signed_out', details: { address }, isAccountChange: false })
    return ok(undefined)
  })
}

/** Removes sessions, and the notes of ended ones, that would have ended anyway. For the scheduled cleaning; returns how many notes. */
export async function pruneEndedSessions(queryable: Queryable, now: Date): Promise<number> {
  // An hour more: a process whose clock is behind must not accept such a session again.
  const before = new Date(now.getTime() - 60 * 60_000)
  await deleteSessionsBefore(queryable, before)
  return deleteEndedSessionsBefore(queryable, before)
}

const LISTED_MAX = 50

/**
 * Returns the sessions of a member that were used in this application, the last used first; none for a person who is not an active member
 * here.
 */
export async function listMemberSessions(
  queryable: Queryable,
  request: { applicationId: string; personId: string; now: Date },
): Promise<SessionListing[]> {
  const member = await readMember(queryable, request.applicationId, request.personId)
  return member?.isActive ? selectSessions(queryable, request.applicationId, request.personId, request.now, LISTED_MAX) : []
}

type EndFailure = 'not_permitted' | 'not_a_member' | 'not_found'

/**
 * Ends one session of a member that was used in this application, or all of these without `sessionId`; in force with the next request, in every
 * process. One administrator is enough: the person can sign in again. Such a session ends in the person's other applications too, and those see it
 * in their records; sessions that were only used there go on.
 */
export async function endMemberSessions(
  pool: Pool,
  command: { applicationId: string; personId: string; sessionId?: string | undefined; actor: PersonCommandActor },
): Promise<Result<void, EndFailure>> {
  const { applicationId, personId, sessionId, actor } = command
  if (!mayAct(actor, applicationId, 'people:change')) return err('not_permitted')
  return withTransaction<void, EndFailure>(pool, async (trx) => {
    const member = await readMember(trx, applicationId, personId)
    if (!member?.isActive) return err('not_a_member')
    let address: string | undefined
    for (const session of await selectSessionsToEnd(trx, { applicationId, personId, sessionId })) {
      if (await insertEndedSession(trx, { ...session, personId })) address = session.address
    }
    if (sessionId === undefined) {
      await recordPersonAct(trx, { personId, actor, action: 'person.sessions_ended', isAccountChange: false })
      return ok(undefined)
    }
    if (address === undefined) return err('not_found')
    const details = { sessionAddress: address }
    await recordPersonAct(trx, { personId, actor, action: 'person.session_ended', details, isAccountChange: false })
    return ok(undefined)
  })
}

/** Signs a person out everywhere: every session that exists now ends. Allowed for the person and the system. Returns the new epoch. */
export async function bumpSessionEpoch(
  pool: Pool,
  command: { personId: string; actor: AuditActor },
): Promise<Result<{ sessionEpoch: number }, 'not_permitted' | 'unknown_person'>> {
  const { personId, actor } = command
  if (actor.kind !== 'system' && actor.id !== personId) return err('not_permitted')
  return withTransaction(pool, async (trx) => {
    const sessionEpoch = await updatePerson(trx, personId, { endsSessions: true })
    if (sessionEpoch === undefined) return err('unknown_person')
    await recordPersonAct(trx, { personId, actor, action: 'person.signed_out_everywhere', isAccountChange: true })
    return ok({ sessionEpoch })
  })
}

/**
 * The proof that a person signed in with: the password, and a code with it; a passkey; the identity provider of the installation, with its own second
 * factor or with a code here.
 */
export type SignInFactor = 'password' | 'one_time_code' | 'recovery_code' | 'passkey' | 'single_sign_on' | 'single_sign_on_code'

/** Records that a person signed in, from which address and with what. */
export async function recordSignIn(pool: Pool, signIn: { personId: string; address: string; factor: SignInFactor }): Promise<void> {
  const { personId, address, factor } = signIn
  await withTransaction(pool, async (trx) => {
    await recordPersonAct(trx, { personId, action: 'person.signed_in', details: { address, factor }, isAccountChange: false })
    return ok(undefined)
  })
}

/**
 * Records wrong passwords for an existing person. The caller decides how often (see `onWrong` of the throttle), so that
 * guessing cannot fill the record. `failures` is their number so far. The actor is the system, because nobody was identified.
 */
export async function recordFailedSignIn(pool: Pool, failed: { personId: string; address: string; failures: number }): Promise<void> {
  const { personId, address, failures } = failed
  await withTransaction(pool, async (trx) => {
    const details = { address, failures }
    await recordPersonAct(trx, { personId, actor: SYSTEM_ACTOR, action: 'person.sign_in_failed', details, isAccountChange: false })
    return ok(undefined)
  })
}

type PersonAct = {
  personId: string
  /** Absent: the person. */
  actor?: AuditActor
  action: Extract<AuditAction, `person.${string}`>
  details?: AuditDetails
  /** A change of the account, which is recorded for the whole service as well; sign-ins are not. */
  isAccountChange: boolean
}

/**
 * Records what concerns a person's own account in the chain of each application in which they are an active member, because
 * the administrators there answer for them. Call it last in the transaction, like `appendAudit`.
 */
export async function recordPersonAct(trx: TrxClient, act: PersonAct): Promise<void> {
  const { personId, actor = { kind: 'person', id: personId }, action, details = {}, isAccountChange } = act
  const chains = await readActiveApplicationIds(trx, personId)
  if (isAccountChange || chains.length === 0) chains.push(SERVICE_WIDE)
  await appendAuditEntries(
    trx,
    chains.map((applicationId) => ({ applicationId, actor, action, subject: personId, details })),
  )
}

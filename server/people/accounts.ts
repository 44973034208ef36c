import { randomUUID } from 'node:crypto'
import type { Locale } from '#lib/i18n/locale.ts'
import { combinesRoles, ROLES, type Role } from '#lib/people/permissions.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { isTimeZone } from '#lib/time/time-zones.ts'
import { SERVICE_WIDE } from '#server/audit/append-audit.ts'
import { type CommandActor, mayAct } from '#server/audit/command-actor.ts'
import { done, runCommand, runRecorded } from '#server/audit/run-command.ts'
import { hashPassword } from '#server/credentials/password.ts'
import { generatePassword } from '#server/credentials/secrets.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { insertMembership, insertPerson, mayCombineRoles, updatePerson } from './person-store.ts'
import { updatePreferences } from './sign-in/session-store.ts'
import { recordPersonAct } from './sign-in/sessions.ts'

type CreatePerson = { applicationId: string; email: string; name: string; roles: readonly Role[]; actor: CommandActor }
type CreatePersonFailure =
  | 'not_permitted'
  | 'invalid_email'
  | 'invalid_name'
  | 'invalid_roles'
  /** Maker, checker and administrator in one person, which the application's settings do not allow. */
  | 'combined_roles'
  | 'unknown_application'
  | 'already_member'

/**
 * Makes a person a member of an application. A new person gets a random password, returned only once. A person who already
 * works in another application keeps their password: `password` is null.
 */
export async function createPerson(
  pool: Pool,
  command: CreatePerson,
): Promise<Result<{ personId: string; password: string | null }, CreatePersonFailure>> {
  const { applicationId, actor } = command
  const roles = ROLES.filter((role) => command.roles.includes(role))
  const email = command.email.trim().toLowerCase()
  const name = command.name.trim()
  if (!mayAct(actor, applicationId, 'people:change')) return err('not_permitted')
  if (!/^[^\s@\0]+@[^\s@\0]+$/.test(email) || email.length > 320) return err('invalid_email')
  if (name.length < 1 || name.length > 200 || name.includes('\0')) return err('invalid_name')
  if (roles.length === 0 || roles.length !== new Set(command.roles).size) return err('invalid_roles')
  const password = generatePassword()
  const passwordHash = await hashPassword(password)
  return runCommand<{ personId: string; password: string | null }, CreatePersonFailure>(pool, command, 'people:change', async (trx) => {
    const { personId, isNew } = await insertPerson(trx, { personId: randomUUID(), email, name, passwordHash })
    const outcome = await insertMembership(trx, applicationId, personId, roles)
    if (outcome !== 'created') return err(outcome)
    if (combinesRoles(roles) && !(await mayCombineRoles(trx, applicationId))) return err('combined_roles')
    const details = { email, name, roles, isNew }
    return done({ action: 'person.added', subject: personId, details }, { personId, password: isNew ? password : null })
  })
}

/**
 * Blocks a person everywhere, or unblocks them. Their sessions end with their next request. Only the machine's
 * administrator may: a person can belong to several applications. An application's administrator ends the membership.
 */
export async function blockPerson(
  pool: Pool,
  command: { personId: string; isBlocked: boolean; actor: CommandActor },
): Promise<Result<void, 'not_permitted' | 'unknown_person'>> {
  const { personId, isBlocked, actor } = command
  if (actor.kind !== 'system') return err('not_permitted')
  return withTransaction(pool, async (trx) => {
    if ((await updatePerson(trx, personId, { isBlocked, endsSessions: true })) === undefined) return err('unknown_person')
    await recordPersonAct(trx, { personId, actor, action: isBlocked ? 'person.blocked' : 'person.unblocked', isAccountChange: true })
    return ok(undefined)
  })
}

type ChangeOwnPreferences = { personId: string; locale?: Locale | undefined; timeZone?: string | undefined }

/**
 * A person chooses their language, their time zone (an IANA name that this machine knows), or both; omitted settings are unchanged. In
 * force with their next page, on every device.
 */
export async function changeOwnPreferences(
  pool: Pool,
  command: ChangeOwnPreferences,
): Promise<Result<void, 'unknown_time_zone' | 'unknown_person'>> {
  const { personId, locale, timeZone } = command
  if (timeZone !== undefined && !isTimeZone(timeZone)) return err('unknown_time_zone')
  const by = { applicationId: SERVICE_WIDE, actor: { kind: 'person' as const, id: personId } }
  return runRecorded(pool, by, async (trx) => {
    if (!(await updatePreferences(trx, personId, { locale, timeZone }))) return err('unknown_person')
    const details = { ...(locale && { locale }), ...(timeZone && { timeZone }) }
    return done({ action: 'person.preferences_changed', subject: personId, details })
  })
}

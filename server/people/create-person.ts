import { randomUUID } from 'node:crypto'
import { combinesRoles, ROLES, type Role } from '#lib/permissions.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { type CommandActor, mayAct } from '#server/audit/command-actor.ts'
import { hashPassword } from '#server/credentials/password.ts'
import { generatePassword } from '#server/credentials/secrets.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { mayCombineRoles } from './person-queries.ts'
import { insertMembership, insertPerson } from './person-store.ts'

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
  return withTransaction<{ personId: string; password: string | null }, CreatePersonFailure>(pool, async (trx) => {
    const { personId, isNew } = await insertPerson(trx, { personId: randomUUID(), email, name, passwordHash })
    const outcome = await insertMembership(trx, applicationId, personId, roles)
    if (outcome !== 'created') return err(outcome)
    if (combinesRoles(roles) && !(await mayCombineRoles(trx, applicationId))) return err('combined_roles')
    await appendAudit(trx, { applicationId, actor, action: 'person.added', subject: personId, details: { email, name, roles, isNew } })
    return ok({ personId, password: isNew ? password : null })
  })
}

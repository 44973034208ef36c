import { err, ok, type Result } from '#lib/result.ts'
import type { CommandActor } from '#server/audit/command-actor.ts'
import { hashPassword } from '#server/credentials/password.ts'
import { digest, generateLinkToken, generatePassword } from '#server/credentials/secrets.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { insertLinkMail } from '../link-mail-store.ts'
import { deletePasskeys } from '../passkeys/passkey-store.ts'
import { deletePasswordReset, type PasswordReset, readPasswordReset, updatePerson, upsertPasswordReset } from '../person-store.ts'
import { findPasswordProblem, type PasswordProblem } from './passwords.ts'
import { recordPersonAct } from './sessions.ts'

/**
 * Ends the person's password, passkeys and sessions, and stores a mail with a link by which they choose a new one: it works once, for 24 hours. An earlier link
 * stops working. The token is returned for tests only; it is stored encrypted until it is mailed. Reserved for the machine administrator.
 */
export async function mailPasswordLink(
  pool: Pool,
  command: { personId: string; actor: CommandActor },
): Promise<Result<{ token: string }, 'not_permitted' | 'unknown_person'>> {
  const { personId, actor } = command
  if (actor.kind !== 'system') return err('not_permitted')
  const { token, tokenHash } = generateLinkToken()
  // Nobody knows it: only the link leads back into the account.
  const passwordHash = await hashPassword(generatePassword())
  return withTransaction(pool, async (trx) => {
    if ((await updatePerson(trx, personId, { passwordHash, endsSessions: true })) === undefined) return err('unknown_person')
    await deletePasskeys(trx, personId)
    await upsertPasswordReset(trx, personId, tokenHash)
    await insertLinkMail(trx, { kind: 'password', applicationId: null, subjectId: personId, token })
    await recordPersonAct(trx, { personId, actor, action: 'person.password_reset', isAccountChange: true })
    return ok({ token })
  })
}

type LinkFailure = 'unknown' | 'expired'

/** Returns whose password a link is for. A link that was used, replaced or never made is unknown, and so is that of a person who is blocked. */
export async function findPasswordReset(queryable: Queryable, token: string): Promise<Result<PasswordReset, LinkFailure>> {
  const reset = await readPasswordReset(queryable, digest(token))
  if (!reset) return err('unknown')
  return reset.isExpired ? err('expired') : ok(reset)
}

/** Uses a link, once: sets the password that the person chose. Nobody is signed in: a second factor is asked for at the sign-in as always. */
export async function choosePassword(
  pool: Pool,
  { token, password }: { token: string; password: string },
): Promise<Result<void, LinkFailure | PasswordProblem>> {
  const found = await findPasswordReset(pool, token)
  if (!found.ok) return found
  const { personId } = found.value
  const problem = await findPasswordProblem(password, found.value)
  if (problem) return err(problem)
  // Outside the transaction, and only for a right token: hashing takes time on purpose.
  const passwordHash = await hashPassword(password)
  return withTransaction<void, LinkFailure>(pool, async (trx) => {
    // Of two requests with one link, one deletes it.
    if (!(await deletePasswordReset(trx, personId, digest(token)))) return err('unknown')
    await updatePerson(trx, personId, { passwordHash, endsSessions: true })
    await recordPersonAct(trx, { personId, action: 'person.password_changed', isAccountChange: true })
    return ok(undefined)
  })
}

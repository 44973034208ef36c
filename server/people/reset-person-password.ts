import { err, ok, type Result } from '#lib/result.ts'
import type { CommandActor } from '#server/audit/command-actor.ts'
import { hashPassword } from '#server/credentials/password.ts'
import { generatePassword } from '#server/credentials/secrets.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { updatePerson } from './person-store.ts'
import { recordPersonAct } from './record-person-act.ts'

/** Sets a new random password, returned only once, and ends the person's sessions. Reserved for the machine administrator. */
export async function resetPersonPassword(
  pool: Pool,
  command: { personId: string; actor: CommandActor },
): Promise<Result<{ password: string }, 'not_permitted' | 'unknown_person'>> {
  const { personId, actor } = command
  if (actor.kind !== 'system') return err('not_permitted')
  const password = generatePassword()
  const passwordHash = await hashPassword(password)
  return withTransaction(pool, async (trx) => {
    if ((await updatePerson(trx, personId, { passwordHash, endsSessions: true })) === undefined) return err('unknown_person')
    await recordPersonAct(trx, { personId, actor, action: 'person.password_reset', isAccountChange: true })
    return ok({ password })
  })
}

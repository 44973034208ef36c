import { err, ok, type Result } from '#lib/result.ts'
import type { SignInThrottle } from '#server/credentials/sign-in-throttle.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { verifyOwnPassword } from '../passwords.ts'
import { updatePerson } from '../person-store.ts'
import { recordPersonAct } from '../sessions.ts'
import { deletePasskey } from './passkey-store.ts'

type RemovePasskey = { personId: string; credentialId: string; password: string; peerAddress: string }
export type RemoveFailure = 'wrong_password' | 'throttled' | 'unknown_person' | 'not_found'

/**
 * A person removes one of their passkeys, with their password. All their sessions end, this one included, because a lost device may hold one.
 * Returns the epoch under which a new one may begin.
 */
export async function removePasskey(
  deps: { pool: Pool; throttle: SignInThrottle },
  command: RemovePasskey,
): Promise<Result<{ sessionEpoch: number }, RemoveFailure>> {
  const { personId, credentialId } = command
  const known = await verifyOwnPassword(deps, command)
  if (!known.ok) return err(known.error.kind === 'wrong_credentials' ? 'wrong_password' : known.error.kind)
  return withTransaction<{ sessionEpoch: number }, RemoveFailure>(deps.pool, async (trx) => {
    const name = await deletePasskey(trx, personId, credentialId)
    if (name === undefined) return err('not_found')
    const sessionEpoch = await updatePerson(trx, personId, { endsSessions: true })
    if (sessionEpoch === undefined) return err('unknown_person')
    await recordPersonAct(trx, { personId, action: 'person.passkey_removed', details: { name }, isAccountChange: true })
    return ok({ sessionEpoch })
  })
}

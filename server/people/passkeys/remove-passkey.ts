import { err, ok, type Result } from '#lib/result.ts'
import type { SignInThrottle } from '#server/credentials/sign-in-throttle.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { updatePerson } from '../person-store.ts'
import { verifyOwnPassword } from '../sign-in/passwords.ts'
import { findRequiringApplication, needsPasskeySession, readSecondFactor } from '../sign-in/second-factor-store.ts'
import { recordPersonAct } from '../sign-in/sessions.ts'
import { deletePasskey, hasPasskey } from './passkey-store.ts'

type RemovePasskey = { personId: string; credentialId: string; password: string; peerAddress: string; usedPasskey?: boolean }
export type RemoveFailure = 'passkey_needed' | 'wrong_password' | 'throttled' | 'unknown_person' | 'not_found' | 'demanded'

/**
 * A person removes one of their passkeys, with their password. All their sessions end, this one included, because a lost device may hold one.
 * Returns the epoch under which a new one may begin. `demanded`: it is the last second factor of somebody whose application requires one.
 * `passkey_needed`: for the same reason, this session has to be one that was started with a passkey (`usedPasskey`).
 */
export async function removePasskey(
  deps: { pool: Pool; throttle: SignInThrottle },
  command: RemovePasskey,
): Promise<Result<{ sessionEpoch: number }, RemoveFailure>> {
  const { personId, credentialId, usedPasskey = false } = command
  if (!usedPasskey && (await needsPasskeySession(deps.pool, personId))) return err('passkey_needed')
  const known = await verifyOwnPassword(deps, command)
  if (!known.ok) return err(known.error.kind === 'wrong_credentials' ? 'wrong_password' : known.error.kind)
  return withTransaction<{ sessionEpoch: number }, RemoveFailure>(deps.pool, async (trx) => {
    const name = await deletePasskey(trx, personId, credentialId)
    if (name === undefined) return err('not_found')
    const sessionEpoch = await updatePerson(trx, personId, { endsSessions: true })
    if (sessionEpoch === undefined) return err('unknown_person')
    // Under the lock of the person: they may have switched their codes off since.
    const isLast = !(await readSecondFactor(trx, personId))?.isEnabled && !(await hasPasskey(trx, personId))
    if (isLast && (await findRequiringApplication(trx, personId)) !== undefined) return err('demanded')
    await recordPersonAct(trx, { personId, action: 'person.passkey_removed', details: { name }, isAccountChange: true })
    return ok({ sessionEpoch })
  })
}

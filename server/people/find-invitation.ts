import { err, ok, type Result } from '#lib/result.ts'
import { digest } from '#server/credentials/secrets.ts'
import type { Queryable } from '#server/database/pool.ts'
import { type InvitationOfToken, readInvitationOfToken } from './invitation-store.ts'

/** Why a link does not work. Who has the right token may know; everybody else gets `unknown`. */
export type InvitationFailure = 'unknown' | 'expired' | 'used'

/** Returns the invitation of a link that can be used now. `locks`: no other request can use it until the transaction ends. */
export async function findInvitation(
  queryable: Queryable,
  token: string,
  { locks }: { locks: boolean },
): Promise<Result<InvitationOfToken, InvitationFailure>> {
  const invitation = await readInvitationOfToken(queryable, digest(token), locks)
  if (!invitation) return err('unknown')
  if (invitation.isEnded) return err('used')
  return invitation.isExpired ? err('expired') : ok(invitation)
}

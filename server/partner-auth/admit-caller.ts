import { err, ok, type Result } from '#lib/result.ts'
import type { Caller } from './authenticate-caller.ts'

export type AdmissionFailure = 'address_not_allowed' | 'user_blocked' | 'application_disabled'

/**
 * Whether a caller who proved who it is may come in: address, then user, then application; each a 403.
 * `peerAddress` is the socket's, or what a trusted proxy says.
 */
export function admitCaller({ application, apiUserId }: Caller, peerAddress: string): Result<void, AdmissionFailure> {
  if (!application.allowList.admits(peerAddress)) return err('address_not_allowed')
  if (application.blockedApiUserIds.has(apiUserId)) return err('user_blocked')
  return application.isEnabled ? ok(undefined) : err('application_disabled')
}

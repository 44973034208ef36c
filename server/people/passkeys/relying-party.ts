import { isIP } from 'node:net'

/** The site for which passkeys are made: a browser offers a passkey only to it, and signs where it was used. */
export type RelyingParty = { id: string; origin: string }

/**
 * The site of this installation; undefined where browsers have no passkeys: at an address without a name, and over http, except on the
 * machine itself.
 */
export function relyingPartyOf(publicUrl: string): RelyingParty | undefined {
  const { hostname, origin, protocol } = new URL(publicUrl)
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return undefined
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  return protocol === 'https:' || isLocal ? { id: hostname, origin } : undefined
}

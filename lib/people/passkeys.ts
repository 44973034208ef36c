/** A request to a device for a new passkey of this site for this person. Bytes are base64url. */
export type PasskeyCreation = {
  challenge: string
  rp: { id: string; name: string }
  user: { id: string; name: string; displayName: string }
  /** Numbers of COSE, the preferred one first. */
  algorithms: readonly number[]
  /** Passkeys that the person has: their devices make no second one. */
  existing: readonly string[]
  timeoutMs: number
}

/** A request to a device for a signature by any of its passkeys of this site. */
export type PasskeyRequest = { challenge: string; rpId: string; timeoutMs: number }

/** A new passkey, as the browser sends it. Bytes are base64url. */
export type AttestationAnswer = { id: string; clientDataJSON: string; attestationObject: string; transports: readonly string[] }

/** A signature by a passkey, as the browser sends it. Bytes are base64url. */
export type AssertionAnswer = {
  id: string
  clientDataJSON: string
  authenticatorData: string
  signature: string
  userHandle: string | null
}

export type PasskeyDto = { credentialId: string; name: string; createdAt: string; lastUsedAt: string | null }

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

/** A request to a device for a signature by one of its passkeys of this site: by one of `allowed`, where the person is known. */
export type PasskeyRequest = { challenge: string; rpId: string; timeoutMs: number; allowed?: readonly string[] }

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

/** By which a person who is signed in confirms something, as the browser sends it: a one-time code, or a signature by a passkey. */
export type ProofAnswer = { kind: 'code'; code: string } | { kind: 'passkey'; assertion: AssertionAnswer }

/** With what a person can confirm something here. */
export type OfferedProofs = { hasCodes: boolean; hasPasskey: boolean }

export type PasskeyDto = { credentialId: string; name: string; createdAt: string; lastUsedAt: string | null }

import type { AssertionAnswer, AttestationAnswer, PasskeyCreation, PasskeyRequest } from '#lib/people/passkeys.ts'

/** Asks the device for a new passkey; undefined if it made none: the person cancelled, or it has one for this account. */
export async function makePasskey(creation: PasskeyCreation): Promise<AttestationAnswer | undefined> {
  const { challenge, user, rp, algorithms, existing, timeoutMs } = creation
  const credential = await askDevice(() =>
    navigator.credentials.create({
      publicKey: {
        challenge: toBytes(challenge),
        user: { ...user, id: toBytes(user.id) },
        rp,
        pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
        timeout: timeoutMs,
        excludeCredentials: existing.map((id) => ({ type: 'public-key', id: toBytes(id) })),
        // Older devices read only `requireResidentKey`.
        authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
        attestation: 'none',
      },
    }),
  )
  if (!(credential?.response instanceof AuthenticatorAttestationResponse)) return undefined
  const { clientDataJSON, attestationObject } = credential.response
  return {
    id: credential.id,
    clientDataJSON: toText(clientDataJSON),
    attestationObject: toText(attestationObject),
    transports: credential.response.getTransports(),
  }
}

/** Asks the device to sign a challenge with a passkey of this site, one of `allowed` where there are any; undefined if it did not. */
export async function signWithPasskey({ challenge, rpId, timeoutMs, allowed = [] }: PasskeyRequest): Promise<AssertionAnswer | undefined> {
  const credential = await askDevice(() =>
    navigator.credentials.get({
      publicKey: {
        challenge: toBytes(challenge),
        rpId,
        timeout: timeoutMs,
        allowCredentials: allowed.map((id) => ({ type: 'public-key', id: toBytes(id) })),
        userVerification: 'required',
      },
    }),
  )
  if (!(credential?.response instanceof AuthenticatorAssertionResponse)) return undefined
  const { clientDataJSON, authenticatorData, signature, userHandle } = credential.response
  return {
    id: credential.id,
    clientDataJSON: toText(clientDataJSON),
    authenticatorData: toText(authenticatorData),
    signature: toText(signature),
    userHandle: userHandle && toText(userHandle),
  }
}

async function askDevice(ask: () => Promise<Credential | null>): Promise<PublicKeyCredential | undefined> {
  if (typeof PublicKeyCredential === 'undefined') return undefined
  try {
    const credential = await ask()
    return credential instanceof PublicKeyCredential ? credential : undefined
  } catch (error) {
    // Cancelled, too late, or a device that has such a passkey: browsers do not say which, so that no page learns it.
    if (error instanceof DOMException) return undefined
    throw error
  }
}

function toBytes(base64Url: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64Url.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0))
}

function toText(bytes: ArrayBuffer): string {
  const base64 = btoa(String.fromCharCode(...new Uint8Array(bytes)))
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

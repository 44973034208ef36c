import { constants, createPublicKey, publicEncrypt } from 'node:crypto'

/** Encrypts a PIN for a key of Sonatel's, base64 of a DER SubjectPublicKeyInfo. Undefined if the key cannot be read. */
export function encryptPin(publicKey: string, pin: string): string | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
    return publicEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, Buffer.from(pin)).toString('base64')
  } catch {
    // The key came from outside: one that does not work counts as none.
    return undefined
  }
}

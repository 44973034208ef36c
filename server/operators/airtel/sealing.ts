import { constants, createCipheriv, createPublicKey, publicEncrypt, randomBytes } from 'node:crypto'

type RsaPadding = 'pkcs1' | 'oaep-sha256'

/** Encrypts text for Airtel's public key, base64 of a DER SubjectPublicKeyInfo. Undefined if the key cannot be read or is too short. */
export function encryptForAirtel(publicKey: string, padding: RsaPadding, text: string): string | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
    const how =
      padding === 'pkcs1' ? { padding: constants.RSA_PKCS1_PADDING } : { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }
    return publicEncrypt({ key, ...how }, Buffer.from(text)).toString('base64')
  } catch {
    // The key came from outside: one that does not work counts as none.
    return undefined
  }
}

/** The headers of a signed message: the body encrypted with a key that was made for it, and that key encrypted for Airtel. */
export function signatureHeaders(publicKey: string, padding: RsaPadding, body: string): Record<string, string> | undefined {
  const [key, iv] = [randomBytes(32), randomBytes(16)]
  const cipher = createCipheriv('aes-256-cbc', key, iv)
  const signature = Buffer.concat([cipher.update(body, 'utf8'), cipher.final()]).toString('base64')
  const sealedKey = encryptForAirtel(publicKey, padding, `${key.toString('base64')}:${iv.toString('base64')}`)
  return sealedKey === undefined ? undefined : { 'x-signature': signature, 'x-key': sealedKey }
}

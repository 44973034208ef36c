import { constants, createDecipheriv, generateKeyPair, type KeyObject, privateDecrypt, randomUUID } from 'node:crypto'
import { promisify } from 'node:util'

/** The key pair of one simulator. Made when the key is first asked for, and lost with the process. */
export class SealingKeys {
  #making: Promise<{ keyId: string; publicKey: string; privateKey: KeyObject }> | undefined

  async publicKey(): Promise<{ keyId: string; publicKey: string }> {
    return this.#pair()
  }

  /** Decrypts base64 in the paddings that operators use; undefined if none of them fits. */
  async decrypt(sealed: string): Promise<string | undefined> {
    const { privateKey } = await this.#pair()
    const bytes = Buffer.from(sealed, 'base64')
    return (
      attempt(() => privateDecrypt({ key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }, bytes)) ??
      // Without padding, because OpenSSL answers a wrong one with invented bytes.
      unpad(attempt(() => privateDecrypt({ key: privateKey, padding: constants.RSA_NO_PADDING }, bytes)))
    )?.toString('utf8')
  }

  /** Whether `x-signature` is the body, encrypted with the key that `x-key` holds. */
  async isSigned(body: string, signature: unknown, sealedKey: unknown): Promise<boolean> {
    if (typeof signature !== 'string' || typeof sealedKey !== 'string') return false
    const [key = '', iv = ''] = ((await this.decrypt(sealedKey)) ?? '').split(':')
    const opened = attempt(() => {
      const decipher = createDecipheriv('aes-256-cbc', Buffer.from(key, 'base64'), Buffer.from(iv, 'base64'))
      return Buffer.concat([decipher.update(signature, 'base64'), decipher.final()])
    })
    return opened?.toString('utf8') === body
  }

  #pair() {
    this.#making ??= promisify(generateKeyPair)('rsa', { modulusLength: 2_048 }).then(({ publicKey, privateKey }) => ({
      keyId: randomUUID(),
      publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
      privateKey,
    }))
    return this.#making
  }
}

/** The text in a block of PKCS#1 v1.5: 00 02, at least eight bytes that are not zero, 00, the text. */
function unpad(block: Buffer | undefined): Buffer | undefined {
  const end = block?.indexOf(0, 2) ?? -1
  return block && block[0] === 0 && block[1] === 2 && end >= 10 ? block.subarray(end + 1) : undefined
}

function attempt(open: () => Buffer): Buffer | undefined {
  try {
    return open()
  } catch {
    // Not encrypted for this key, or not in this way: refused like every such message.
    return undefined
  }
}

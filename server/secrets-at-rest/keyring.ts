import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { requireProcessWide, setProcessWide } from '#server/process-wide.ts'

/** The place where a secret is stored. A sealed text opens in this place only: copied to another row or column it is refused. */
export type SecretPlace = { table: string; row: string; field: string }

/** The keys that this process may use: one seals, all of them open. */
export type Keyring = {
  /** Names the key that seals; it reveals nothing about the key. */
  currentKeyId: string
  keyIds: readonly string[]
  /** Encrypts `plain` for this place under the current key. */
  seal(place: SecretPlace, plain: string): string
  /**
   * Decrypts what `seal` returned for this place. Throws when the text is not encrypted, when the key is not on the ring, and when the
   * text was altered or belongs to another place.
   */
  open(place: SecretPlace, stored: string): string
}

const MARK = 'sealed:1:'
const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const KEY_BYTES = 32

/** The bytes of a key in hexadecimal or base64; undefined when the text is neither or holds fewer than 256 bits. */
export function decodeSecretsKey(text: string): Buffer | undefined {
  const isHexadecimal = /^(?:[0-9a-f]{2})+$/i.test(text)
  if (!isHexadecimal && !/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return undefined
  const bytes = Buffer.from(text, isHexadecimal ? 'hex' : 'base64')
  return bytes.length >= KEY_BYTES ? bytes : undefined
}

/** The ring of a current key and the keys that are only read with. Throws when one of them is not a key. */
export function createKeyring(keys: { current: string; previous: readonly string[] }): Keyring {
  const [current, ...others] = [keys.current, ...keys.previous].map(deriveKey)
  if (!current) throw new Error('A ring needs a key')
  const byId = new Map([...others, current].map((key) => [key.id, key.encryptionKey]))
  return {
    currentKeyId: current.id,
    keyIds: [...byId.keys()],
    seal(place, plain) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, current.encryptionKey, nonce, { authTagLength: TAG_BYTES })
      cipher.setAAD(associatedData(current.id, place))
      const sealed = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `${MARK}${current.id}:${sealed.toString('base64url')}`
    },
    open(place, stored) {
      const where = `${place.field} of ${place.table} ${place.row}`
      if (!stored.startsWith(MARK)) throw new Error(`The ${where} is not encrypted.`)
      const [keyId = '', body = ''] = stored.slice(MARK.length).split(':')
      const key = byId.get(keyId)
      if (!key) throw new Error(`The ${where} is encrypted with the key ${keyId}, which this process does not have.`)
      try {
        const bytes = Buffer.from(body, 'base64url')
        const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
        decipher.setAAD(associatedData(keyId, place))
        decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
        return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8')
      } catch (error) {
        throw new Error(`The ${where} cannot be decrypted: it was altered, or copied from another row.`, { cause: error })
      }
    },
  }
}

/** Returns the prefix of every text sealed under this key; without a key: of every sealed text. */
export function sealedPrefix(keyId?: string): string {
  return keyId === undefined ? MARK : `${MARK}${keyId}:`
}

/** The id is derived like the key itself, so that it is stable, and one-way, so that it may be stored in the open. */
function deriveKey(text: string): { id: string; encryptionKey: Buffer } {
  const bytes = decodeSecretsKey(text)
  if (!bytes) throw new Error('SECRETS_KEY must have at least 256 bits.')
  return {
    id: Buffer.from(hkdfSync('sha256', bytes, '', 'countersign secrets key id', 6)).toString('hex'),
    encryptionKey: Buffer.from(hkdfSync('sha256', bytes, '', 'countersign secrets encryption', KEY_BYTES)),
  }
}

/** As JSON, because it separates the parts: no two places have the same text. */
function associatedData(keyId: string, place: SecretPlace): Buffer {
  return Buffer.from(JSON.stringify([MARK, keyId, place.table, place.row, place.field]))
}

declare module '#server/process-wide.ts' {
  interface ProcessWideValues {
    keyring: Keyring
  }
}

/** Sets the keys that stores of this process encrypt and decrypt with. Called once, before anything reads a secret. */
export function publishKeyring(keyring: Keyring): void {
  setProcessWide('keyring', keyring)
}

/** Returns the keys of this process. Throws when none were set. */
export function keyringOfProcess(): Keyring {
  return requireProcessWide('keyring', 'SECRETS_KEY is missing: set the key that encrypts the secrets in this database.')
}

import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'

/** How much of an API key people see in lists: enough to tell keys apart, too little to guess with. */
const VISIBLE_LENGTH = 12

/** SHA-256. Enough for what has 80 random bits and more; what people choose is hashed with argon2id instead. */
export function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

type NewApiKey = { apiKey: string; keyPrefix: string; keyHash: Buffer }

/** A new API key: 256 random bits behind a mark that secret scanners can find. The key itself is not stored. */
export function generateApiKey(): NewApiKey {
  const apiKey = `csk_${randomBytes(32).toString('base64url')}`
  return { apiKey, keyPrefix: apiKey.slice(0, VISIBLE_LENGTH), keyHash: digest(apiKey) }
}

/** The token of a link that is sent to a person: 256 random bits, of which only the digest is stored for good. */
export function generateLinkToken(): { token: string; tokenHash: Buffer } {
  const token = randomBytes(32).toString('base64url')
  return { token, tokenHash: digest(token) }
}

/** Letters and digits that are not mistaken for each other when they are read aloud or copied by hand. */
const CODE_ALPHABET = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'
const CODE_LENGTH = 6

/** A code that one person reads out to another: six characters, about 30 bits, for few tries only. */
export function generateSpokenCode(): string {
  return Array.from({ length: CODE_LENGTH }, () => CODE_ALPHABET[randomInt(CODE_ALPHABET.length)]).join('')
}

/** Compares a spoken code with what was typed, in upper or lower case and with any spaces and hyphens, in constant time. */
export function isSpokenCode(code: string, typed: string): boolean {
  return timingSafeEqual(digest(code), digest(typed.replace(/[\s-]/g, '').toUpperCase()))
}

/** A Standard Webhooks secret: 32 random bytes, written the way its libraries read them. */
export function generateWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

/** A generated password: 20 characters without look-alikes, about 115 bits. */
export function generatePassword(): string {
  const alphabet = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
  return Array.from({ length: 20 }, () => alphabet[randomInt(alphabet.length)]).join('')
}

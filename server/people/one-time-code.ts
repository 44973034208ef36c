import { randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { digest } from '#server/credentials/secrets.ts'

/** RFC 6238 with what every authenticator app understands: SHA-1, six digits, thirty seconds. */
const PERIOD_SECONDS = 30
const ISSUER = 'Countersign'
const RECOVERY_CODES = 10

/** A new secret of 160 bits, in base 32. */
export function generateTotpSecret(): string {
  return new Secret({ size: 20 }).base32
}

/** The address that the QR code shows. */
export function totpUrl(secret: string, email: string): string {
  return totpOf(secret, email).toString()
}

/** The time step that a six-digit code belongs to, one step of clock difference either way; undefined when it is wrong. */
export function findTimeStep(secret: string, code: string, now: Date): bigint | undefined {
  const digits = code.replace(/\s/g, '')
  if (!/^\d{6}$/.test(digits)) return undefined
  const delta = totpOf(secret, '').validate({ token: digits, timestamp: now.getTime(), window: 1 })
  return delta === null ? undefined : BigInt(Math.floor(now.getTime() / 1_000 / PERIOD_SECONDS) + delta)
}

/** Ten codes of 80 random bits for the day the phone is gone. */
export function generateRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () =>
    new Secret({ buffer: new Uint8Array(randomBytes(10)).buffer }).base32.replace(/(.{4})(?=.)/g, '$1-'),
  )
}

/** The digest of a recovery code, however it was typed; undefined when the text cannot be one. */
export function recoveryCodeHash(code: string): Buffer | undefined {
  const plain = code.replace(/[\s-]/g, '').toUpperCase()
  return /^[A-Z2-7]{16}$/.test(plain) ? digest(plain) : undefined
}

function totpOf(secret: string, label: string): TOTP {
  return new TOTP({ issuer: ISSUER, label, secret: Secret.fromBase32(secret), algorithm: 'SHA1', digits: 6, period: PERIOD_SECONDS })
}

import { err, ok, type Result } from '#lib/result.ts'
import type { Pool } from '#server/database/pool.ts'
import { generateTotpSecret, totpUrl } from './one-time-code.ts'
import { readSecondFactor, startSecret } from './second-factor-store.ts'

/**
 * Begins a person's enrolment: a new secret and the `otpauth:` address for the QR code. It counts only once
 * `confirmSecondFactor` has seen a code; beginning again replaces an unconfirmed one.
 */
export async function startSecondFactor(
  pool: Pool,
  command: { personId: string },
): Promise<Result<{ secret: string; url: string }, 'unknown_person' | 'already_enabled'>> {
  const stored = await readSecondFactor(pool, command.personId)
  if (!stored) return err('unknown_person')
  const secret = generateTotpSecret()
  if (!(await startSecret(pool, command.personId, secret))) return err('already_enabled')
  return ok({ secret, url: totpUrl(secret, stored.email) })
}

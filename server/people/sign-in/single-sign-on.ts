import { err, ok, type Result } from '#lib/result.ts'
import type { Queryable } from '#server/database/pool.ts'
import { findPersonByEmail } from '../person-store.ts'

/** The claims of an identity provider about a person, once its signature has been verified. */
export type ProviderClaims = { email: string | undefined; isEmailVerified: boolean; amr: readonly string[]; acr: string | undefined }

type SignOn = { personId: string; sessionEpoch: number; email: string; needsCode: boolean }
export type SignOnFailure = 'unverified' | 'unknown' | 'blocked'

/**
 * Returns the person with the verified e-mail address of an identity provider. None is ever created: people join by invitation. `needsCode`: their
 * authenticator app is set up and the provider has not said, in the words that the installation trusts, that it asked for one.
 */
export async function findSignOnPerson(
  queryable: Queryable,
  claims: ProviderClaims,
  trusted: { amr: readonly string[]; acr: readonly string[] },
): Promise<Result<SignOn, SignOnFailure>> {
  const email = claims.email?.trim().toLowerCase()
  if (!email || !claims.isEmailVerified) return err('unverified')
  // PostgreSQL cannot store a NUL, so there is no such address.
  const person = email.includes('\0') ? undefined : await findPersonByEmail(queryable, email)
  if (!person) return err('unknown')
  if (person.isBlocked) return err('blocked')
  const usedSecondFactor = claims.amr.some((method) => trusted.amr.includes(method)) || trusted.acr.some((level) => level === claims.acr)
  const { personId, sessionEpoch, hasCodes } = person
  return ok({ personId, sessionEpoch, email, needsCode: hasCodes && !usedSecondFactor })
}

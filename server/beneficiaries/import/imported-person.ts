import { createHash } from 'node:crypto'
import { phoneNumberForms } from '#lib/payments/phone-number.ts'
import type { Identity } from '../beneficiary-store.ts'

/** A person of a file as the change stores them. `beneficiaryId`: who it is in the book; null: somebody new. The amount in hundredths, as text. */
export type ImportedPerson = Identity & { beneficiaryId: string | null; groupName: string | null; amountMinor: string | null }

/** Whether a person keeps name, operator and number. Both forms of a renumbered country are one number. */
export function isSameIdentity(person: Identity, present: Identity): boolean {
  return person.name === present.name && person.operator === present.operator && isSameNumber(person, present)
}

/** Whether two numbers are one, in whichever of its forms. */
export function isSameNumber(one: Pick<Identity, 'phoneNumber'>, other: Pick<Identity, 'phoneNumber'>): boolean {
  return phoneNumberForms(one.phoneNumber)[0] === phoneNumberForms(other.phoneNumber)[0]
}

/** An amount in hundredths as JSON holds it. */
export function minorText(amountMinor: bigint | null): string | null {
  return amountMinor === null ? null : String(amountMinor)
}

/** The digest of what a file would change, in the order of its rows. */
export function digestOf(people: readonly ImportedPerson[]): string {
  const facts = people.map((one) => [one.beneficiaryId, one.name, one.operator, one.phoneNumber, one.groupName, one.amountMinor])
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex')
}

import { formatMinor } from '#lib/money.ts'
import type { KnownBeneficiary } from '#lib/payment-preview.ts'
import { phoneNumberForms } from '#lib/phone-number.ts'
import type { TransactionType } from '#lib/transaction-status.ts'
import type { Queryable } from '#server/database/pool.ts'
import { selectLastSuccesses } from './beneficiary-store.ts'
import { findCustomers } from './suggest-matches.ts'

/**
 * Whom an application paid or collected from before, by the start of a word of the name or of the phone number, the latest transaction
 * first, each with the latest success of this type. At most `countMax`; those of the last minute may be missing.
 */
export async function suggestBeneficiaries(
  queryable: Queryable,
  applicationId: string,
  { typed, type }: { typed: string; type: TransactionType },
  countMax: number,
): Promise<KnownBeneficiary[]> {
  const customers = await findCustomers(queryable, applicationId, typed, countMax)
  const phoneNumbers = [...new Set(customers.flatMap(({ phoneNumber }) => phoneNumberForms(phoneNumber)))]
  const successes = await selectLastSuccesses(queryable, applicationId, type, phoneNumbers)
  return customers.map(({ phoneNumber, customerName }) => {
    const forms = phoneNumberForms(phoneNumber)
    const own = successes.filter((row) => forms.includes(row.phoneNumber))
    const last = own.toSorted((left, right) => right.at.getTime() - left.at.getTime())[0]
    return {
      phoneNumber,
      customerName,
      last: last
        ? { type, amount: formatMinor(last.amountMinor), currency: last.currency, operator: last.operator, at: last.at.toISOString() }
        : null,
    }
  })
}

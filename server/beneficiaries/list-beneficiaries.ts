import type { BeneficiaryDto } from '#lib/beneficiaries/beneficiaries.ts'
import { formatMinor } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import type { BeneficiaryListFilter } from '#lib/schemas/beneficiary.ts'
import type { Queryable } from '#server/database/pool.ts'
import { selectPage } from './beneficiary-store.ts'

/** One page of the book. An empty filter of the form is none. */
export async function listBeneficiaries(
  queryable: Queryable,
  applicationId: string,
  { q, group, show, page }: BeneficiaryListFilter,
): Promise<{ beneficiaries: BeneficiaryDto[]; total: number }> {
  const { rows, total } = await selectPage(queryable, applicationId, {
    q,
    group: group || undefined,
    isArchived: show === 'archived',
    page,
  })
  return {
    beneficiaries: rows.map(({ amountMinor, ...row }) => ({
      ...row,
      amount: amountMinor === null ? null : formatMinor(amountMinor),
      currency: OPERATORS[row.operator].country.currency,
    })),
    total,
  }
}

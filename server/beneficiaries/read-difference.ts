import type { ListDifferenceDto } from '#lib/beneficiaries/list-difference.ts'
import { CURRENCIES } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import type { Queryable } from '#server/database/pool.ts'
import { type Difference, findDifference, findSource } from './list-store.ts'

/** How a batch differs now from the list that it repeats; null if it repeats none. */
export async function readDifference(queryable: Queryable, applicationId: string, batchId: string): Promise<ListDifferenceDto | null> {
  const source = await findSource(queryable, { applicationId, batchId })
  if (!source) return null
  const { totals, ...counts } = await findDifference(queryable, { applicationId, batchId }, source.batchId)
  return {
    ...counts,
    source: source.batchId === null ? null : { batchId: source.batchId, name: source.batchName ?? '' },
    groupName: source.groupName,
    totals: totalsByCurrency(totals),
  }
}

function totalsByCurrency(totals: Difference['totals']): ListDifferenceDto['totals'] {
  return CURRENCIES.flatMap((currency) => {
    const own = totals.filter(({ operator }) => OPERATORS[operator].country.currency === currency)
    if (own.length === 0) return []
    const sum = (side: 'beforeMinor' | 'afterMinor') => String(own.reduce((minor, total) => minor + BigInt(total[side]), 0n))
    return [{ currency, beforeMinor: sum('beforeMinor'), afterMinor: sum('afterMinor') }]
  })
}

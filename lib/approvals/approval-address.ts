import { formatMinor } from '#lib/money/money.ts'
import type { QueryValues } from '#lib/pages/paths.ts'
import type { ApprovalFilter } from '#lib/schemas/list-filter.ts'

export const APPROVAL_PAGE_SIZE = 50

/** Returns the filter as address values without defaults, so that one view has one address. */
export function approvalQuery(filter: ApprovalFilter): QueryValues {
  return {
    queue: filter.queue === 'mine' ? null : filter.queue,
    operator: filter.operator,
    min: filter.min === null ? null : formatMinor(filter.min),
    max: filter.max === null ? null : formatMinor(filter.max),
    maker: filter.maker,
    rule: filter.rule,
    checker: filter.checker,
    from: filter.from,
    to: filter.to,
    sort: filter.sort === 'oldest' ? null : filter.sort,
    page: filter.page === 0 ? null : filter.page,
  }
}

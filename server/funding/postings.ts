import type { FundingKind } from '#lib/funding.ts'
import type { FundingPosting } from '#server/ledger/funding-effect.ts'

/** The kind of posting of each kind of funding. */
export const POSTINGS = { pay_in: 'fund', move: 'move', correction: 'correct' } as const satisfies Record<
  FundingKind,
  FundingPosting['kind']
>

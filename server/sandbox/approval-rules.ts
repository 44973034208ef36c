import type { z } from 'zod'
import type { approvalRuleSchema } from '#lib/approval-policy.ts'

type RuleInput = z.input<typeof approvalRuleSchema>

/** Payments that people prepare are decided only by people, never by the application's program. */
const PREPARED: Pick<RuleInput, 'sources' | 'apiMayDecide'> = { sources: ['person', 'file'], apiMayDecide: false }

/**
 * The first application: payments from its API go to the operator immediately. Payments that people start always require one checker, and
 * more where these rules say so.
 */
export const FIRST_RULES: RuleInput[] = [
  { ...PREPARED, name: 'Large payout (XAF)', currency: 'XAF', aboveMinor: '50000000', approvals: [2] },
  { ...PREPARED, name: 'Large payout (XOF)', currency: 'XOF', aboveMinor: '50000000', approvals: [2] },
  { ...PREPARED, name: 'Large payout (UGX)', currency: 'UGX', aboveMinor: '200000000', approvals: [2] },
  {
    ...PREPARED,
    name: 'Very large payout (XAF)',
    currency: 'XAF',
    aboveMinor: '80000000',
    approvals: [1, 1],
    needsCode: true,
    expiresInHours: 96,
  },
  { ...PREPARED, name: 'First payment to a number (XAF)', currency: 'XAF', aboveMinor: '10000000', firstTimeOnly: true, approvals: [1, 1] },
  { ...PREPARED, name: 'First payment to a number (XOF)', currency: 'XOF', aboveMinor: '10000000', firstTimeOnly: true, approvals: [1, 1] },
]

/** The second application also holds back large deposits of its program. It has one checker, so every rule requires one. */
export const SECOND_RULES: RuleInput[] = [
  // May be decided through the API, so that validateTransaction and rejectTransaction can be tried.
  {
    name: 'Large payout of the program (XOF)',
    sources: ['api'],
    currency: 'XOF',
    aboveMinor: '30000000',
    approvals: [1],
    apiMayDecide: true,
  },
  {
    ...PREPARED,
    name: 'First payment to a number (XOF)',
    currency: 'XOF',
    aboveMinor: '5000000',
    firstTimeOnly: true,
    approvals: [1],
    expiresInHours: 72,
  },
]

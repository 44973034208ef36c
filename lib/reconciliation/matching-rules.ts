import { z } from 'zod'

/** How lines and transactions without a common id are paired. The texts are `matching.pairs.<numberPairs>`. */
export const NUMBER_PAIRS = ['none', 'unique', 'twins'] as const
/** Which forms of a phone number a transaction may have: also that before its country renumbered, or only the present one. */
export const PHONE_FORMS = ['all', 'present'] as const

/** The furthest that a line may be from its transaction, in hours. */
export const BEFORE_HOURS_MAX = 48
export const AFTER_HOURS_MAX = 168

/**
 * The part of the matching of a wallet that people may set: rules 4 and 5, by phone number and amount. A line may be `beforeHours` before its transaction
 * began to `afterHours` after its end.
 */
export const matchingRulesSchema = z.object({
  beforeHours: z.int().min(0).max(BEFORE_HOURS_MAX),
  afterHours: z.int().min(1).max(AFTER_HOURS_MAX),
  numberPairs: z.enum(NUMBER_PAIRS),
  phoneForms: z.enum(PHONE_FORMS),
})
export type MatchingRules = z.output<typeof matchingRulesSchema>

/** Version 1 of every wallet: lines were matched by it, so it never changes. */
export const DEFAULT_RULES: MatchingRules & { version: number } = {
  ...{ version: 1, beforeHours: 2, afterHours: 36, numberPairs: 'twins', phoneForms: 'all' },
}

export const MATCHING_REPLAY_DAYS = 90

/** A line that other rules would have matched otherwise. Null: with no transaction. `amount`: a decimal, below zero out of the wallet. */
export type ReplayedLine = {
  effect: 'gained' | 'lost' | 'changed'
  lineId: string
  day: string
  amount: string
  phone: string | null
  operatorId: string | null
  before: { transactionId: string; application: string } | null
  after: { transactionId: string; application: string } | null
}

/** The effect that other rules would have had on the lines of the last 90 days. */
export type MatchingReplay = {
  from: string
  to: string
  /** Lines that no id has matched, and how many are paired by each. */
  lines: number
  pairedBefore: number
  pairedAfter: number
  gained: number
  lost: number
  changed: number
  /** The first ones of each effect. */
  examples: readonly ReplayedLine[]
}

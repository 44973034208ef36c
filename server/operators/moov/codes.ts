import { FAILURE_MESSAGES } from '#lib/transaction-status.ts'
import { type FailureTable, failureReason } from '#server/operators/failure-table.ts'
import type { MoovMeaning, MoovSettings } from './settings.ts'

/** The codes on which all sources agree. Those that are left out say nothing that partners could act on. */
const MOOV_FAILURES: FailureTable = {
  3: 'invalidNumber',
  // On a payout it is our own balance.
  8: 'insufficientFunds',
  10: 'insufficientFunds',
  555: 'notRegistered',
}

/** Errors of the platform, and codes that mean one thing in one source and another one in the next. */
const UNDECIDED = new Set(['-1', '93', '94', '95', '96', '97', '98', '99'])

/** Answers to an enquiry that are about the enquiry: not authorised, incomplete. The transfer may have succeeded. */
const ABOUT_THE_ENQUIRY = new Set(['1', '2', '4', '91'])

/** What a code means that is neither success nor pending. `notFound` only if it was agreed with Moov. */
export function meaningOf({ codeMeanings }: MoovSettings, code: string, step: 'submission' | 'enquiry'): MoovMeaning {
  const agreed = codeMeanings && Object.hasOwn(codeMeanings, code) ? codeMeanings[code] : undefined
  if (agreed) return agreed
  if (UNDECIDED.has(code) || (step === 'enquiry' && ABOUT_THE_ENQUIRY.has(code))) return 'unknown'
  return Object.hasOwn(MOOV_FAILURES, code) ? (MOOV_FAILURES[code] ?? 'other') : 'other'
}

/** The message for partners. */
export function reasonOf(meaning: Exclude<MoovMeaning, 'unknown' | 'notFound'>): string {
  return meaning === 'other' ? failureReason({}, undefined) : FAILURE_MESSAGES[meaning]
}

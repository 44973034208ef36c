import { type AnswerTable, refused, UNKNOWN } from '#server/operators/answer-table.ts'
import type { MoovSettings } from './settings.ts'

/**
 * The codes on which all sources agree, of a submission and of a status query. Every other one is unknown: sources disagree about 91 to 98,
 * and 1, 2 and 4 (not authorised) may be about the query and not about the transfer.
 */
const MOOV_ANSWERS: AnswerTable = {
  3: refused('invalidNumber'),
  6: refused('other'),
  7: refused('other'),
  // On a payout it is our own balance.
  8: refused('insufficientFunds'),
  9: refused('other'),
  10: refused('insufficientFunds'),
  11: refused('other'),
  12: refused('other'),
  13: refused('other'),
  14: refused('other'),
  15: refused('other'),
  16: refused('other'),
  17: refused('other'),
  18: refused('other'),
  19: refused('other'),
  20: refused('other'),
  555: refused('notRegistered'),
}

/** The table with the meanings that were agreed with Moov. */
export function moovAnswersOf({ codeMeanings = {} }: MoovSettings): AnswerTable {
  const agreed = Object.entries(codeMeanings).map(([code, meaning]) => {
    const isUndecided = meaning === 'unknown' || meaning === 'notFound'
    return [code, isUndecided ? UNKNOWN : refused(meaning)] as const
  })
  return { ...MOOV_ANSWERS, ...Object.fromEntries(agreed) }
}

/** Whether a code of a status query means that Moov does not know the reference: only if that was agreed with Moov. */
export function isNotFound({ codeMeanings }: MoovSettings, code: string): boolean {
  return codeMeanings !== undefined && Object.hasOwn(codeMeanings, code) && codeMeanings[code] === 'notFound'
}

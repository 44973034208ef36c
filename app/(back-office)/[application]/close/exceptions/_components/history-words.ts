/** The texts of a history, for pages that show one beside something else. */
export const HISTORY_WORDS = [
  'exceptions.event.',
  'exceptions.outcome.',
  'exceptions.history',
  'exceptions.byService',
  'close.class.',
] as const

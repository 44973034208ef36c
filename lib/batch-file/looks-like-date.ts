const MONTHS =
  'jan|janv|january|janvier|feb|fev|fevr|february|fevrier|mar|mars|march|apr|avr|april|avril|may|mai|jun|june|juin|jul|juil|july|juillet|aug|aou|aout|august|sep|sept|september|septembre|oct|october|octobre|nov|november|novembre|dec|december|decembre'
const WITH_NAME = new RegExp(
  `^(?:\\d{1,2}[\\s./-]+)?(?:${MONTHS})\\.?[\\s./-]+\\d{1,4}$|^\\d{1,2}[\\s./-]*(?:${MONTHS})\\.?(?:[\\s./-]+\\d{2,4})?$`,
)
const WITH_FIGURES =
  /^(?:\d{1,2}([/-])\d{1,2}\1\d{2,4}|\d{4}([/-])\d{1,2}\2\d{1,2}|\d{1,2}\.\d{1,2}\.\d{4}|\d{1,2}\/\d{1,2})(?:[ t]\d{1,2}:\d{2}(?::\d{2})?)?$/

/** Whether a text is a date as spreadsheets write it: `05/01/2026`, `2026-01-05`, `5-janv.`, `Jan-26`. */
export function looksLikeDate(text: string): boolean {
  const folded = text
    .normalize('NFD')
    .replace(/\p{Mn}+/gu, '')
    .toLowerCase()
    .trim()
  return WITH_FIGURES.test(folded) || WITH_NAME.test(folded)
}

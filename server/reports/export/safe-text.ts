/** What a spreadsheet may take for a formula, also in full-width forms and behind spaces that it trims. */
const FORMULA = /^[\s\u00a0\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r\n|%]/
/** What a spreadsheet would turn into a number and shorten: 237690441208 becomes 2.3769E+11, 007 becomes 7. */
const NUMBER = /^\s*\d[\d\s.,]*(e[+-]?\d+)?\s*$/i

/**
 * A text for a CSV cell that a spreadsheet leaves alone: what could be read as a formula or a number gets an apostrophe in front,
 * which says "this is text" (DESIGN 13). NUL is dropped; line breaks become spaces, so that one row stays one line.
 */
export function safeText(text: string): string {
  const plain = text.replaceAll('\0', '')
  const guarded = FORMULA.test(plain) || NUMBER.test(plain) ? `'${plain}` : plain
  return guarded.replace(/[\r\n]+/g, ' ')
}

/** The same for the record at the end of a file, whose counts are numbers and stay numbers. */
export function safeValue(text: string): string {
  return /^\d+$/.test(text) ? text : safeText(text)
}

/** A CSV field: quoted where it holds a comma, a quote or anything at its edge that a reader could trim. */
export function csvField(text: string): string {
  return /[",;\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

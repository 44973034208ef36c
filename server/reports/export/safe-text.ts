/** What a cell of a spreadsheet can hold; longer texts make some programs refuse the whole file. */
const CELL_LENGTH_MAX = 32_767
/** What a spreadsheet may take for a formula when a text begins with it, also in full-width forms. */
const FORMULA_SIGNS = new Set('=+-@|%\uff1d\uff0b\uff0d\uff20\t\r\n')
/** What a spreadsheet would turn into a number and shorten: 237690441208 becomes 2.3769E+11, 007 becomes 7. Of a trimmed text. */
const NUMBER = /^\d[\d\s.,]*(?:e[+-]?\d+)?$/i

/** A text as any cell may hold it: well-formed, without NUL, and no longer than a cell; what is cut ends with an ellipsis. */
export function cellText(text: string): string {
  const plain = (text.length > CELL_LENGTH_MAX ? `${text.slice(0, CELL_LENGTH_MAX - 2)}…` : text).toWellFormed()
  return plain.replaceAll('\0', '')
}

/**
 * A text for a CSV cell that a spreadsheet leaves alone: what could be read as a formula or a number gets an apostrophe in front,
 * which says "this is text". NUL is dropped; line breaks become spaces, so that one row stays one line. Takes time in proportion to
 * the length of the text, whatever is in it.
 */
export function safeText(text: string): string {
  const plain = cellText(text)
  const guarded = isFormula(plain) || NUMBER.test(plain.trim()) ? `'${plain}` : plain
  return guarded.replace(/[\r\n]+/g, ' ')
}

/** Spreadsheets trim spaces before they look for a formula; tabs and line breaks at the very beginning count as signs themselves. */
function isFormula(text: string): boolean {
  return FORMULA_SIGNS.has(text.charAt(0)) || /^\s*[\t\r\n]/.test(text) || FORMULA_SIGNS.has(text.trimStart().charAt(0))
}

/** The same for the record at the end of a file, whose counts are numbers and stay numbers. */
export function safeValue(text: string): string {
  return /^\d+$/.test(text) ? text : safeText(text)
}

/** A CSV field: quoted where it holds a comma, a quote or anything at its edge that a reader could trim. */
export function csvField(text: string): string {
  return /[",;\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The longest text of a cell in a spreadsheet; longer texts make some programs refuse the whole file. */
const CELL_LENGTH_MAX = 32_767
/** Signs at the beginning of a text that a spreadsheet may take for a formula, also in full-width forms. */
const FORMULA_SIGNS = new Set('=+-@|%\uff1d\uff0b\uff0d\uff20\t\r\n')
/**
 * A spreadsheet in a language with decimal commas, French among them, separates the fields of a CSV at semicolons, also inside quotes that
 * started after a comma: what follows a semicolon may be a cell of its own.
 */
const FORMULA_AFTER_SEMICOLON = /;(?=[\s"]*[=+\-@|%\uff1d\uff0b\uff0d\uff20])/g

/** A text as any cell may hold it: well-formed, without NUL, and no longer than a cell; what is cut ends with an ellipsis. */
export function cellText(text: string): string {
  const plain = (text.length > CELL_LENGTH_MAX ? `${text.slice(0, CELL_LENGTH_MAX - 2)}…` : text).toWellFormed()
  return plain.replaceAll('\0', '')
}

/**
 * A text for a CSV cell that no spreadsheet runs as a formula: it gets an apostrophe where one could begin, and only there, so that phone
 * numbers and ids stay what they are. NUL is dropped; line breaks become spaces, so that one row stays one line. Takes time in proportion
 * to the length of the text, regardless of its content.
 */
export function safeText(text: string): string {
  const plain = cellText(text)
  const guarded = isFormula(plain) ? `'${plain}` : plain
  return guarded.replace(/[\r\n]+/g, ' ').replace(FORMULA_AFTER_SEMICOLON, ";'")
}

/** Spreadsheets trim spaces before they look for a formula; tabs and line breaks at the very beginning count as signs themselves. */
function isFormula(text: string): boolean {
  return FORMULA_SIGNS.has(text.charAt(0)) || /^\s*[\t\r\n]/.test(text) || FORMULA_SIGNS.has(text.trimStart().charAt(0))
}

/** A CSV field: quoted where it holds a comma, a quote or anything at its edge that a reader could trim. */
export function csvField(text: string): string {
  return /[",;\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

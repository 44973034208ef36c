const EXPONENT = /^([+-]?)(\d+)(?:[.,](\d+))?[eE]\+?(\d{1,2})$/

/**
 * Reads a number that a spreadsheet wrote with an exponent. `2.37677209341E+11` has all its digits and returns `237677209341`.
 * `2.37E+11` has lost nine of its twelve digits and returns `lost`. Undefined for any other text.
 */
export function readExponent(text: string): { digits: string } | 'lost' | undefined {
  const match = EXPONENT.exec(text.trim())
  if (!match) return undefined
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const places = Number(exponent)
  // With as many digits after the point as the exponent says, nothing was rounded to zeros.
  if (fraction.length < places || sign === '-') return 'lost'
  const digits = whole + fraction
  const after = digits.slice(whole.length + places)
  return { digits: digits.slice(0, whole.length + places) + (after === '' ? '' : `.${after}`) }
}

/**
 * Reads a number as a workbook stores it, which has all digits also with an exponent: `2.37677209341E11` returns `237677209341`.
 * Undefined unless it is a plain number.
 */
export function readStoredNumber(text: string): string | undefined {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text.trim())
  if (!match) return undefined
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const point = whole.length + Number(exponent)
  const digits = whole + fraction
  if (Math.abs(point) > 60) return undefined
  const padded = point <= 0 ? '0'.repeat(1 - point) + digits : digits.padEnd(point, '0')
  const at = point <= 0 ? 1 : point
  const rest = padded.slice(at).replace(/0+$/, '')
  const integer = padded.slice(0, at).replace(/^0+(?=\d)/, '')
  return `${sign}${integer}${rest === '' ? '' : `.${rest}`}`
}

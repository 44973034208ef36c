const LABEL = /compte|account|num[eé]ro|mobile number|wallet|msisdn|short ?code|till/i
const NUMBER = /\d(?:[ ]?\d){5,14}/

/** The account numbers that a banner names: behind a label in the same cell, or in the cell after it. Digits only. */
export function findAccounts(rows: readonly (readonly string[])[]): string[] {
  return rows.flatMap((row) => {
    const cells = row.filter((cell) => cell !== '')
    return cells.flatMap((cell, place) => {
      if (!LABEL.test(cell)) return []
      const number = NUMBER.exec(cell)?.[0] ?? NUMBER.exec(cells[place + 1] ?? '')?.[0]
      return number === undefined ? [] : [number.replace(/\D/g, '')]
    })
  })
}

/** How many digits two writings of a number must share at their ends: with and without the dial code. */
const SHARED_DIGITS = 8

/** Whether two account numbers are one, written with or without the country's dial code. */
export function isSameNumber(left: string, right: string): boolean {
  const [a = '', b = ''] = [left, right].map((number) => number.replace(/\D/g, '').replace(/^0+/, ''))
  if (a === b) return true
  return Math.min(a.length, b.length) >= SHARED_DIGITS && (a.endsWith(b) || b.endsWith(a))
}

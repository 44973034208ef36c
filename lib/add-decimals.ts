/** Adds two decimals as formatMinor writes them (`5000`, `100.5`), exactly. For sums of what a page shows; never negative. */
export function addDecimals(left: string, right: string): string {
  const sum = toMinor(left) + toMinor(right)
  const cents = sum % 100n
  return cents === 0n ? String(sum / 100n) : `${sum / 100n}.${String(cents).padStart(2, '0').replace(/0$/, '')}`
}

/** Negative, zero or positive as the first of two such decimals is less than, equal to or greater than the second. */
export function compareDecimals(left: string, right: string): number {
  const difference = toMinor(left) - toMinor(right)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

function toMinor(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(2, '0'))
}

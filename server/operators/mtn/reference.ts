const VERSION_PLACE = 14

/**
 * MTN's `X-Reference-Id` for a reference of ours, which begins with its time (version 7): MTN refuses every version but 4. Only the digit
 * of the version differs, so that people recognise it; no two references differ in that digit alone.
 */
export function mtnReference(reference: string): string {
  return `${reference.slice(0, VERSION_PLACE)}4${reference.slice(VERSION_PLACE + 1)}`
}

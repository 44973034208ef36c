/** The lowest id that a transaction of this instant can have: version 7 begins with the milliseconds since 1970. */
export function firstIdAfter(instant: Date): string {
  const hex = Math.max(0, instant.getTime()).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-0000-0000-000000000000`
}

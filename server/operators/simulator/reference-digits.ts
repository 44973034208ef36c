import { createHash } from 'node:crypto'

/** A reference of the simulated operator's own: this many digits, always the same for one of ours, and another for every other. */
export function digitsOf(reference: string, length: number): string {
  const number = BigInt(`0x${createHash('sha256').update(reference).digest('hex')}`)
  return String(number % 10n ** BigInt(length)).padStart(length, '0')
}

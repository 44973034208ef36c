import { createHash, timingSafeEqual } from 'node:crypto'

/** In a time that does not depend on where the texts differ. */
export function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}

import { z } from 'zod'
import { mustBe } from './problems.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const WHOLE_NUMBER = /^\d{1,10}$/

/** Longest `payeeNote` and `reason`, in characters. The specification shows no maximum; a note is not a document. */
const NOTE_LENGTH_MAX = 1_000

/** Largest `page`: what a 32-bit client can count to, and far from where page × size would overflow. */
export const PAGE_MAX = 2_147_483_647

export const PAGE_SIZE_MAX = 1_000

/** An identifier that the service assigned, of any UUID version, in lower case. */
export function idField(name: string) {
  const error = mustBe(name, 'a UUID')
  return z.string({ error }).regex(UUID, { error }).toLowerCase().meta({ format: 'uuid' })
}

/** Free text: not blank, counted in code points, not in UTF-16 units. */
export function noteField(name: string) {
  const error = mustBe(name, `a text of 1 to ${NOTE_LENGTH_MAX} characters`)
  return z
    .string({ error })
    .refine((text) => text.trim() !== '' && isAtMost(text, NOTE_LENGTH_MAX), { error })
    .meta({ minLength: 1, maxLength: NOTE_LENGTH_MAX })
}

/** A whole number in a query string, within both bounds. */
export function wholeNumberField(name: string, minimum: number, maximum: number) {
  const error = mustBe(name, `a whole number from ${minimum} to ${maximum}`)
  return z
    .string({ error })
    .refine((text) => WHOLE_NUMBER.test(text) && Number(text) >= minimum && Number(text) <= maximum, { error })
    .transform(Number)
    .meta({ type: 'integer', minimum, maximum })
}

/** One of a closed set of words, exactly as written. */
export function wordField<const Translations extends readonly [string, ...string[]]>(name: string, words: Translations) {
  return z.enum(words, { error: mustBe(name, `one of ${words.join(', ')}`) })
}

/** Returns whether a text has at most this many code points. */
export function isAtMost(text: string, charactersMax: number): boolean {
  if (text.length <= charactersMax) return true
  return text.length <= charactersMax * 2 && [...text].length <= charactersMax
}

import { z } from 'zod'
import { err, ok, type Result } from '#lib/result.ts'
import { isJsonObject, type JsonValue, repeatedNames } from '#lib/text/json.ts'

/** The maximum number of problems in one response: a batch may contain a thousand invalid elements. */
const PROBLEMS_MAX = 50

/**
 * The `error` of a field: "<name> is required." where it is absent, "<name> must not contain NUL." where it does, otherwise
 * "<name> must be <rule>." One sentence per wrong field.
 */
export function mustBe(name: string, rule: string): (issue: { input?: unknown }) => string {
  return ({ input }) => {
    if (input === undefined) return `${name} is required.`
    return typeof input === 'string' && hasNul(input) ? `${name} must not contain NUL.` : `${name} must be ${rule}.`
  }
}

/** Whether a text contains U+0000, which JSON can carry and PostgreSQL cannot store. */
export function hasNul(text: string): boolean {
  return text.includes('\0')
}

/** Reads `input` with `schema`. The error is the list of sentences, one per wrong field, in the order of the schema. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): Result<z.output<Schema>, string[]> {
  const parsed = schema.safeParse(input)
  if (parsed.success) return ok(parsed.data)
  const sentences: string[] = []
  const seen = new Set<string>()
  for (const issue of parsed.error.issues) {
    const place = issue.path.join('.')
    if (seen.has(place)) continue
    seen.add(place)
    sentences.push(issue.message)
  }
  return err(sentences)
}

/**
 * Reads a body that lib/text/json.ts parsed with the schema of an object. A field of the schema that was sent more than once is refused: two
 * programs would read two different requests. Repeated names that the schema does not know are ignored, like all unknown fields.
 */
export function parseFields<Schema extends z.ZodObject>(schema: Schema, body: JsonValue): Result<z.output<Schema>, string[]> {
  const parsed = parseInput(schema, body)
  if (!isJsonObject(body)) return parsed
  const repeated = [...repeatedNames(body)].filter((name) => Object.hasOwn(schema.shape, name))
  if (repeated.length === 0) return parsed
  const others = parsed.ok ? [] : parsed.error.filter((sentence) => !repeated.some((name) => sentence.startsWith(`${name} `)))
  return err([...repeated.map((name) => `${name} must not be repeated.`), ...others])
}

/** All sentences as one message; beyond fifty the rest is counted. */
export function joinProblems(sentences: readonly string[]): string {
  if (sentences.length <= PROBLEMS_MAX) return sentences.join(' ')
  return `${sentences.slice(0, PROBLEMS_MAX).join(' ')} And ${sentences.length - PROBLEMS_MAX} more problems.`
}

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

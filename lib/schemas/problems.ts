import type { z } from 'zod'
import { isJsonObject, type JsonValue, repeatedNames } from '#lib/json.ts'
import { err, ok, type Result } from '#lib/result.ts'

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
 * Reads a body that lib/json.ts parsed with the schema of an object. A field of the schema that was sent more than once is refused: two
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

import type { z } from 'zod'
import { err, ok, type Result } from '../result.ts'

/** At most this many problems are told at once: a batch of a thousand wrong elements would fill a book. */
const PROBLEMS_MAX = 50

/**
 * The `error` of a field: "<name> is required." where it is absent, otherwise "<name> must be <rule>." One sentence per
 * wrong field (DESIGN 5, Errors).
 */
export function mustBe(name: string, rule: string): (issue: { input?: unknown }) => string {
  return (issue) => (issue.input === undefined ? `${name} is required.` : `${name} must be ${rule}.`)
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

/** All sentences as one message; beyond fifty the rest is counted. */
export function joinProblems(sentences: readonly string[]): string {
  if (sentences.length <= PROBLEMS_MAX) return sentences.join(' ')
  return `${sentences.slice(0, PROBLEMS_MAX).join(' ')} And ${sentences.length - PROBLEMS_MAX} more problems.`
}

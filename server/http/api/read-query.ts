import type { z } from 'zod'
import { err, ok, type Result } from '#lib/result.ts'
import { joinProblems, parseInput } from '#lib/schemas/fields.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { type Refusal, refuse } from './errors.ts'

/** Parses the query parameters with their schema. The 400 names every wrong parameter. */
export function readQuery<Schema extends z.ZodType>(
  request: Pick<ApiRequest, 'search'>,
  schema: Schema,
): Result<z.output<Schema>, Refusal> {
  const parameters = parseQuery(request.search)
  if (!parameters.ok) return err(refuse(400, 'parameters_invalid', parameters.error))
  const parsed = parseInput(schema, parameters.value)
  return parsed.ok ? ok(parsed.value) : err(refuse(400, 'parameters_invalid', joinProblems(parsed.error)))
}

/**
 * Parses a query string into its parameters. Stricter than URLSearchParams: a repeated name, a broken percent escape, bytes that are not
 * UTF-8 and a NUL are errors, each returned as one sentence.
 */
export function parseQuery(search: string): Result<Record<string, string>, string> {
  const parameters: Record<string, string> = {}
  if (search === '') return ok(parameters)
  for (const part of search.split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const name = decode(equals < 0 ? part : part.slice(0, equals))
    const value = decode(equals < 0 ? '' : part.slice(equals + 1))
    if (name === undefined || value === undefined) return err('The query string must be percent-encoded UTF-8 without NUL characters.')
    if (Object.hasOwn(parameters, name)) return err(`The query parameter ${name} must not be repeated.`)
    Object.defineProperty(parameters, name, { value, enumerable: true, configurable: true, writable: true })
  }
  return ok(parameters)
}

function decode(text: string): string | undefined {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced.isWellFormed() ? spaced : undefined
  try {
    const decoded = decodeURIComponent(spaced)
    return decoded.includes('\0') ? undefined : decoded
  } catch {
    // A broken escape: answered with 400.
    return undefined
  }
}

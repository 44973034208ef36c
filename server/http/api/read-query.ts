import type { z } from 'zod'
import { err, ok, type Result } from '#lib/result.ts'
import { joinProblems, parseInput } from '#lib/schemas/problems.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { type Refusal, refuse } from './errors.ts'
import { parseQuery } from './parse-query.ts'

/** Parses the query parameters with their schema. The 400 names every wrong parameter. */
export function readQuery<Schema extends z.ZodType>(
  request: Pick<ApiRequest, 'search'>,
  schema: Schema,
): Result<z.output<Schema>, Refusal> {
  const parameters = parseQuery(request.search)
  if (!parameters.ok) return err(refuse(400, parameters.error))
  const parsed = parseInput(schema, parameters.value)
  return parsed.ok ? ok(parsed.value) : err(refuse(400, joinProblems(parsed.error)))
}

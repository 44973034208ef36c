import { type JsonValue, parseJsonBytes } from '#lib/json.ts'
import { err, type Result } from '#lib/result.ts'
import type { ApiRequest, BodyProblem } from './api-request.ts'
import { type Refusal, refuse } from './errors.ts'

/** Largest body of everything but depositMultiple, in bytes. */
export const BODY_BYTES_MAX = 64 * 1024

/** Largest body of depositMultiple, in bytes. */
export const BATCH_BODY_BYTES_MAX = 2 * 1024 * 1024

const JSON_CONTENT_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?;?\s*$/i

/** The refusal that belongs to a body which could not be had. */
export function refuseBody(problem: BodyProblem, bytesMax: number): Refusal {
  if (problem === 'too_large') return refuse(413, `The body must have at most ${bytesMax} bytes.`)
  // An aborted request has nobody left to read the answer; the status only shows in the log.
  return refuse(408, 'The body did not arrive in time.', { connection: 'close' })
}

/** Reads a JSON body: 415 unless it is plain UTF-8 JSON, 413, 408, and 400 when it is not well formed. */
export async function readJsonBody(request: ApiRequest, bytesMax: number): Promise<Result<JsonValue, Refusal>> {
  const contentType = request.header('content-type')
  // The compact spelling is what nearly everybody sends.
  if (contentType !== 'application/json' && !JSON_CONTENT_TYPE.test(contentType ?? '')) {
    return err(refuse(415, 'Content-Type must be application/json, in UTF-8.'))
  }
  const encoding = request.header('content-encoding')
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    return err(refuse(415, 'Content-Encoding is not supported: the body must be sent uncompressed.'))
  }
  const body = await request.readBody(bytesMax)
  if (!body.ok) return err(refuseBody(body.error, bytesMax))
  if (body.value.length === 0) return err(refuse(400, 'The body is empty: JSON is required.'))
  const parsed = parseJsonBytes(body.value)
  return parsed.ok ? parsed : err(refuse(400, `The body is not valid JSON: ${parsed.error}.`))
}

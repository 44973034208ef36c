import { type JsonValue, parseJsonBytes } from '#lib/json.ts'
import { err, type Result } from '#lib/result.ts'
import type { BodyOwner } from '#server/http/door/body-budget.ts'
import type { ApiRequest, BodyProblem } from './api-request.ts'
import { type Refusal, refuse } from './errors.ts'
import { HEAVY_BYTES, takeHeavyTurn } from './heavy-turn.ts'

/** Largest body of everything but depositMultiple, in bytes. */
export const BODY_BYTES_MAX = 64 * 1024

/**
 * Largest body of depositMultiple, in bytes. A thousand elements whose fields are all of maximum length are 2.6 MB, and 4.7 MB where a
 * partner's JSON library writes every letter of the names as \uXXXX; the rest is room for fields that are ignored and for white space.
 */
export const BATCH_BODY_BYTES_MAX = 5 * 1024 * 1024

const UTF_8 = new Set(['utf-8', '"utf-8"', 'utf8', '"utf8"'])

/** Whose account a body goes on before the caller has proved who they are. */
export function addressOwner({ peerAddress }: ApiRequest): BodyOwner {
  return { kind: 'address', id: peerAddress ?? 'unknown' }
}

/** The refusal that belongs to a body which could not be had. */
export function refuseBody(problem: BodyProblem, bytesMax: number): Refusal {
  switch (problem) {
    case 'too_large':
      return refuse(413, `The body must have at most ${bytesMax} bytes.`)
    case 'no_room':
      return refuse(503, 'Too many large bodies are being received at this moment. Nothing was started; send the same request again.', {
        'retry-after': '1',
      })
    case 'malformed':
      return refuse(400, 'The body is not valid HTTP: its chunks or its length are wrong.')
    case 'too_slow':
    // Nobody is left to read this answer; the status only shows in the log.
    case 'aborted':
      return refuse(408, 'The body did not arrive in time.', { connection: 'close' })
  }
}

/** Reads a JSON body: 400 when there is none, 415 unless it is plain UTF-8 JSON, 413, 408, 503, and 400 when it is not well formed. */
export async function readJsonBody(request: ApiRequest, bytesMax: number, owner: BodyOwner): Promise<Result<JsonValue, Refusal>> {
  const wrongType = refuseType(request)
  // Only a request that has a body can have the wrong type of it; where the length is not announced, reading tells.
  if (wrongType && Number(request.header('content-length') ?? 0) > 0) return err(wrongType)
  const body = await request.readBody(bytesMax, owner)
  if (!body.ok) return err(refuseBody(body.error, bytesMax))
  if (body.value.length === 0) return err(refuse(400, 'The body is empty: JSON is required.'))
  if (wrongType) return err(wrongType)
  if (body.value.length > HEAVY_BYTES) await takeHeavyTurn()
  const parsed = parseJsonBytes(body.value)
  return parsed.ok ? parsed : err(refuse(400, `The body is not valid JSON: ${parsed.error}.`))
}

function refuseType(request: ApiRequest): Refusal | undefined {
  if (!isJsonType(request.header('content-type') ?? '')) return refuse(415, 'Content-Type must be application/json, in UTF-8.')
  const encoding = request.header('content-encoding')
  if (encoding === undefined || encoding.trim().toLowerCase() === 'identity') return undefined
  return refuse(415, 'Content-Encoding is not supported: the body must be sent uncompressed.')
}

/** `application/json`, alone or with the parameter charset=utf-8. Split and compared, because the header is read before the body's limits. */
function isJsonType(contentType: string): boolean {
  // The compact spelling is what nearly everybody sends.
  if (contentType === 'application/json') return true
  const [type = '', ...parameters] = contentType.toLowerCase().split(';')
  return type.trim() === 'application/json' && parameters.every((parameter) => isUtf8Parameter(parameter.trim()))
}

function isUtf8Parameter(parameter: string): boolean {
  if (parameter === '') return true
  const equals = parameter.indexOf('=')
  return equals > 0 && parameter.slice(0, equals).trim() === 'charset' && UTF_8.has(parameter.slice(equals + 1).trim())
}

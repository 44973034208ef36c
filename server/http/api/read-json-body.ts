import { err, type Result } from '#lib/result.ts'
import { type JsonValue, parseJsonBytes } from '#lib/text/json.ts'
import { throttleAddress } from '#server/credentials/address.ts'
import type { ApiRequest, BodyProblem } from '../request/api-request.ts'
import type { BodyOwner } from '../request/body-budget.ts'
import { type Refusal, refuse } from './errors.ts'

/** The largest body of all endpoints except depositMultiple, in bytes. */
export const BODY_BYTES_MAX = 64 * 1024

/**
 * The largest body of depositMultiple, in bytes. A thousand elements whose fields all have the maximum length are 2.6 MB, and 4.7 MB if a
 * partner's JSON library writes every letter of the names as \uXXXX. The rest is for ignored fields and white space.
 */
export const BATCH_BODY_BYTES_MAX = 5 * 1024 * 1024

/** The values of a batch of ten thousand deposits, with some fields that are ignored. */
export const BATCH_VALUES_MAX = 120_000

const UTF_8 = new Set(['utf-8', '"utf-8"', 'utf8', '"utf8"'])

/** Returns the owner on whose budget a body is counted before the caller is authenticated. One customer of a provider has a whole network of IPv6. */
export function addressOwner({ peerAddress = '' }: Pick<ApiRequest, 'peerAddress'>): BodyOwner {
  return { kind: 'address', id: throttleAddress(peerAddress) }
}

/** Returns the refusal for a body that could not be read. */
export function refuseBody(problem: BodyProblem, bytesMax: number): Refusal {
  switch (problem) {
    case 'too_large':
      return refuse(413, 'body_too_large', `The body must have at most ${bytesMax} bytes.`)
    case 'no_room':
      return refuse(
        503,
        'too_many_bodies',
        'The service is receiving too many large bodies. Nothing was started; retry the same request.',
        {
          'retry-after': '1',
        },
      )
    case 'malformed':
      return refuse(400, 'http_invalid', 'The body is not valid HTTP: its chunks or its length are wrong.')
    case 'too_slow':
    // Nobody reads this response; the status only appears in the log.
    case 'aborted':
      return refuse(408, 'body_too_slow', 'The body did not arrive in time.', { connection: 'close' })
  }
}

/** Reads a JSON body: 400 if it is empty or malformed, 415 unless it is plain UTF-8 JSON, and 408, 413 or 503 if it cannot be read. */
export async function readJsonBody(
  request: ApiRequest,
  bytesMax: number,
  owner: BodyOwner,
  valuesMax?: number,
): Promise<Result<JsonValue, Refusal>> {
  const wrongType = refuseType(request)
  // Only a request with a body can have a wrong type. If the length is not announced, the body has to be read first.
  if (wrongType && Number(request.header('content-length') ?? 0) > 0) return err(wrongType)
  const body = await request.readBody(bytesMax, owner)
  if (!body.ok) return err(refuseBody(body.error, bytesMax))
  if (body.value.length === 0) return err(refuse(400, 'body_empty', 'The body is empty: JSON is required.'))
  if (wrongType) return err(wrongType)
  if (body.value.length > HEAVY_BYTES) await takeHeavyTurn()
  const parsed = parseJsonBytes(body.value, valuesMax)
  return parsed.ok ? parsed : err(refuse(400, 'body_not_json', `The body is not valid JSON: ${parsed.error}.`))
}

/** Returns the refusal of a content type or encoding other than plain UTF-8 JSON. */
export function refuseType(request: Pick<ApiRequest, 'header'>): Refusal | undefined {
  if (!isJsonType(request.header('content-type') ?? ''))
    return refuse(415, 'content_type_unsupported', 'Content-Type must be application/json, in UTF-8.')
  const encoding = request.header('content-encoding')
  if (encoding === undefined || encoding.trim().toLowerCase() === 'identity') return undefined
  return refuse(415, 'content_encoding_unsupported', 'Content-Encoding is not supported: the body must be sent uncompressed.')
}

/**
 * `application/json`, alone or with the parameter charset=utf-8. It is split and compared without an expression, because any caller can
 * send any header.
 */
function isJsonType(contentType: string): boolean {
  // Nearly all clients send exactly this.
  if (contentType === 'application/json') return true
  const [type = '', ...parameters] = contentType.toLowerCase().split(';')
  return type.trim() === 'application/json' && parameters.every((parameter) => isUtf8Parameter(parameter.trim()))
}

function isUtf8Parameter(parameter: string): boolean {
  if (parameter === '') return true
  const equals = parameter.indexOf('=')
  return equals > 0 && parameter.slice(0, equals).trim() === 'charset' && UTF_8.has(parameter.slice(equals + 1).trim())
}

/** A body of this size or more takes milliseconds to parse and validate. */
const HEAVY_BYTES = 256 * 1024

let last: Promise<void> = Promise.resolve()

/**
 * Resolves in a turn of the event loop that no other caller gets, so that large bodies that arrive together are parsed one per turn, and
 * other work runs in between.
 */
function takeHeavyTurn(): Promise<void> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)))
  return last
}

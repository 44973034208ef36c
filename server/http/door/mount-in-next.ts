import { err, ok, type Result } from '#lib/result.ts'
import type { BodyHold, BodyOwner } from '#server/http/request/body-budget.ts'
import { BODY_TIMEOUT_MS } from '#server/http/request/node-request.ts'
import { type RequestFacts, requestFacts } from '#server/http/request/request-facts.ts'
import { readTarget } from '#server/http/request/target.ts'
import { LINGER } from '#server/http/request/write-response.ts'
import { requireProcessWide, START_THE_SERVICE } from '#server/process-wide.ts'
import type { ApiRequest, BodyProblem } from '../request/api-request.ts'
import { handleApiRequest } from './handle-api-request.ts'

/**
 * Returns the handlers of one `route.ts`, for every method that Next knows, because Next's own 405 has no body. Only routes.ts says which
 * endpoint a path has and which methods it allows, so the API behaves as it does behind the front door.
 */
export const MOUNT = { GET: answer, HEAD: answer, POST: answer, PUT: answer, PATCH: answer, DELETE: answer, OPTIONS: answer } as const

async function answer(request: Request): Promise<Response> {
  const runtime = requireProcessWide('httpRuntime', START_THE_SERVICE)
  const facts = requestFacts()
  if (!facts) throw new Error('A request without its facts: server/process/start/start-in-next.ts notes it.')
  const apiRequest = new FetchRequest(request, facts)
  const response = await handleApiRequest(runtime, apiRequest)
  apiRequest.release()
  return new Response(request.method === 'HEAD' ? null : response.body, {
    status: response.status,
    headers: {
      'content-type': response.contentType,
      'content-length': String(Buffer.byteLength(response.body)),
      'cache-control': response.cacheControl ?? 'no-store',
      ...response.headers,
    },
  })
}

/** An ApiRequest for a fetch Request. */
class FetchRequest implements ApiRequest {
  readonly method: string
  readonly path: string
  readonly search: string
  readonly peerAddress: string | undefined
  readonly isForwarded: boolean
  readonly #request: Request
  readonly #facts: RequestFacts
  #hold: BodyHold | undefined

  constructor(request: Request, facts: RequestFacts) {
    const target = readTarget(facts.url) ?? { path: facts.url, search: '' }
    this.method = request.method
    this.path = target.path
    this.search = target.search
    this.peerAddress = facts.peerAddress
    this.isForwarded = facts.isForwarded
    this.#request = request
    this.#facts = facts
  }

  get headers(): Record<string, string> {
    return Object.fromEntries(this.#request.headers)
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? undefined
  }

  async readBody(bytesMax: number, owner: BodyOwner): Promise<Result<Uint8Array, BodyProblem>> {
    this.#hold = this.#facts.budget.open(owner)
    return collect(this.#request.body, bytesMax, this.#hold)
  }

  /** Returns the memory of the body to the budget, once the request is answered. */
  release(): void {
    this.#hold?.release()
  }
}

/** The same limits as at the front door. A body that is too large is read to its end, within bounds, so that the client reads the response. */
async function collect(
  body: ReadableStream<Uint8Array> | null,
  bytesMax: number,
  hold: BodyHold,
): Promise<Result<Uint8Array, BodyProblem>> {
  if (!body) return ok(new Uint8Array())
  const reader = body.getReader()
  const chunks: Uint8Array[] = []
  let bytes = 0
  let problem: BodyProblem | undefined
  let deadline = setTimeout(() => stop('too_slow'), BODY_TIMEOUT_MS)
  function stop(reason: BodyProblem): void {
    problem ??= reason
    // biome-ignore lint/plugin/no-silent-error: the rest of the body is dropped, and its connection may break meanwhile.
    reader.cancel().catch(() => undefined)
  }
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      bytes += value.length
      if (bytes > LINGER.bytesMax) stop('too_large')
      if (problem) continue
      if (bytes > bytesMax) problem = 'too_large'
      else if (!hold.raiseTo(bytes)) problem = 'no_room'
      else chunks.push(value)
      if (!problem) continue
      chunks.length = 0
      hold.release()
      clearTimeout(deadline)
      deadline = setTimeout(() => stop('too_slow'), LINGER.timeMs)
    }
  } catch {
    // The client broke the connection off.
    return err('aborted')
  } finally {
    clearTimeout(deadline)
  }
  return problem ? err(problem) : ok(Buffer.concat(chunks))
}

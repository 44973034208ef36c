import { err, ok, type Result } from '#lib/result.ts'
import type { ApiRequest, BodyProblem } from './api-request.ts'
import { handleApiRequest } from './handle-api-request.ts'
import type { HttpRuntime } from './http-runtime.ts'
import { BODY_LIMITS } from './node-request.ts'
import { createPeerResolver, type PeerResolver } from './peer-address.ts'
import { doorFacts } from './peer-context.ts'
import { readTarget } from './target.ts'

const RUNTIME_KEY = Symbol.for('countersign.runtime')
const RESOLVERS = new WeakMap<HttpRuntime, PeerResolver>()

/**
 * The handlers of one `route.ts`: every method that Next knows, so that it never answers one by itself (its own 405 has no
 * body). Which endpoint a path is, and what its methods are, stands in routes.ts alone: both mounts find no difference.
 */
export const MOUNT = { GET: answer, HEAD: answer, POST: answer, PUT: answer, PATCH: answer, DELETE: answer, OPTIONS: answer } as const

async function answer(request: Request): Promise<Response> {
  const runtime = findRuntime()
  const response = await handleApiRequest(runtime, new FetchRequest(request, runtime))
  return new Response(request.method === 'HEAD' ? null : response.body, {
    status: response.status,
    headers: {
      'content-type': response.contentType,
      'content-length': String(Buffer.byteLength(response.body)),
      'cache-control': 'no-store',
      ...response.headers,
    },
  })
}

/** The one live Runtime of the process, which Next's bundle can only find on globalThis. */
function findRuntime(): HttpRuntime {
  const runtime = (globalThis as { [RUNTIME_KEY]?: HttpRuntime })[RUNTIME_KEY]
  if (!runtime) throw new Error('No Runtime in this process: start the service with npm start')
  return runtime
}

/** An ApiRequest on top of the fetch standard. */
class FetchRequest implements ApiRequest {
  readonly method: string
  readonly path: string
  readonly search: string
  readonly peerAddress: string | undefined
  readonly isForwarded: boolean
  readonly #request: Request

  constructor(request: Request, runtime: HttpRuntime) {
    const facts = doorFacts()
    const url = facts?.url ?? request.url
    const target = readTarget(url) ?? { path: url, search: '' }
    this.method = request.method
    this.path = target.path
    this.search = target.search
    this.peerAddress = facts ? facts.peerAddress : peersOf(runtime).resolve(undefined, request.headers.get('x-forwarded-for') ?? undefined)
    this.isForwarded = facts ? facts.isForwarded : request.headers.has('x-forwarded-for') || request.headers.has('forwarded')
    this.#request = request
  }

  get headers(): Record<string, string> {
    return Object.fromEntries(this.#request.headers)
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? undefined
  }

  readBody(bytesMax: number): Promise<Result<Uint8Array, BodyProblem>> {
    return collect(this.#request.body, bytesMax)
  }
}

/**
 * Without the front door nobody but a trusted proxy knows the caller. Next keeps an X-Forwarded-For that the caller wrote, so
 * without TRUSTED_PROXIES the address stays unknown, and no allow list admits an unknown address.
 */
function peersOf(runtime: HttpRuntime): PeerResolver {
  const resolver = RESOLVERS.get(runtime) ?? createPeerResolver(runtime.config.trustedProxies)
  RESOLVERS.set(runtime, resolver)
  return resolver
}

/** The same limits as at the front door: what is too large is read to its end, within bounds, so that the answer is read. */
async function collect(body: ReadableStream<Uint8Array> | null, bytesMax: number): Promise<Result<Uint8Array, BodyProblem>> {
  if (!body) return ok(new Uint8Array())
  const reader = body.getReader()
  const chunks: Uint8Array[] = []
  let bytes = 0
  let isLate = false
  let deadline = setTimeout(stop, BODY_LIMITS.timeoutMs)
  function stop(): void {
    isLate = true
    reader.cancel().catch(() => undefined)
  }
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      const wasTooLarge = bytes > bytesMax
      bytes += value.length
      if (bytes <= bytesMax) chunks.push(value)
      else if (!wasTooLarge) {
        clearTimeout(deadline)
        deadline = setTimeout(stop, BODY_LIMITS.lingerMs)
      }
      if (bytes > BODY_LIMITS.lingerBytesMax) stop()
    }
  } catch {
    return err('aborted')
  } finally {
    clearTimeout(deadline)
  }
  if (bytes > bytesMax) return err('too_large')
  return isLate ? err('too_slow') : ok(Buffer.concat(chunks))
}

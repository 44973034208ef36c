import { Agent } from 'undici'

/** The answer to a well-behaved client. Status 0: no complete answer arrived. */
type Reply = { status: number; body: unknown; bytes: number; durationMs: number }

export type Caller = {
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Reply>
  get(path: string, headers?: Record<string, string>): Promise<Reply>
  /** Sends the fields of a form. */
  submit(path: string, fields: Record<string, string>): Promise<Reply>
  close(): Promise<void>
}

const ANSWER_LIMIT_MS = 30_000

/** Calls the service over connections of its own, from a loopback address of its own. Never throws. */
export function openCaller(baseUrl: string, options: { from?: string; connections?: number } = {}): Caller {
  const agent = new Agent({
    connections: options.connections ?? 4,
    pipelining: 1,
    headersTimeout: ANSWER_LIMIT_MS,
    bodyTimeout: ANSWER_LIMIT_MS,
    localAddress: options.from ?? '127.0.0.1',
  })
  async function ask(method: 'GET' | 'POST', path: string, headers: Record<string, string>, body?: string): Promise<Reply> {
    const startedMs = performance.now()
    try {
      const answer = await agent.request({ origin: baseUrl, path, method, headers, ...(body !== undefined && { body }) })
      const text = await answer.body.text()
      return { status: answer.statusCode, body: parse(text), bytes: Buffer.byteLength(text), durationMs: performance.now() - startedMs }
    } catch {
      return { status: 0, body: undefined, bytes: 0, durationMs: performance.now() - startedMs }
    }
  }
  return {
    post: (path, body, headers = {}) =>
      ask('POST', path, { 'content-type': 'application/json', ...headers }, body === undefined ? '' : JSON.stringify(body)),
    get: (path, headers = {}) => ask('GET', path, headers),
    submit: (path, fields) =>
      ask('POST', path, { 'content-type': 'application/x-www-form-urlencoded' }, new URLSearchParams(fields).toString()),
    close: () => agent.destroy(),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Runs `work` repeatedly in `lanes` parallel loops until the time is up. */
export async function keepUp(lanes: number, endsAtMs: number, work: (lane: number) => Promise<void>): Promise<void> {
  const lane = async (number: number) => {
    while (performance.now() < endsAtMs) await work(number)
  }
  await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)))
}

/** The duration below which this share of the calls stayed; 0.95: 95 %. */
export function percentile(durationsMs: readonly number[], share: number): number {
  const sorted = durationsMs.toSorted((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

import { Agent } from 'undici'

/** A callback as one protocol sends it. */
export type SimulatedCallback = { method: 'POST' | 'PUT'; headers: Record<string, string>; body: string }

export type CallbackSender = {
  /** Sends in the background; drops it when too many wait already, as operators do. */
  enqueue(url: string, callback: SimulatedCallback): void
  /** Resolves when the callback was answered or could not be delivered. */
  send(url: string, callback: SimulatedCallback): Promise<void>
  close(): Promise<void>
}

const UNDER_WAY_MAX = 256
const WAITING_MAX = 20_000

/** Callbacks are sent once and never repeated: a service that misses one has to query. */
export function createCallbackSender(timeoutMs: number): CallbackSender {
  const agent = new Agent({ connections: UNDER_WAY_MAX, pipelining: 1, keepAliveTimeout: 10_000, connectTimeout: timeoutMs })
  let waiting: { url: string; callback: SimulatedCallback }[] = []
  let underWay = 0

  async function send(url: string, { method, headers, body }: SimulatedCallback): Promise<void> {
    try {
      const { origin, pathname, search } = new URL(url)
      const answer = await agent.request({
        origin,
        path: pathname + search,
        method,
        headers,
        body,
        signal: AbortSignal.timeout(timeoutMs),
      })
      await answer.body.dump({ limit: 4_096 })
    } catch {
      // Ignored: a receiver that is away does not get another one.
    }
  }

  function sendNext(): void {
    while (underWay < UNDER_WAY_MAX) {
      const next = waiting.shift()
      if (!next) return
      underWay++
      send(next.url, next.callback).finally(() => {
        underWay--
        sendNext()
      })
    }
  }

  return {
    send,
    enqueue(url, callback) {
      if (waiting.length >= WAITING_MAX) return
      waiting.push({ url, callback })
      sendNext()
    },
    close() {
      waiting = []
      return agent.destroy()
    },
  }
}

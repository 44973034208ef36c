import { Agent } from 'undici'
import { SIGNATURE_HEADER, signCallback } from '#server/operators/sandbox-protocol/signature.ts'

export type CallbackSender = {
  /** Sends in the background; drops it when too many wait already, as operators do. */
  enqueue(url: string, body: string): void
  /** Resolves when the callback was answered or could not be delivered. */
  send(url: string, body: string): Promise<void>
  close(): Promise<void>
}

const UNDER_WAY_MAX = 64
const WAITING_MAX = 20_000

/** Callbacks are sent once and never repeated: a service that misses one has to query. */
export function createCallbackSender(secret: string, timeoutMs: number, now: () => Date): CallbackSender {
  const agent = new Agent({ connections: 32, pipelining: 1, keepAliveTimeout: 10_000, connectTimeout: timeoutMs })
  let waiting: { url: string; body: string }[] = []
  let underWay = 0

  async function send(url: string, body: string): Promise<void> {
    try {
      const { origin, pathname, search } = new URL(url)
      const answer = await agent.request({
        origin,
        path: pathname + search,
        method: 'POST',
        headers: { 'content-type': 'application/json', [SIGNATURE_HEADER]: signCallback(secret, body, now()) },
        body,
        signal: AbortSignal.timeout(timeoutMs),
      })
      await answer.body.dump({ limit: 4_096 })
    } catch {
      // A receiver that is away does not get another one.
    }
  }

  function next(): void {
    while (underWay < UNDER_WAY_MAX) {
      const callback = waiting.shift()
      if (!callback) return
      underWay++
      send(callback.url, callback.body).finally(() => {
        underWay--
        next()
      })
    }
  }

  return {
    send,
    enqueue(url, body) {
      if (waiting.length >= WAITING_MAX) return
      waiting.push({ url, body })
      next()
    },
    close() {
      waiting = []
      return agent.destroy()
    },
  }
}

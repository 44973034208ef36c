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

const IN_PROGRESS_MAX = 256
const WAITING_MAX = 20_000

/** Callbacks are sent once and never repeated: a service that misses one has to query. */
export function createCallbackSender(timeoutMs: number): CallbackSender {
  const agent = new Agent({ connections: IN_PROGRESS_MAX, pipelining: 1, keepAliveTimeout: 10_000, connectTimeout: timeoutMs })
  let waiting: { url: string; callback: SimulatedCallback }[] = []
  let inProgress = 0

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
    while (inProgress < IN_PROGRESS_MAX) {
      const next = waiting.shift()
      if (!next) return
      inProgress++
      send(next.url, next.callback).finally(() => {
        inProgress--
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

/** A longer timer would end immediately. When the clock was set back by months, the queue looks again after three weeks. */
const TIMER_MS_MAX = 2 ** 31 - 1

/**
 * Many instants, one timer: items come out of `onDue` when their time has come, earliest first. A binary heap, so that
 * a hundred thousand open transfers cost a hundred thousand array slots and not as many timers.
 */
export class DueQueue<Item> {
  #heap: { atMs: number; item: Item }[] = []
  #timer: NodeJS.Timeout | undefined
  #timerAtMs = Number.POSITIVE_INFINITY
  #nowMs: () => number
  #onDue: (item: Item) => void

  /** `nowMs` and the instants passed to `add` are on one time scale, in milliseconds. */
  constructor(nowMs: () => number, onDue: (item: Item) => void) {
    this.#nowMs = nowMs
    this.#onDue = onDue
  }

  get size(): number {
    return this.#heap.length
  }

  add(atMs: number, item: Item): void {
    this.#heap.push({ atMs, item })
    this.#rise(this.#heap.length - 1)
    this.#arm()
  }

  /** Forgets everything that has not come out yet. */
  clear(): void {
    clearTimeout(this.#timer)
    this.#heap = []
    this.#timerAtMs = Number.POSITIVE_INFINITY
  }

  #arm(): void {
    const first = this.#heap[0]
    if (!first || first.atMs >= this.#timerAtMs) return
    clearTimeout(this.#timer)
    this.#timerAtMs = first.atMs
    this.#timer = setTimeout(() => this.#release(), Math.min(TIMER_MS_MAX, Math.max(0, first.atMs - this.#nowMs())))
  }

  #release(): void {
    this.#timerAtMs = Number.POSITIVE_INFINITY
    const nowMs = this.#nowMs()
    for (let first = this.#heap[0]; first && first.atMs <= nowMs; first = this.#heap[0]) {
      this.#removeFirst()
      this.#onDue(first.item)
    }
    this.#arm()
  }

  #removeFirst(): void {
    const last = this.#heap.pop()
    if (!last || this.#heap.length === 0) return
    this.#heap[0] = last
    this.#sink()
  }

  #rise(from: number): void {
    let index = from
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (this.#atMs(parent) <= this.#atMs(index)) return
      this.#swap(index, parent)
      index = parent
    }
  }

  #sink(): void {
    let index = 0
    for (;;) {
      const left = 2 * index + 1
      const child = this.#atMs(left + 1) < this.#atMs(left) ? left + 1 : left
      if (this.#atMs(child) >= this.#atMs(index)) return
      this.#swap(index, child)
      index = child
    }
  }

  #atMs(index: number): number {
    return this.#heap[index]?.atMs ?? Number.POSITIVE_INFINITY
  }

  #swap(left: number, right: number): void {
    const a = this.#heap[left]
    const b = this.#heap[right]
    if (!a || !b) return
    this.#heap[left] = b
    this.#heap[right] = a
  }
}

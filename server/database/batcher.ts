/** The queue is full: the caller answers "try again" at once instead of waiting in a line that only grows. */
export class OverloadedError extends Error {
  constructor(queueMax: number) {
    super(`${queueMax} items wait already`)
    this.name = 'OverloadedError'
  }
}

export type BatcherOptions<Item, Outcome> = {
  /** Two items with one key never share a batch: the later one waits for the next and sees what the first did. */
  key(item: Item): string
  /** Does the whole batch, one outcome per item in the same order. */
  run(items: Item[]): Promise<Outcome[]>
  /** More than this many items waiting is refused with OverloadedError. */
  queueMax: number
  batchMax: number
  /** How many batches may be under way at once: one executes while the other flushes. */
  slots: number
  /** True where one item's content made `run` throw: the items are then run one by one, so that only that one fails. */
  isItemError?(error: unknown): boolean
  /** Told the size of each batch, for the metrics. */
  onBatch?(size: number): void
}

export type Batcher<Item, Outcome> = {
  submit(item: Item): Promise<Outcome>
  /** Items that wait for a batch. */
  waiting(): number
  /** Resolves when everything submitted so far has its outcome. */
  drain(): Promise<void>
}

type Entry<Item, Outcome> = { item: Item; key: string; resolve(outcome: Outcome): void; reject(error: unknown): void }

/**
 * Collects single items into batches without a timer: while one batch is under way the next collects, so a quiet system
 * answers at once and a busy one makes its batches larger (DESIGN 6, Intake).
 */
export function createBatcher<Item, Outcome>(options: BatcherOptions<Item, Outcome>): Batcher<Item, Outcome> {
  let queue: Entry<Item, Outcome>[] = []
  let underWay = 0
  let isScheduled = false
  let whenIdle: (() => void)[] = []

  function submit(item: Item): Promise<Outcome> {
    if (queue.length >= options.queueMax) return Promise.reject(new OverloadedError(options.queueMax))
    return new Promise((resolve, reject) => {
      queue.push({ item, key: options.key(item), resolve, reject })
      schedule()
    })
  }

  /** Starts a batch after the present turn of the event loop, so that requests that arrived together go together. */
  function schedule(): void {
    if (isScheduled || underWay >= options.slots) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      while (queue.length > 0 && underWay < options.slots) start(takeBatch())
    })
  }

  function takeBatch(): Entry<Item, Outcome>[] {
    const batch: Entry<Item, Outcome>[] = []
    const keys = new Set<string>()
    const left: Entry<Item, Outcome>[] = []
    for (const entry of queue) {
      if (batch.length < options.batchMax && !keys.has(entry.key)) {
        keys.add(entry.key)
        batch.push(entry)
      } else left.push(entry)
    }
    queue = left
    return batch
  }

  function start(batch: Entry<Item, Outcome>[]): void {
    underWay++
    options.onBatch?.(batch.length)
    runBatch(batch).finally(() => {
      underWay--
      schedule()
      if (underWay === 0 && queue.length === 0) {
        for (const resolve of whenIdle) resolve()
        whenIdle = []
      }
    })
  }

  async function runBatch(batch: Entry<Item, Outcome>[]): Promise<void> {
    try {
      const outcomes = await options.run(batch.map((entry) => entry.item))
      for (const [index, entry] of batch.entries()) {
        const outcome = outcomes[index]
        if (outcome === undefined && !(index in outcomes)) entry.reject(new Error('The batch gave no outcome for this item'))
        else entry.resolve(outcome as Outcome)
      }
    } catch (error) {
      if (batch.length > 1 && options.isItemError?.(error)) for (const entry of batch) await runBatch([entry])
      else for (const entry of batch) entry.reject(error)
    }
  }

  return {
    submit,
    waiting: () => queue.length,
    drain: () => (underWay === 0 && queue.length === 0 ? Promise.resolve() : new Promise((resolve) => whenIdle.push(resolve))),
  }
}

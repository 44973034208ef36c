import { AsyncLocalStorage } from 'node:async_hooks'
import { createFairQueue, type FairQueue } from './fair-queue.ts'

/** The queue is full: the caller answers "try again" immediately instead of waiting in a line that only grows. */
export class OverloadedError extends Error {
  constructor(queueMax: number) {
    super(`${queueMax} items wait already`)
    this.name = 'OverloadedError'
  }
}

/**
 * Says whether a queue refused the item. It compares the name, because Next bundles its own copy of the class, and `instanceof` would
 * not recognise an error of the process's one queue.
 */
export function isOverloaded(error: unknown): boolean {
  return error instanceof Error && error.name === 'OverloadedError'
}

export type BatcherOptions<Item, Outcome> = {
  /** Two items with one key never share a batch: the later one waits for the next and sees what the first did. */
  key(item: Item): string
  /**
   * The owner of an item. Batches take one item of each in turn, and what waits is shared between them. Absent: everything is one share.
   */
  shareOf?(item: Item): string
  /** Does the whole batch, one outcome per item in the same order. */
  run(items: Item[]): Promise<Outcome[]>
  /**
   * More than this many items waiting is refused with OverloadedError: to the share that has the most, which loses its newest
   * item for an item of a smaller share.
   */
  queueMax: number
  /** More than this many waiting items of one share are refused with OverloadedError, however little the others have. */
  shareMax?: number
  batchMax: number
  /** How many batches may be in progress at once: one executes while the other flushes. */
  slots: number
  /** A batch starts beside another one only when this many items wait. Default: 1. */
  besideMin?: number
  /** At least this long from the start of one batch to that of the next, unless `besideMin` items wait: for items that nobody waits for. */
  gapMs?: number
  /** True where one item's content made `run` throw: the batch is then run in halves down to that item, so that only it fails. */
  isItemError?(error: unknown): boolean
  /** Called with the size of each batch, for the metrics. */
  onBatch?(size: number): void
}

export type Batcher<Item, Outcome> = {
  submit(item: Item): Promise<Outcome>
  /** Items that wait for a batch. */
  waiting(): number
  /** Resolves when everything submitted so far has its outcome. */
  drain(): Promise<void>
}

/** A batch belongs to no single task: it must not run with the statement limit of the task whose item happened to be the first. */
const inNoContext = AsyncLocalStorage.snapshot()

type Entry<Item, Outcome> = { item: Item; key: string; resolve(outcome: Outcome): void; reject(error: unknown): void }

/**
 * Collects single items into batches: while one batch is in progress the next collects, so a quiet system answers immediately and a busy one makes
 * its batches larger. Without `gapMs` there is no timer.
 */
export function createBatcher<Item, Outcome>(options: BatcherOptions<Item, Outcome>): Batcher<Item, Outcome> {
  const queue = createFairQueue<Entry<Item, Outcome>>()
  const shareMax = options.shareMax ?? options.queueMax
  const besideMin = options.besideMin ?? 1
  let inProgress = 0
  let isScheduled = false
  /** Of a batch that is scheduled and waits for more items. */
  let timer: NodeJS.Timeout | undefined
  let mayStartAtMs = 0
  let whenIdle: (() => void)[] = []

  function submit(item: Item): Promise<Outcome> {
    const share = options.shareOf?.(item) ?? ''
    if (!hasRoom(share)) return Promise.reject(new OverloadedError(options.queueMax))
    return new Promise((resolve, reject) => {
      queue.push(share, { item, key: options.key(item), resolve, reject })
      schedule()
    })
  }

  /** Whether this share may add an item; at a full queue it evicts the newest item of the largest share. */
  function hasRoom(share: string): boolean {
    const own = queue.sizeOf(share)
    if (own >= shareMax) return false
    if (queue.size() < options.queueMax) return true
    const displaced = queue.displace(own)
    displaced?.reject(new OverloadedError(options.queueMax))
    return displaced !== undefined
  }

  /** Starts a batch after the present turn of the event loop, so that requests that arrived together go together. */
  function schedule(): void {
    if (inProgress >= options.slots) return
    const restMs = queue.size() >= besideMin ? 0 : mayStartAtMs - performance.now()
    if (isScheduled && !(timer && restMs <= 0)) return
    isScheduled = true
    clearTimeout(timer)
    timer = restMs > 0 ? setTimeout(startAll, restMs) : undefined
    if (!timer) setImmediate(startAll)
  }

  function startAll(): void {
    isScheduled = false
    timer = undefined
    while (mayStart()) inNoContext(start, takeBatch(queue, options.batchMax))
  }

  function mayStart(): boolean {
    if (inProgress === 0) return queue.size() > 0
    return inProgress < options.slots && queue.size() >= besideMin
  }

  function start(batch: Entry<Item, Outcome>[]): void {
    inProgress++
    if (options.gapMs !== undefined) mayStartAtMs = performance.now() + options.gapMs
    options.onBatch?.(batch.length)
    runBatch(batch, options).finally(() => {
      inProgress--
      schedule()
      if (inProgress === 0 && queue.size() === 0) {
        for (const resolve of whenIdle) resolve()
        whenIdle = []
      }
    })
  }

  return {
    submit,
    waiting: queue.size,
    drain: () => (inProgress === 0 && queue.size() === 0 ? Promise.resolve() : new Promise((resolve) => whenIdle.push(resolve))),
  }
}

/** The next items, without two of one key. */
function takeBatch<Each extends { key: string }>(queue: FairQueue<Each>, batchMax: number): Each[] {
  const keys = new Set<string>()
  return queue.take(batchMax, ({ key }) => {
    if (keys.has(key)) return false
    keys.add(key)
    return true
  })
}

/** Runs the batch and passes each item its outcome. */
async function runBatch<Item, Outcome>(batch: Entry<Item, Outcome>[], options: BatcherOptions<Item, Outcome>): Promise<void> {
  try {
    const outcomes = await options.run(batch.map((entry) => entry.item))
    for (const [index, entry] of batch.entries()) {
      const outcome = outcomes[index]
      if (outcome === undefined && !(index in outcomes)) entry.reject(new Error('The batch gave no outcome for this item'))
      else entry.resolve(outcome as Outcome)
    }
  } catch (error) {
    if (batch.length > 1 && options.isItemError?.(error)) {
      const half = batch.length >> 1
      await runBatch(batch.slice(0, half), options)
      await runBatch(batch.slice(half), options)
    } else for (const entry of batch) entry.reject(error)
  }
}

/** The queue of a piece of work, and what it waits for. */
export type Turn = {
  /** Reserved work has a queue of its own, which gets every second turn while anything waits in it. */
  isReserved: boolean
  /** Groups from the widest to the narrowest; at each level they take turns. `pathMax` bounds what runs of one whole path. */
  path: readonly string[]
  /** Work that shares a key starts at least `spacingMs` after the last work with that key ended. */
  paces: readonly { key: string; spacingMs: number }[]
  /** Aborted when nobody waits for the work: it then leaves the queue, and never runs. */
  signal?: AbortSignal
}

/** Bounds work that costs much memory and processor time, and shares it fairly between the callers. */
type FairLimiter = {
  /**
   * Runs `work` when its turn comes. Returns undefined, without running it, when the queue is full (immediately, or
   * later when it is evicted for a shorter branch), when its turn has not come within `waitMaxMs`, and when its signal is aborted first.
   */
  run<Value>(turn: Turn, work: () => Promise<Value>): Promise<Value | undefined>
  /** Nothing that is not reserved starts within the next `forMs`. */
  pauseOpen(forMs: number): void
}

type FairLimiterOptions = {
  concurrency: number
  /** How much of it work that is not reserved may use. Default: all. */
  openMax?: number
  /** How much of one whole path runs at once. Default: one. */
  pathMax?: number
  /** How many may wait: in each of the two queues, then in one group of each level of the paths. */
  levelMax: readonly number[]
  /** Work that has not started after this time never runs, because the caller has given up, or soon will. */
  waitMaxMs?: number
}

const WAIT_MAX_MS = 8_000

type Waiting = Turn & { pathKey: string; settle(mayRun: boolean): void }

/** Makes a limiter that runs at most `concurrency` at once in this process. Memory is bounded by `levelMax[0]` for each queue. */
export function createFairLimiter(options: FairLimiterOptions): FairLimiter {
  const { concurrency, openMax = concurrency, pathMax = 1, levelMax, waitMaxMs = WAIT_MAX_MS } = options
  const queues = { reserved: createFairQueue<Waiting>(levelMax), open: createFairQueue<Waiting>(levelMax) }
  // Infinite while work with this key runs.
  const readyAtMs = new Map<string, number>()
  const running = createRunning({ openMax, pathMax })
  let isReservedNext = true
  let openFromMs = 0
  let wake: NodeJS.Timeout | undefined

  function takeNext(): Waiting | undefined {
    const isPaused = performance.now() < openFromMs
    const isReady = (waiting: Waiting) =>
      (waiting.isReserved || !isPaused) && running.hasPlaceFor(waiting) && waiting.paces.every(({ key }) => !readyAtMs.has(key))
    const [first, second] = isReservedNext ? [queues.reserved, queues.open] : [queues.open, queues.reserved]
    const taken = first.take(isReady) ?? second.take(isReady)
    if (taken) isReservedNext = !taken.isReserved
    return taken
  }

  function startNext(): void {
    clearTimeout(wake)
    const nowMs = performance.now()
    let soonestMs = openFromMs > nowMs && queues.open.size() > 0 ? openFromMs : Infinity
    for (const [key, atMs] of readyAtMs) {
      if (atMs <= nowMs) readyAtMs.delete(key)
      else soonestMs = Math.min(soonestMs, atMs)
    }
    while (running.count() < concurrency) {
      const next = takeNext()
      if (!next) break
      running.begin(next)
      for (const { key } of next.paces) readyAtMs.set(key, Infinity)
      next.settle(true)
    }
    const isAnybodyWaiting = queues.reserved.size() + queues.open.size() > 0
    if (isAnybodyWaiting && soonestMs < Infinity) wake = setTimeout(startNext, soonestMs - nowMs)
  }

  function finish(ended: Waiting): void {
    running.end(ended)
    for (const { key, spacingMs } of ended.paces) readyAtMs.set(key, performance.now() + spacingMs)
    startNext()
  }

  return {
    pauseOpen(forMs) {
      openFromMs = Math.max(openFromMs, performance.now() + forMs)
    },
    async run(turn, work) {
      if (turn.signal?.aborted) return undefined
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const waiting: Waiting = { ...turn, pathKey: JSON.stringify([turn.isReserved, ...turn.path]), settle: resolve }
      const queue = queues[turn.isReserved ? 'reserved' : 'open']
      queue.offer(waiting)?.settle(false)
      startNext()
      const leave = () => queue.remove(waiting) && resolve(false)
      const limit = setTimeout(leave, waitMaxMs)
      turn.signal?.addEventListener('abort', leave)
      const mayRun = await promise
      clearTimeout(limit)
      turn.signal?.removeEventListener('abort', leave)
      if (!mayRun) return undefined
      try {
        return await work()
      } finally {
        finish(waiting)
      }
    },
  }
}

type Runs = Pick<Waiting, 'pathKey' | 'isReserved'>

/** Counts what runs: all of it, of the open queue, and of each path. */
function createRunning({ openMax, pathMax }: { openMax: number; pathMax: number }) {
  const runsOfPath = new Map<string, number>()
  let [all, open] = [0, 0]
  return {
    count: () => all,
    hasPlaceFor: ({ pathKey, isReserved }: Runs) => (isReserved || open < openMax) && (runsOfPath.get(pathKey) ?? 0) < pathMax,
    begin({ pathKey, isReserved }: Runs): void {
      all++
      if (!isReserved) open++
      runsOfPath.set(pathKey, (runsOfPath.get(pathKey) ?? 0) + 1)
    },
    end({ pathKey, isReserved }: Runs): void {
      all--
      if (!isReserved) open--
      const left = (runsOfPath.get(pathKey) ?? 1) - 1
      if (left > 0) runsOfPath.set(pathKey, left)
      else runsOfPath.delete(pathKey)
    },
  }
}

/** Waits in a branch of the queue: `path` names it, from the widest group to the narrowest (network, address, name). */
export type Queued = { path: readonly string[] }

/**
 * A queue in which groups take turns at every level: a sender of many items delays only their own group. Bounded: when it
 * is full, the longest branch loses its newest item to a shorter one.
 */
type FairQueue<Item extends Queued> = {
  /**
   * Queues an item. Returns the item that was evicted: the newest of the longest branch, or the offered one itself.
   * Undefined if the queue was not full.
   */
  offer(item: Item): Item | undefined
  /** Removes and returns the next item that is ready, in order of turns. */
  take(isReady: (item: Item) => boolean): Item | undefined
  /** Removes an item; false when it is not in the queue. */
  remove(item: Item): boolean
  size(): number
}

type Branch<Item> = { size: number; branches: Map<string, Branch<Item>>; items: Item[] }

/** Makes an empty queue. `levelMax` bounds a branch of each level: the whole queue, then the widest group, and so on. */
export function createFairQueue<Item extends Queued>(levelMax: readonly number[]): FairQueue<Item> {
  const root = newBranch<Item>()

  /** Returns the item to remove so that one of this path fits; `full` if there is none. */
  function findPlaceFor(path: readonly string[]): Item | 'full' | 'free' {
    let narrowest: { branch: Branch<Item>; level: number } | undefined
    let branch: Branch<Item> | undefined = root
    for (let level = 0; branch; level++) {
      if (branch.size >= (levelMax[level] ?? Infinity)) narrowest = { branch, level }
      branch = level < path.length ? branch.branches.get(path[level] ?? '') : undefined
    }
    if (!narrowest) return 'free'
    // A free place in the narrowest full branch is one in every branch that contains it.
    return evictFor(narrowest.branch, path.slice(narrowest.level)) ?? 'full'
  }

  function remove(item: Item): boolean {
    const branches = [root]
    for (const name of item.path) {
      const next = branches.at(-1)?.branches.get(name)
      if (!next) return false
      branches.push(next)
    }
    const items = branches.at(-1)?.items ?? []
    const place = items.indexOf(item)
    if (place < 0) return false
    items.splice(place, 1)
    for (const [level, branch] of branches.entries()) {
      branch.size--
      if (branch.size === 0) branches[level - 1]?.branches.delete(item.path[level - 1] ?? '')
    }
    return true
  }

  return {
    offer(item) {
      const place = findPlaceFor(item.path)
      if (place === 'full') return item
      if (place !== 'free') remove(place)
      let branch = root
      root.size++
      for (const name of item.path) {
        const next = branch.branches.get(name) ?? newBranch<Item>()
        next.size++
        branch.branches.set(name, next)
        branch = next
      }
      branch.items.push(item)
      return place === 'free' ? undefined : place
    },
    take: (isReady) => takeFrom(root, isReady),
    remove,
    size: () => root.size,
  }
}

function newBranch<Item>(): Branch<Item> {
  return { size: 0, branches: new Map(), items: [] }
}

function takeFrom<Item>(branch: Branch<Item>, isReady: (item: Item) => boolean): Item | undefined {
  const place = branch.items.findIndex(isReady)
  if (place >= 0) {
    branch.size--
    return branch.items.splice(place, 1)[0]
  }
  for (const [name, next] of branch.branches) {
    const taken = takeFrom(next, isReady)
    if (!taken) continue
    branch.size--
    // Behind all others, because it had its turn.
    branch.branches.delete(name)
    if (next.size > 0) branch.branches.set(name, next)
    return taken
  }
  return undefined
}

/**
 * The item that is evicted for a new one of this path: the newest item of a branch that is longer by two or more at the first level where
 * they part.
 */
function evictFor<Item>(branch: Branch<Item>, path: readonly string[]): Item | undefined {
  const own = branch.branches.get(path[0] ?? '')
  const longest = longestOf(branch)
  if (!longest) return undefined
  if (longest.size >= (own?.size ?? 0) + 2) return newestOf(longest)
  return own ? evictFor(own, path.slice(1)) : undefined
}

function newestOf<Item>(branch: Branch<Item>): Item | undefined {
  const longest = longestOf(branch)
  return longest ? newestOf(longest) : branch.items.at(-1)
}

function longestOf<Item>(branch: Branch<Item>): Branch<Item> | undefined {
  let longest: Branch<Item> | undefined
  for (const next of branch.branches.values()) if (!longest || next.size > longest.size) longest = next
  return longest
}

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

/** The entries of one share in order of arrival, from `first` on. Kept when it is empty, because the same share usually sends again. */
type Share<Entry> = { entries: Entry[]; first: number; hasTurn: boolean }

/** Entries of many shares, taken one share after the other. The cost of an operation does not grow with the number of waiting entries. */
export type FairQueue<Entry> = {
  size(): number
  sizeOf(share: string): number
  push(share: string, entry: Entry): void
  /** Takes up to `limit` entries, one of each share in turn; those that `accepts` refuses keep their place. */
  take(limit: number, accepts: (entry: Entry) => boolean): Entry[]
  /** Takes the newest entry of the largest share back out; undefined where no share has at least two more than `ownSize`. */
  displace(ownSize: number): Entry | undefined
}

/** Makes an empty queue. */
export function createFairQueue<Entry>(): FairQueue<Entry> {
  const shares = new Map<string, Share<Entry>>()
  // The shares that have entries, each once, from `nextTurn` on in the order of their turns.
  let turns: Share<Entry>[] = []
  let nextTurn = 0
  let size = 0

  function push(name: string, entry: Entry): void {
    let share = shares.get(name)
    if (!share) {
      share = { entries: [], first: 0, hasTurn: false }
      shares.set(name, share)
    }
    share.entries.push(entry)
    queueUp(share)
    size++
  }

  function queueUp(share: Share<Entry>): void {
    if (share.hasTurn) return
    share.hasTurn = true
    turns.push(share)
  }

  function take(limit: number, accepts: (entry: Entry) => boolean): Entry[] {
    const taken: Entry[] = []
    let refused: Map<Share<Entry>, Entry[]> | undefined
    while (taken.length < limit && nextTurn < turns.length) {
      // In range, by the condition of the loop.
      const share = turns[nextTurn++] as Share<Entry>
      share.hasTurn = false
      while (share.first < share.entries.length) {
        // In range, and a type that may itself be undefined.
        const entry = share.entries[share.first++] as Entry
        if (accepts(entry)) {
          taken.push(entry)
          break
        }
        refused ??= new Map()
        const before = refused.get(share)
        if (before) before.push(entry)
        else refused.set(share, [entry])
      }
      if (share.first < share.entries.length) queueUp(share)
      compact(share)
    }
    for (const [share, entries] of refused ?? []) {
      share.entries = [...entries, ...share.entries.slice(share.first)]
      share.first = 0
      queueUp(share)
    }
    if (nextTurn > 256 && nextTurn * 2 > turns.length) {
      turns = turns.slice(nextTurn)
      nextTurn = 0
    }
    size -= taken.length
    return taken
  }

  function displace(ownSize: number): Entry | undefined {
    let largest: Share<Entry> | undefined
    for (let turn = nextTurn; turn < turns.length; turn++) {
      const share = turns[turn]
      if (!largest || waitingIn(share) > waitingIn(largest)) largest = share
    }
    if (!largest || waitingIn(largest) < ownSize + 2) return undefined
    size--
    return largest.entries.pop()
  }

  return { size: () => size, sizeOf: (name) => waitingIn(shares.get(name)), push, take, displace }
}

function waitingIn<Entry>(share: Share<Entry> | undefined): number {
  return share ? share.entries.length - share.first : 0
}

/** Frees the memory of entries that were taken, from time to time. */
function compact<Entry>(share: Share<Entry>): void {
  if (share.first === share.entries.length) share.entries.length = 0
  else if (share.first < 256 || share.first * 2 < share.entries.length) return
  else share.entries = share.entries.slice(share.first)
  share.first = 0
}

import type { Queryable } from '#server/database/pool.ts'
import { findAdmitted, type Subscriber } from '#server/people/find-admitted.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { findChangeNumbers } from '#server/reports/overview/change-queries.ts'

export type Subscription = Subscriber & {
  onChange(changeNumber: bigint): void
  /** Called once, when this person loses access. */
  onEnd(): void
}

export type LiveHub = {
  /** Starts the notifications; the function it returns stops them. */
  watch(viewing: Subscription): () => void
  viewers(): number
  /** How many of them one person has open, in whatever windows. */
  viewersOf(personId: string): number
}

type LiveHubOptions = {
  queryable: Queryable
  pollMs?: number
  admissionMs?: number
  /** Calls `work` once, after this long; by default with a timer that does not keep the process alive. */
  callLater?: (work: () => void, delayMs: number) => void
}

const callAfter = (work: () => void, delayMs: number) => void setTimeout(work, delayMs).unref()

/**
 * Tells open pages that their application changed. However many look: one statement per `pollMs` for all applications that are looked
 * at, one per `admissionMs` that asks whether everybody still may, and none at all while nobody looks. By default both are asked each
 * second, so that a page ends within about two seconds of its session, in every process.
 */
export function createLiveHub({ queryable, pollMs = 1_000, admissionMs = 0, callLater = callAfter }: LiveHubOptions): LiveHub {
  const viewings = new Set<Subscription>()
  // What each page was told last. The first look tells everybody: something may have changed since the page was rendered.
  const told = new WeakMap<Subscription, bigint>()
  let isScheduled = false
  let checkedAtMs = 0

  async function poll(): Promise<void> {
    const watched = [...new Set([...viewings].map((viewing) => viewing.applicationId))]
    const numbers = await findChangeNumbers(queryable, watched)
    for (const viewing of viewings) {
      const changeNumber = numbers.get(viewing.applicationId)
      if (changeNumber === undefined || told.get(viewing) === changeNumber) continue
      told.set(viewing, changeNumber)
      viewing.onChange(changeNumber)
    }
  }

  async function checkAdmission(): Promise<void> {
    const all = [...viewings]
    const admitted = await findAdmitted(queryable, all)
    for (const [place, viewing] of all.entries()) {
      if (!admitted.has(place) && viewings.delete(viewing)) viewing.onEnd()
    }
  }

  async function tick(): Promise<void> {
    try {
      // Before anything is told: nobody hears of a change that came after their session ended.
      if (performance.now() - checkedAtMs >= admissionMs) {
        await checkAdmission()
        checkedAtMs = performance.now()
      }
      await poll()
    } catch (error) {
      reportUnexpected('live pages: poll', error, { message: 'Live pages could not look for changes; the next tick repeats it' })
    }
    isScheduled = false
    if (viewings.size > 0) schedule()
  }

  function schedule(): void {
    isScheduled = true
    callLater(() => void tick(), pollMs)
  }

  return {
    watch(viewing) {
      viewings.add(viewing)
      if (!isScheduled && viewings.size === 1) schedule()
      return () => void viewings.delete(viewing)
    },
    viewers: () => viewings.size,
    viewersOf: (personId) => [...viewings].filter((viewing) => viewing.personId === personId).length,
  }
}

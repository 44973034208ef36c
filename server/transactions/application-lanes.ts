import { type Batcher, type BatcherOptions, createBatcher } from '#server/database/batcher.ts'

/**
 * Two batches of a lane mostly lock the same counters, so the second one does nothing but wait for the first; meanwhile more could join it.
 * With this many items it is worth having at hand when the first one commits.
 */
const BESIDE_MIN = 64

type Lanes<Item, Outcome> = Pick<Batcher<Item, Outcome>, 'submit' | 'waiting' | 'drain'>

/**
 * Two batchers that share the applications: an application always uses the same one, chosen by the last digit of its id. Intake and
 * settlement lock the counters of their applications, so batches of two lanes never wait for each other, whichever process runs them.
 * Within a lane the next batch waits at the lock and starts when the first one commits.
 */
export function createApplicationLanes<Item extends { applicationId: string }, Outcome>(
  options: Omit<BatcherOptions<Item, Outcome>, 'slots' | 'besideMin'>,
): Lanes<Item, Outcome> {
  const newLane = () => createBatcher({ ...options, slots: 2, besideMin: BESIDE_MIN })
  const lanes: [Batcher<Item, Outcome>, Batcher<Item, Outcome>] = [newLane(), newLane()]
  return {
    submit: (item) => lanes[laneOf(item.applicationId)].submit(item),
    waiting: () => lanes[0].waiting() + lanes[1].waiting(),
    drain: async () => void (await Promise.all([lanes[0].drain(), lanes[1].drain()])),
  }
}

function laneOf(applicationId: string): 0 | 1 {
  return applicationId.charCodeAt(applicationId.length - 1) % 2 === 0 ? 0 : 1
}

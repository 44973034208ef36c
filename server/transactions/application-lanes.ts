import { type Batcher, type BatcherOptions, createBatcher } from '#server/database/batcher.ts'

type Lanes<Item, Outcome> = Pick<Batcher<Item, Outcome>, 'submit' | 'waiting' | 'drain'>

/**
 * Two batchers that share the applications: an application always uses the same one, chosen by the last digit of its id. Intake and
 * settlement lock the counters of their applications, so batches of two lanes never wait for each other, whichever process runs them.
 * Within a lane the next batch waits at the lock and starts when the first one commits.
 */
export function createApplicationLanes<Item extends { applicationId: string }, Outcome>(
  options: BatcherOptions<Item, Outcome>,
): Lanes<Item, Outcome> {
  const lanes: [Batcher<Item, Outcome>, Batcher<Item, Outcome>] = [createBatcher(options), createBatcher(options)]
  return {
    submit: (item) => lanes[laneOf(item.applicationId)].submit(item),
    waiting: () => lanes[0].waiting() + lanes[1].waiting(),
    drain: async () => void (await Promise.all([lanes[0].drain(), lanes[1].drain()])),
  }
}

function laneOf(applicationId: string): 0 | 1 {
  return applicationId.charCodeAt(applicationId.length - 1) % 2 === 0 ? 0 : 1
}

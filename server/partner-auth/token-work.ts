import { createFairLimiter } from '#server/credentials/fair-limiter.ts'

/**
 * Storing and exchanging tokens locks the user's row: those who wait for it would hold the connections that payments need.
 * They wait here instead, and applications take turns.
 */
const gate = createFairLimiter({ concurrency: 4, levelMax: [4_000, 1_000] })

/** Runs a transaction on tokens of an application when its turn comes; undefined when too many wait, or for too long. */
export function runTokenWork<Value>(applicationId: string, lane: string, work: () => Promise<Value>): Promise<Value | undefined> {
  return gate.run({ isReserved: false, path: [applicationId, lane], paces: [] }, work)
}

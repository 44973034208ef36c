import assert from 'node:assert/strict'
import { createPasswordHasher } from './password.ts'

/** Argon2 at the lowest cost, for tests that compare many passwords. */
export const cheapHasher = createPasswordHasher({ memoryCost: 8, timeCost: 1, parallelism: 1 })

type Flood = {
  /** Resolves when the first attempt is refused unchecked: the queues are full. */
  full: Promise<void>
  /** Resolves when a thousand attempts were sent. */
  thousand: Promise<void>
  /** Resolves with the number of each answer. */
  stop(): Promise<Map<string, number>>
}

/** Sends wrong sign-ins at a steady rate until it is stopped, after `burst` of them at once. At most `openMax` of them wait for an answer. */
export function flood(attempts: (() => Promise<string>)[], { perSecond = 500, burst = 0, openMax = Number.POSITIVE_INFINITY } = {}): Flood {
  const answers: Promise<string>[] = []
  const { promise: full, resolve: onFull } = Promise.withResolvers<void>()
  const { promise: thousand, resolve: onThousand } = Promise.withResolvers<void>()
  let place = 0
  let open = 0
  const startedMs = performance.now()
  const timer = setInterval(() => {
    const due = burst + ((performance.now() - startedMs) / 1_000) * perSecond
    while (answers.length < due && open < openMax) {
      open++
      const answer = attempts[place++ % attempts.length]?.() ?? assert.fail('no attempts')
      answers.push(answer)
      void answer.then((kind) => {
        open--
        if (kind === 'throttled') onFull()
      })
    }
    if (answers.length >= 1_000) onThousand()
  }, 10)
  return {
    full,
    thousand,
    async stop() {
      clearInterval(timer)
      return new Map(
        Object.entries(Object.groupBy(await Promise.all(answers), (kind) => kind)).map(([kind, all]) => [kind, all?.length ?? 0]),
      )
    },
  }
}

import type { Pool } from '#server/database/pool.ts'
import { type AttemptDependencies, AttemptRecorder, AttemptStarter, attemptDelivery } from './attempts.ts'
import { Claimer, ClaimPace, ClaimSchedule } from './claimer.ts'
import type { ClaimedDelivery } from './delivery-store.ts'
import { ReceiverSlots } from './receiver-slots.ts'
import { type AttemptOutcome, createGuardedSenders, type SendResult } from './send/send-webhook.ts'

export type DeliveryLoopOptions = AttemptDependencies & {
  pool: Pool
  /** Lets webhooks go to loopback addresses: the sandbox. */
  allowsPrivateTargets: boolean
  /** The networks that an application's webhooks may reach though they are not public, in CIDR notation. */
  networksFor?(applicationId: string): readonly string[]
  /** Called with how many attempts ended with each outcome, once that is recorded. */
  onRecorded?: (outcome: AttemptOutcome, count: number) => void
  /** Resolves when the caller of this transaction knows its id; undefined if that is so already. Must not reject. */
  untilAnswered?(transactionId: string): Promise<void> | undefined
  /** Makes each attempt, with the headers by which its receiver continues the trace. */
  trace?:
    | ((delivery: ClaimedDelivery, attempt: (headers: Record<string, string>) => Promise<SendResult>) => Promise<SendResult>)
    | undefined
  /** Pauses after the first, second and third failure. */
  gapsMs?: readonly [number, number, number]
  /** For one attempt, from the name look-up to the end of the body. */
  deadlineMs?: number
  /** How long a claim lasts; must exceed the deadline. */
  leaseMs?: number
  /** Deliveries of this process that are claimed at once. */
  claimedMax?: number
  claimRowsMax?: number
  /** How many receivers the walk of one claim reads. */
  walkReceiversMax?: number
}

export type DeliveryLoop = {
  start(): void
  /** Something may be due: claims immediately instead of at the next poll. */
  wake(): void
  /**
   * The claim under which webhooks that are due at once may be written, so that no claim follows their commit; undefined while this loop
   * takes none.
   */
  claimWritten(): { leaseMs: number; busyTargets: readonly string[] } | undefined
  /** Delivers webhooks that were written under that claim, and claims what was written for other receivers. */
  deliver(written: { claimed: ClaimedDelivery[]; claimedAt: Date; unclaimedTargets: readonly string[] }): void
  /** Stops claiming, returns what was not started, waits at most five seconds for what is in progress, and records it. */
  drain(): Promise<void>
}

/** The contractual pauses before the second, third and fourth attempt. */
export const WEBHOOK_GAPS_MS = [30_000, 120_000, 600_000] as const
const POLL_MS = 100
const POLL_MS_MAX = 1_000
const LEASE_MARGIN_MS = 1_000
const DRAIN_MS = 5_000

/**
 * Delivers the webhooks that are due (README.md). Attempts are committed before they are sent, each receiver has its own slots, and
 * outcomes are recorded in batches. Any number of processes may run one.
 */
export function createDeliveryLoop(options: DeliveryLoopOptions): DeliveryLoop {
  const { pool, logger, networksFor = () => [], gapsMs = WEBHOOK_GAPS_MS, deadlineMs = 5_000, leaseMs = 30_000 } = options
  const slots = new ReceiverSlots(options.claimedMax ?? 4_096)
  const pace = new ClaimPace({ walkReceiversMax: options.walkReceiversMax ?? 128, pollMs: POLL_MS, pollMsMax: POLL_MS_MAX })
  const recorder = new AttemptRecorder({ pool, gapsMs, logger, onRecorded: options.onRecorded })
  const senders = createGuardedSenders({
    allowsPrivateTargets: options.allowsPrivateTargets ?? false,
    deadlineMs,
    idleConnectionsMax: 1_024,
  })
  const starter = new AttemptStarter({
    slots,
    recorder,
    untilAnswered: options.untilAnswered,
    attemptDelivery(delivery) {
      const sender = senders.to(networksFor(delivery.applicationId))
      const attempt = (headers?: Record<string, string>) => attemptDelivery(sender, options, delivery, headers)
      return options.trace ? options.trace(delivery, attempt) : attempt()
    },
    claimAgeMsMax: leaseMs - deadlineMs - LEASE_MARGIN_MS,
    onFreeSlot(target) {
      claimer.hint(target)
      schedule.request()
    },
  })
  const claimer = new Claimer({
    pool,
    logger,
    slots,
    pace,
    gapsMs,
    leaseMs,
    claimRowsMax: options.claimRowsMax ?? 500,
    fullPauseMs: POLL_MS,
    onClaimed: (claim) => starter.addClaim(claim),
  })
  const schedule = new ClaimSchedule(() => claimer.claim())
  let isRunning = false
  return {
    start() {
      isRunning = true
      schedule.start()
    },
    wake: () => schedule.request(),
    claimWritten() {
      const busyTargets = isRunning ? slots.busyTargets() : undefined
      return busyTargets && { leaseMs, busyTargets }
    },
    deliver({ claimed, claimedAt, unclaimedTargets }) {
      if (claimed.length > 0) starter.add({ claimedAt, deliveries: claimed })
      if (unclaimedTargets.length === 0) return
      for (const target of unclaimedTargets) {
        slots.get(target).isBehind = true
        claimer.hint(target)
      }
      schedule.request()
    },
    async drain() {
      isRunning = false
      const claimsEnded = schedule.stop()
      const attemptsEnded = starter.stop()
      await claimsEnded
      await withinDrainTime(attemptsEnded)
      await recorder.flush(DRAIN_MS)
      senders.close()
    },
  }
}

async function withinDrainTime(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, DRAIN_MS + 200)
  })
  await Promise.race([work, limit])
  clearTimeout(timer)
}

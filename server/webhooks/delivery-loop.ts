import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '#lib/time.ts'
import type { Pool } from '#server/database/pool.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { withJitterMs } from '#server/retry.ts'
import { createAttemptRecorder, type DeliveryLogger } from './attempt-recorder.ts'
import { createClaimPace } from './claim-pace.ts'
import { createAddressGuard, LOOPBACK_NETWORKS } from './guard-address.ts'
import { createHostResolver } from './resolve-host.ts'
import { type AttemptOutcome, createSender, type Sender, type SendResult } from './send-webhook.ts'
import { signWebhook, type WebhookSecret, webhookIdOf } from './sign-webhook.ts'
import { type Allowance, createTargetSlots, type Target } from './target-slots.ts'
import { webhookPayload } from './webhook-payload.ts'
import { type Claim, type ClaimedDelivery, claimDeliveries } from './webhook-store.ts'

export type DeliveryLoopOptions = {
  pool: Pool
  clock: Clock
  /** The signing secrets of an application; those that have expired are left out by the loop. */
  secretsFor(applicationId: string): readonly WebhookSecret[]
  /** Whether an application wants `transactionStatus` as a copy of `status`. */
  copiesStatusFor(applicationId: string): boolean
  /** Lets webhooks go to loopback addresses: the sandbox. */
  allowsPrivateTargets: boolean
  /** Networks in CIDR notation that are allowed though they are not public. */
  allowedNetworks?: readonly string[]
  logger: DeliveryLogger
  /** Told how many attempts ended with each outcome, once that is recorded. */
  onRecorded?: (outcome: AttemptOutcome, count: number) => void
  /** Pauses after the first, second and third failure. */
  gapsMs?: readonly [number, number, number]
  /** For one attempt, from the name look-up to the end of the body. */
  deadlineMs?: number
  /** How long a claim lasts; must exceed the deadline. */
  leaseMs?: number
  /** Deliveries of this process that are claimed at once. */
  claimedMax?: number
  claimRowsMax?: number
  /** How many receivers one claim looks at. */
  claimTargetsMax?: number
  pollMs?: number
  pollMsMax?: number
  nameServers?: readonly string[]
  authorities?: readonly string[]
}

export type DeliveryLoop = {
  start(): void
  /** Something may be due: looks at once instead of at the next poll. */
  wake(): void
  /** Stops claiming, returns what was not begun, waits at most five seconds for what is under way, and records it. */
  drain(): Promise<void>
}

/** Pauses after the previous failure: attempts at 0, 30 s, 2 min and 10 min. */
export const GAPS_MS = [30_000, 120_000, 600_000] as const
const DRAIN_MS = 5_000
const FAILED_CLAIM_PAUSE_MS = 1_000
/** Attempts begun in one turn of the event loop: over connections that are open, and to receivers that need new ones. */
const BEGUN_PER_TURN = 32
const STRANGERS_PER_TURN = 4
const HINTS_PER_CLAIM = 500
const FORGET_EVERY_MS = 60_000
const LEASE_MARGIN_MS = 1_000
/** What the column holds: a service that was off for a month was late by more. */
const WAITED_MS_MAX = 2 ** 31 - 1

/**
 * Delivers what the outbox holds (server/webhooks/README.md). Attempts are claimed and committed before they are sent,
 * each receiver has its own slots, and outcomes are recorded in batches. Any number of processes may run one.
 */
export function createDeliveryLoop(options: DeliveryLoopOptions): DeliveryLoop {
  const {
    pool,
    logger,
    gapsMs = GAPS_MS,
    deadlineMs = 5_000,
    leaseMs = 30_000,
    claimRowsMax = 500,
    pollMs = 100,
    pollMsMax = 500,
  } = options
  const slots = createTargetSlots(options.claimedMax ?? 4_096)
  const recorder = createAttemptRecorder({ pool, gapsMs, logger, onRecorded: options.onRecorded })
  const sender = createLoopSender(options, deadlineMs)
  const pace = createClaimPace({ walkTargetsMax: options.claimTargetsMax ?? 128, pollMs, pollMsMax })
  const claimTimes = new WeakMap<ClaimedDelivery, { databaseMs: number; monotonicMs: number }>()
  // Receivers where a slot became free and more may be due.
  const hinted = new Set<string>()
  // Receivers with claimed deliveries that have not been looked at, those that answered lately and the others.
  const proven = new Set<Target>()
  const unprovenReceivers = new Set<Target>()
  let isPumping = false
  let isRunning = false
  let isWoken = false
  let mayClaimAtMs = 0
  let cursor = ''
  let timer: NodeJS.Timeout | undefined
  let claiming: Promise<void> | undefined
  let onIdle: (() => void) | undefined
  let forgottenMs = performance.now()

  function schedule(pauseMs: number): void {
    clearTimeout(timer)
    if (isRunning) timer = setTimeout(() => void begin(), pauseMs)
  }

  /** While a claim runs the wish is only noted; after one it waits until the next may be. */
  function requestClaim(): void {
    if (isWoken) return
    isWoken = true
    if (!claiming) schedule(Math.max(0, mayClaimAtMs - performance.now()))
  }

  function begin(): Promise<void> {
    claiming ??= claimOnce().then((pauseMs) => {
      claiming = undefined
      // No turn of the event loop is lost between two claims where there is plenty to do.
      if (pauseMs === 0 && isRunning) void begin()
      else schedule(pauseMs)
    })
    return claiming
  }

  /** Returns the pause before the next claim, in milliseconds. */
  async function claimOnce(): Promise<number> {
    isWoken = false
    const startedMs = performance.now()
    if (startedMs - forgottenMs > FORGET_EVERY_MS) {
      slots.forgetIdle(startedMs)
      forgottenMs = startedMs
    }
    const allowance = slots.allowance(claimRowsMax)
    // What ends asks for the next claim.
    if (allowance.rowsMax === 0) return pollMs
    const walkMax = pace.walkMax(startedMs)
    const targets = takeSome(hinted, HINTS_PER_CLAIM)
    try {
      const claim = await claimDeliveries(pool, {
        ...allowance,
        targets,
        walkMax,
        cursor,
        eachMax: pace.eachMax(),
        recentMs: pace.recentMs(startedMs),
        leaseMs,
        gapsMs,
      })
      cursor = claim.cursor
      const suspectRows = claim.deliveries.filter((delivery) => delivery.target in allowance.suspects).length
      const isCut = suspectRows > 0 && suspectRows >= allowance.suspectRowsMax
      const { minPauseMs, idlePauseMs } = pace.note(claim, {
        rowsMax: allowance.rowsMax,
        hasWalked: walkMax > 0,
        isCut,
        startedMs,
        endedMs: performance.now(),
      })
      mayClaimAtMs = performance.now() + minPauseMs
      accept(claim, allowance)
      return isWoken || hinted.size > 0 ? minPauseMs : idlePauseMs
    } catch (error) {
      reportUnexpected('webhooks: claim', error, { logger, message: 'Webhook deliveries could not be claimed; trying again' })
      pace.failed()
      const pauseMs = withJitterMs(FAILED_CLAIM_PAUSE_MS)
      mayClaimAtMs = performance.now() + pauseMs
      return pauseMs
    }
  }

  function accept(claim: Claim, allowance: Allowance): void {
    // A receiver that may have more due than it was allowed is read again when it has a free slot.
    for (const key of [...Object.keys(allowance.free), ...Object.keys(allowance.suspects)]) {
      const target = slots.find(key)
      if (target) target.mayHaveMore = true
    }
    const claimedAt = { databaseMs: claim.claimedMs, monotonicMs: performance.now() }
    const touched = new Set<Target>()
    for (const delivery of claim.deliveries) {
      const target = slots.get(delivery.target)
      target.queue.push(delivery)
      target.mayHaveMore = true
      slots.added(target)
      claimTimes.set(delivery, claimedAt)
      touched.add(target)
    }
    if (!isRunning) return giveBack([...touched])
    for (const target of touched) (target.standing === 'proven' ? proven : unprovenReceivers).add(target)
    if (!isPumping) void pumpInTurns()
  }

  /** Hundreds of new connections take their time: receivers that answer go first, and answers that came in are heard in between. */
  async function pumpInTurns(): Promise<void> {
    isPumping = true
    while (proven.size + unprovenReceivers.size > 0) {
      await nextTurn()
      let begun = 0
      for (const target of proven) {
        proven.delete(target)
        begun += pump(target)
        if (begun >= BEGUN_PER_TURN) break
      }
      begun = 0
      for (const target of unprovenReceivers) {
        unprovenReceivers.delete(target)
        begun += pump(target)
        if (begun >= STRANGERS_PER_TURN) break
      }
    }
    isPumping = false
  }

  /** Returns how many attempts were begun. */
  function pump(target: Target): number {
    const slotsNow = Math.floor(target.slots)
    let begun = 0
    while (target.inFlight < slotsNow && isRunning) {
      const delivery = target.queue.shift()
      if (!delivery) return begun
      const claimedAt = claimTimes.get(delivery)
      const ageMs = performance.now() - (claimedAt?.monotonicMs ?? 0)
      if (!claimedAt || ageMs > leaseMs - deadlineMs - LEASE_MARGIN_MS) {
        recorder.giveBack([delivery])
        slots.ended(target, undefined)
        continue
      }
      target.inFlight++
      begun++
      void make(target, delivery, new Date(claimedAt.databaseMs + ageMs))
    }
    // A receiver that hangs keeps nothing in hand: another process, or a later claim, may find it well again.
    if (target.standing === 'suspect' && target.queue.length > 0) giveBack([target])
    return begun
  }

  async function make(target: Target, delivery: ClaimedDelivery, startedAt: Date): Promise<void> {
    const result = await sendOne(sender, options, delivery)
    target.inFlight--
    const ending = result.outcome.startsWith('timeout') ? 'timed_out' : result.httpStatus !== null ? 'answered' : 'failed'
    slots.ended(target, ending, result.durationMs)
    const { applicationId, transactionId, number } = delivery
    const waitedMs = Math.min(WAITED_MS_MAX, Math.max(0, Math.round(startedAt.getTime() - delivery.dueMs)))
    const spreadMs = ending === 'timed_out' ? slots.spreadMs(target) : 0
    recorder.add({ applicationId, transactionId, number, startedAt, waitedMs, spreadMs, ...result })
    pump(target)
    if (!isRunning) {
      if (slots.claimed() === 0) onIdle?.()
    } else if (target.mayHaveMore && target.queue.length < target.slots * 2) {
      target.mayHaveMore = false
      hinted.add(target.key)
      requestClaim()
    }
  }

  function giveBack(targets: readonly Target[]): void {
    const deliveries = targets.flatMap((target) => {
      const queue = target.queue.splice(0)
      for (const _delivery of queue) slots.ended(target, undefined)
      return queue
    })
    recorder.giveBack(deliveries)
  }

  return {
    start() {
      if (isRunning) return
      isRunning = true
      schedule(0)
    },
    wake: requestClaim,
    async drain() {
      isRunning = false
      clearTimeout(timer)
      await claiming
      giveBack([...slots.all()])
      if (slots.claimed() > 0)
        await withinDrainTime(
          new Promise<void>((resolve) => {
            onIdle = resolve
          }),
        )
      await recorder.flush(DRAIN_MS)
      sender.close()
    },
  }
}

function createLoopSender(options: DeliveryLoopOptions, deadlineMs: number): Sender {
  const networks = [...(options.allowsPrivateTargets ? LOOPBACK_NETWORKS : []), ...(options.allowedNetworks ?? [])]
  return createSender({
    resolveHost: createHostResolver(options.nameServers),
    mayConnectTo: createAddressGuard(networks),
    authorities: options.authorities,
    deadlineMs,
    idleConnectionsMax: 1_024,
  })
}

async function sendOne(sender: Sender, options: DeliveryLoopOptions, delivery: ClaimedDelivery): Promise<SendResult> {
  try {
    const body = webhookPayload(delivery, options.copiesStatusFor(delivery.applicationId))
    const headers = signWebhook(webhookIdOf(delivery.transactionId), body, options.secretsFor(delivery.applicationId), options.clock.now())
    return await sender.send(delivery.url, headers, body)
  } catch (error) {
    // A bug, but the slot and the schedule must survive it.
    reportUnexpected('webhooks: send', error, {
      logger: options.logger,
      transactionId: delivery.transactionId,
      message: 'A webhook attempt could not be made',
    })
    return { outcome: 'connection_error', httpStatus: null, detail: 'The attempt could not be made.', durationMs: 0 }
  }
}

/** Takes the first few out of a set. */
function takeSome(keys: Set<string>, countMax: number): string[] {
  const some: string[] = []
  for (const key of keys) {
    if (some.length >= countMax) break
    some.push(key)
    keys.delete(key)
  }
  return some
}

async function withinDrainTime(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, DRAIN_MS + 200)
  })
  await Promise.race([work, limit])
  clearTimeout(timer)
}

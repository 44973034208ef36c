import type { Logger } from 'pino'
import type { Clock } from '#lib/time.ts'
import type { Pool } from '#server/database/pool.ts'
import { createAttemptRecorder } from './attempt-recorder.ts'
import { createAddressGuard, LOOPBACK_NETWORKS } from './guard-address.ts'
import { createHostResolver } from './resolve-host.ts'
import { createSender, type Sender, type SendResult } from './send-webhook.ts'
import { signWebhook, type WebhookSecret, webhookIdOf } from './sign-webhook.ts'
import { createTargetSlots, type Target } from './target-slots.ts'
import { webhookPayload } from './webhook-payload.ts'
import { type Claim, type ClaimedDelivery, claimDeliveries, returnDeliveries } from './webhook-store.ts'

export type DeliveryLogger = Pick<Logger, 'info' | 'warn' | 'error'>

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
  /** Stops claiming, gives back what was not begun, waits at most five seconds for what is under way, and records it. */
  drain(): Promise<void>
}

/** Pauses after the previous failure (spec, Events: attempts at 0, 30 s, 2 min, 10 min). */
export const GAPS_MS = [30_000, 120_000, 600_000] as const
const DRAIN_MS = 5_000
/** Claims are never closer together than this, whatever wakes them. */
const CLAIM_PAUSE_MS = 4
const FAILED_CLAIM_PAUSE_MS = 1_000
const FORGET_EVERY_MS = 60_000
const LEASE_MARGIN_MS = 1_000

/**
 * Delivers what the outbox holds (server/webhooks/README.md). Attempts are claimed and committed before they are sent,
 * each receiver has its own slots, and outcomes are recorded in batches. Any number of processes may run one.
 */
export function createDeliveryLoop(options: DeliveryLoopOptions): DeliveryLoop {
  const { pool, logger, gapsMs = GAPS_MS, deadlineMs = 5_000, leaseMs = 30_000, claimRowsMax = 500, pollMs = 100, pollMsMax = 500 } = options
  const slots = createTargetSlots(options.claimedMax ?? 4_096)
  const recorder = createAttemptRecorder(pool, gapsMs, logger)
  const sender = createLoopSender(options, deadlineMs)
  let isRunning = false
  let isWoken = false
  let cursor = ''
  let emptyClaims = 0
  let timer: NodeJS.Timeout | undefined
  let claiming: Promise<void> | undefined
  let onIdle: (() => void) | undefined
  let forgottenMs = performance.now()

  function schedule(pauseMs: number): void {
    clearTimeout(timer)
    if (isRunning) timer = setTimeout(() => void begin(), pauseMs)
  }

  /** While a claim runs, or right after one, the wish is only noted. */
  function requestClaim(): void {
    isWoken = true
    if (isRunning && !claiming && mayClaimAtMs <= performance.now()) schedule(0)
    else if (isRunning && !claiming) schedule(mayClaimAtMs - performance.now())
  }
  let mayClaimAtMs = 0

  function begin(): Promise<void> {
    claiming ??= claimOnce().finally(() => {
      claiming = undefined
    })
    return claiming
  }

  async function claimOnce(): Promise<void> {
    isWoken = false
    const startedMs = performance.now()
    if (startedMs - forgottenMs > FORGET_EVERY_MS) {
      slots.forgetIdle(startedMs)
      forgottenMs = startedMs
    }
    const allowance = slots.allowance(claimRowsMax)
    // Completions ask for the next claim.
    if (allowance.rowsMax === 0) return schedule(pollMs)
    try {
      const claim = await claimDeliveries(pool, { ...allowance, cursor, targetsMax: options.claimTargetsMax ?? 4_000, leaseMs, gapsMs })
      const tookMs = performance.now() - startedMs
      cursor = claim.cursor
      accept(claim, allowance.free, allowance.suspects)
      scheduleAfter(claim, allowance.rowsMax, tookMs)
    } catch (error) {
      logger.warn({ err: error }, 'Webhook deliveries could not be claimed; trying again')
      mayClaimAtMs = performance.now() + FAILED_CLAIM_PAUSE_MS
      schedule(FAILED_CLAIM_PAUSE_MS)
    }
  }

  function scheduleAfter(claim: Claim, rowsMax: number, tookMs: number): void {
    const found = claim.deliveries.length
    // A claim costs the database as much as it took: it gets a pause in proportion, unless there is plenty to do.
    const breathMs = found >= rowsMax ? 0 : found > 0 ? Math.max(CLAIM_PAUSE_MS, tookMs / 2) : Math.max(CLAIM_PAUSE_MS, tookMs * 2)
    mayClaimAtMs = performance.now() + breathMs
    emptyClaims = found === 0 && claim.isComplete ? emptyClaims + 1 : 0
    if (isWoken || found >= rowsMax || !claim.isComplete) return schedule(breathMs)
    const restMs = Math.min(pollMsMax, pollMs * 1.5 ** Math.min(emptyClaims, 10))
    schedule(Math.max(breathMs, Math.min(restMs, Math.ceil(claim.nextDueMs ?? restMs))))
  }

  function accept(claim: Claim, free: Record<string, number>, suspects: Record<string, number>): void {
    // What was held back, and what got all it was allowed, may have more.
    for (const allowances of [free, suspects]) {
      for (const key of Object.keys(allowances)) {
        const target = slots.find(key)
        if (target) target.mayHaveMore = true
      }
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
    for (const target of touched) pump(target)
  }
  const claimTimes = new WeakMap<ClaimedDelivery, { databaseMs: number; monotonicMs: number }>()

  function pump(target: Target): void {
    const slotsNow = Math.floor(target.slots)
    while (target.inFlight < slotsNow && isRunning) {
      const delivery = target.queue.shift()
      if (!delivery) return
      const claimedAt = claimTimes.get(delivery)
      const ageMs = performance.now() - (claimedAt?.monotonicMs ?? 0)
      if (!claimedAt || ageMs > leaseMs - deadlineMs - LEASE_MARGIN_MS) {
        giveBackDeliveries([delivery])
        slots.ended(target, undefined)
        continue
      }
      target.inFlight++
      void make(target, delivery, new Date(claimedAt.databaseMs + ageMs))
    }
    // A receiver that hangs keeps nothing in hand: another process, or a later claim, may find it well again.
    if (target.standing === 'suspect' && target.queue.length > 0) giveBack([target])
  }

  async function make(target: Target, delivery: ClaimedDelivery, startedAt: Date): Promise<void> {
    const result = await sendOne(sender, options, delivery)
    target.inFlight--
    slots.ended(target, result.outcome.startsWith('timeout') ? 'timed_out' : result.httpStatus !== null ? 'answered' : 'failed')
    const { applicationId, transactionId, number } = delivery
    recorder.add({ applicationId, transactionId, number, startedAt, ...result })
    pump(target)
    if (!isRunning) {
      if (slots.claimed() === 0) onIdle?.()
    } else if (target.mayHaveMore && target.queue.length < target.slots) {
      requestClaim()
    }
  }

  function giveBack(targets: readonly Target[]): void {
    const deliveries = targets.flatMap((target) => {
      const queue = target.queue.splice(0)
      for (const _delivery of queue) slots.ended(target, undefined)
      return queue
    })
    giveBackDeliveries(deliveries)
  }

  const returning = new Set<Promise<void>>()
  function giveBackDeliveries(deliveries: readonly ClaimedDelivery[]): void {
    if (deliveries.length === 0) return
    // When this fails the lease gives them back, as attempts that were interrupted.
    const returned = returnDeliveries(pool, deliveries)
      .catch((error: unknown) => logger.warn({ err: error }, 'Claimed webhook deliveries could not be given back'))
      .finally(() => returning.delete(returned))
    returning.add(returned)
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
      if (slots.claimed() > 0) await withinDrainTime(new Promise<void>((resolve) => { onIdle = resolve }))
      await Promise.all(returning)
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
    options.logger.error({ err: error, transactionId: delivery.transactionId }, 'A webhook attempt could not be made')
    return { outcome: 'connection_error', httpStatus: null, detail: 'The attempt could not be made.', durationMs: 0 }
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

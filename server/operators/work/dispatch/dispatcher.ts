import { setTimeout as delay } from 'node:timers/promises'
import type { Callback } from '#server/operators/handle-callback.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { withJitterMs } from '#server/retry.ts'
import type { IntakeItem, ReservedSlots, WorkClaim } from '#server/transactions/intake.ts'
import { type ClaimedWork, claimWork, toClaimedWork } from '../operator-work-store.ts'
import { settleByCallback } from '../settle-by-callback.ts'
import { type CarryOutOptions, type Context, carryOut, createContext, keyOf } from './carry-out.ts'
import { ClaimSlots, createWakeSignal, laneOf } from './claim-slots.ts'

export type DispatcherOptions = CarryOutOptions & {
  /** Queries in progress at one operator. Submissions are limited by the operator's terms. */
  queriesMax?: number
  /** Submissions in progress at one operator and direction, if its terms allow more. */
  submissionsMax?: number
  /** How long a claim holds a row, in place of what fits the operator's own timeouts (claim-slots.ts). */
  leaseMs?: number
  /** How often due rows are claimed without a wake-up. */
  idlePollMs?: number
}

export type Dispatcher = {
  start(): void
  /** Something is due now, in any lane: an approved transaction, the code of a customer. */
  wake(): void
  /** The same if it is a query: a callback came. */
  wakeQueries(): void
  /** Reserves slots for transactions that are about to be stored; undefined while this dispatcher does not run. */
  reserveSlots(items: readonly IntakeItem[]): ReservedSlots | undefined
  /**
   * Ends a transaction whose signed callback came, if this process submitted it and its operator confirms the callback at once; the callback is
   * then stored with the end. `agrees`: this process stored that very result lately, and there is nothing to store. Undefined: the callback
   * is not stored.
   */
  settleByCallback(callback: Callback): Promise<'settled' | 'agrees' | undefined>
  /** Claims nothing more. Resolves when every call in progress has ended and is stored. */
  drain(): Promise<void>
}

const DATABASE_PAUSE_MS = 1_000
/** From the beginning of one claim to the next. Each reads all lanes, so under load fewer claims that take more rows cost less. */
const CLAIM_GAP_MS = 10

const IDLE_POLL_MS = 250
/** After this long without a call, due rows are claimed a quarter as often. What this process stores wakes it in any case. */
const IDLE_AFTER_MS = 5_000
const IDLE_POLL_FACTOR = 4

/**
 * Submits queued transactions, queries open ones, and passes final results to the settler. Any number of dispatchers may work on
 * one database. The attempt is committed before the operator is called, the call is made outside any database transaction, and
 * the work of a process that died becomes due again when its lease ends.
 */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const loop = new DispatchLoop(options)
  return {
    start: () => loop.start(),
    wake: () => loop.wake(),
    wakeQueries: () => loop.wakeQueries(),
    reserveSlots: (items) => loop.reserveSlots(items),
    settleByCallback: (callback) => loop.settleByCallback(callback),
    drain: () => loop.drain(),
  }
}

class DispatchLoop implements Dispatcher {
  readonly #options: DispatcherOptions
  readonly #idlePollMs: number
  readonly #signal = createWakeSignal()
  /** Calls in progress, and commits that calls will follow. */
  readonly #calls = new Set<Promise<void>>()
  #running: Running | undefined
  /** The next claim reads every lane: something became due in a lane that this process does not know, or enough time has passed. */
  #isAllWanted = true
  #allAtMs = 0
  #lastCallMs = performance.now()
  #isRunning = false
  #loop: Promise<void> | undefined

  constructor(options: DispatcherOptions) {
    this.#options = options
    this.#idlePollMs = options.idlePollMs ?? IDLE_POLL_MS
  }

  start(): void {
    if (this.#isRunning) return
    this.#isRunning = true
    this.#loop = this.#run()
  }

  wake(): void {
    this.#isAllWanted = true
    this.#signal.notify()
  }

  wakeQueries(): void {
    this.#signal.notify()
  }

  reserveSlots(items: readonly IntakeItem[]): ReservedSlots | undefined {
    const running = this.#running
    if (!this.#isRunning || !running) return undefined
    const { context, slots } = running
    const claims = items.map((item) => reserveSlot(context, slots, item))
    // A drain waits for the commit, and then for the calls that follow from it.
    const stored = Promise.withResolvers<void>()
    this.#calls.add(stored.promise)
    return {
      claims,
      submit: (claimed) => {
        for (const item of claimed) this.#begin(running, toClaimedWork(item))
        const submitted = new Set(claimed.map(({ item }) => item))
        for (const [index, item] of items.entries()) if (claims[index] && !submitted.has(item)) slots.end(item.operator, item.type)
        if (claimed.length < items.length) this.#signal.notify()
        this.#calls.delete(stored.promise)
        stored.resolve()
      },
    }
  }

  async settleByCallback(callback: Callback): Promise<'settled' | 'agrees' | undefined> {
    const running = this.#running
    // Anybody can send an unsigned one: how many queries those cause is limited where they are stored.
    if (!this.#isRunning || !running || !callback.is_verified || callback.outcome === 'pending') return undefined
    const { context, slots } = running
    const key = keyOf({ applicationId: callback.application_id, transactionId: callback.transaction_id })
    const end = context.ended.get(key)
    if (end) return end.operator === callback.operator && end.outcome === callback.outcome ? 'agrees' : undefined
    const work = context.accepted.get(key)
    const connector = work && this.#options.connectors.get(work.operator)
    // An operator's own pause before a query is in the database.
    if (!work || !connector || connector.hasNoQueries || connector.terms.enquiryDelayMs !== undefined) return undefined
    if (work.operator !== callback.operator || !slots.beginQuery(work.operator)) return undefined
    // Once for each transaction: what the operator does not confirm at once is queried as the stored callback says.
    context.accepted.delete(key)
    const { stored, ended } = settleByCallback(context, connector, work, callback)
    this.#track(running, { ...work, foundState: 'submitted' }, ended)
    return (await stored) ? 'settled' : undefined
  }

  async drain(): Promise<void> {
    this.#isRunning = false
    this.#signal.notify()
    await this.#loop
    while (this.#calls.size > 0) await Promise.all(this.#calls)
  }

  async #run(): Promise<void> {
    while (this.#isRunning) {
      try {
        this.#running ??= await this.#prepare()
        const startedMs = performance.now()
        if (this.#isRunning) await this.#claimOnce(this.#running)
        await this.#signal.wait(this.#pauseMs())
        const restMs = CLAIM_GAP_MS - (performance.now() - startedMs)
        if (restMs > 0) await delay(restMs)
      } catch (error) {
        this.#isAllWanted = true
        reportUnexpected('operators: claim', error, { logger: this.#options.logger, message: 'Due operator work could not be claimed' })
        await this.#signal.wait(withJitterMs(DATABASE_PAUSE_MS))
      }
    }
  }

  #pauseMs(): number {
    if (this.#calls.size > 0) this.#lastCallMs = performance.now()
    const isIdle = performance.now() - this.#lastCallMs > IDLE_AFTER_MS
    return isIdle ? this.#idlePollMs * IDLE_POLL_FACTOR : this.#idlePollMs
  }

  async #prepare(): Promise<Running> {
    const context = await createContext(this.#options)
    return { context, slots: new ClaimSlots(this.#options, context.gate) }
  }

  async #claimOnce(running: Running): Promise<void> {
    const { context, slots } = running
    const startedMs = performance.now()
    const scope = this.#isAllWanted || startedMs >= this.#allAtMs ? 'all' : 'wanted'
    const free = slots.beginClaim(scope)
    if (scope === 'all') {
      this.#isAllWanted = false
      this.#allAtMs = startedMs + this.#idlePollMs
    }
    let claimed: ClaimedWork[] | undefined
    try {
      claimed = free.length === 0 ? [] : await claimWork(this.#options.pool, free, context.firstQueryMs())
    } finally {
      if (slots.endClaim(free, claimed)) this.wake()
    }
    for (const work of claimed) {
      slots.begin(work.operator, laneOf(work))
      this.#begin(running, work)
    }
  }

  /** Carries out claimed work whose slot is taken. */
  #begin(running: Running, work: ClaimedWork): void {
    this.#track(running, work, carryOut(running.context, work))
  }

  /** Frees the slot of work when it has ended. */
  #track({ slots }: Running, work: ClaimedWork, ended: Promise<void>): void {
    const call = ended
      .catch((error: unknown) => {
        reportUnexpected('operators: call', error, {
          logger: this.#options.logger,
          transactionId: work.transactionId,
          message: 'Operator work was interrupted; it is repeated when its lease ends',
        })
      })
      .finally(() => {
        this.#calls.delete(call)
        this.#lastCallMs = performance.now()
        if (slots.end(work.operator, laneOf(work))) this.#signal.notify()
      })
    this.#calls.add(call)
  }
}

type Running = { context: Context; slots: ClaimSlots }

/** A payment that a person prepares always waits for approval, so it needs no slot. */
function reserveSlot(context: Context, slots: ClaimSlots, item: IntakeItem): WorkClaim | undefined {
  if (item.source === 'person' || item.source === 'file') return undefined
  const reserved = slots.reserve(item.operator, item.type)
  if (!reserved) return undefined
  const { route, leaseMs, enquiryDelayMs, settingsVersion } = reserved
  return { route, leaseMs, enquiryDelayMs, settingsVersion, firstQueryMs: Math.max(context.firstQueryMs(), enquiryDelayMs ?? 0) }
}

import { setTimeout as delay } from 'node:timers/promises'
import { createRandom, type Random } from '#lib/seeded-random.ts'
import { isDatabaseAway } from '#server/database/database-away.ts'
import { createPool, type Pool } from '#server/database/pool.ts'
import type { Sandbox } from '#server/testing/service/start-sandbox.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { judge, type Verdict } from '../judge.ts'
import { startAlone } from '../kills/kill-processes.ts'
import { type LoadOptions, tryOnce } from '../load.ts'
import { Durations, type Ordeal, RECOVERY_LIMIT_MS, type Stage } from '../ordeal.ts'
import { OpenPage } from './open-page.ts'
import { Pair, type PairNode } from './pair.ts'
import { type PrimaryAddress, startPrimaryAddress } from './primary-address.ts'

type FailoverOptions = { kills: number; seed: number; keepsFolder: boolean; judgesDurations: boolean; say(line: string): void }

/** `killed`, `frozen`: the primary, whose standby is then promoted. `standby`: the standby, which is started again later. */
type Event = 'killed' | 'frozen' | 'standby'

const EVENTS: readonly Event[] = ['killed', 'frozen', 'killed', 'frozen', 'standby']
const QUIET_MS_MAX = 1_800
/** How long it takes until somebody notices and promotes: from a supervisor on the same machine to an impatient Patroni. */
const NOTICED_AFTER_MS = { min: 300, max: 2_000 }
const ACCEPTS_WITHIN_MS = 5_000
const NOT_READY_WITHIN_MS = 3_000
/** How long a primary that comes back has for answering a commit, which it never must. */
const REFUSES_FOR_MS = 2_000

/** The stage with two servers and one address before them. */
export async function openFailoverStage(options: FailoverOptions): Promise<Stage> {
  const pair = await Pair.start()
  const address = await startPrimaryAddress(pair)
  options.say(`A synchronous pair of PostgreSQL behind ${address.name}`)
  let page: OpenPage | undefined
  return {
    hasPeople: true,
    start: (environment) => startAlone({ ...environment, DATABASE_URL: address.url }),
    async begin(service, load, startedMs) {
      page = await OpenPage.open(service, options.say)
      return new Failovers({ ...options, pair, address, page, service, startedMs }, load)
    },
    async close() {
      await page?.close()
      await address.close()
      await pair.stop({ keepsFolder: options.keepsFolder })
    },
  }
}

type Scene = FailoverOptions & { pair: Pair; address: PrimaryAddress; page: OpenPage; service: Sandbox; startedMs: number }

/** Takes one server away after the other, and measures when requests are accepted again. */
class Failovers implements Ordeal {
  readonly durationsMs = new Durations()
  readonly serviceDiedAt = new Date(0)
  #scene: Scene
  #load: LoadOptions
  #random: Random
  /** Answers of a primary that came back to a commit. */
  #acknowledged: string[] = []

  constructor(scene: Scene, load: LoadOptions) {
    this.#scene = scene
    this.#random = createRandom(scene.seed * 1_000)
    this.#load = { ...load, random: this.#random }
  }

  async carryOut(): Promise<void> {
    const { kills, say, startedMs } = this.#scene
    for (let number = 1; number <= kills; number++) {
      const event = EVENTS[(number - 1) % EVENTS.length] ?? 'killed'
      await delay(this.#random.between(50, QUIET_MS_MAX))
      const at = `${String(number).padStart(4)}  at ${((performance.now() - startedMs) / 1_000).toFixed(3).padStart(8)} s`
      say(`${at}  ${event === 'standby' ? await this.#loseStandby() : await this.#losePrimary(event)}`)
    }
  }

  judge(): Verdict[] {
    const { judgesDurations, page } = this.#scene
    const within = (limitMs: number) => (durationMs: number) =>
      durationMs <= limitMs || !judgesDurations ? undefined : `${Math.round(durationMs)} ms`
    return [
      judge('requests are accepted within 5 s of a promotion', this.durationsMs.of(NAMES.promoted), within(ACCEPTS_WITHIN_MS)),
      judge('not ready within 3 s of the loss of the standby', this.durationsMs.of(NAMES.notReady), within(NOT_READY_WITHIN_MS)),
      judge(
        'an old primary that comes back acknowledges no commit',
        this.durationsMs.of(NAMES.frozen),
        () => undefined,
        this.#acknowledged,
      ),
      judge('an open page is current again, without a reload', this.durationsMs.of(NAMES.page), () => undefined, page.failures),
    ]
  }

  /** Takes the primary away, has the standby promoted, and rebuilds the pair with the roles changed. Returns what is printed. */
  async #losePrimary(event: 'killed' | 'frozen'): Promise<string> {
    const { pair, address, page } = this.#scene
    const lost = pair.primary
    const lostMs = performance.now()
    if (event === 'killed') pair.kill(lost)
    else pair.freeze(lost)
    address.leadTo(undefined)
    await delay(this.#random.between(NOTICED_AFTER_MS.min, NOTICED_AFTER_MS.max))
    await pair.promote()
    address.leadTo(pair.primary)
    const promotedMs = performance.now()
    await this.#untilAccepted()
    const acceptedMs = performance.now()
    this.durationsMs.add(event === 'killed' ? NAMES.killed : NAMES.frozen, acceptedMs - lostMs)
    this.durationsMs.add(NAMES.promoted, acceptedMs - promotedMs)
    this.durationsMs.add(NAMES.page, (await page.untilCurrent(promotedMs)) - promotedMs)
    if (event === 'frozen') await this.#expectFence(lost)
    await pair.rebuild()
    return `primary ${event} (${lost.name}), promoted after ${Math.round(promotedMs - lostMs)} ms, accepted again ${Math.round(acceptedMs - promotedMs)} ms later`
  }

  /** Without a standby no commit is answered, and the service must say that it is not ready. */
  async #loseStandby(): Promise<string> {
    const { pair, service } = this.#scene
    const lostMs = performance.now()
    pair.kill(pair.standby)
    await waitUntil('the service is not ready', async () => (await service.get('/health/ready')).status === 503, { pauseMs: 20 })
    const notReadyMs = performance.now()
    await pair.restartStandby()
    const restartedMs = performance.now()
    await this.#untilAccepted()
    this.durationsMs.add(NAMES.notReady, notReadyMs - lostMs)
    this.durationsMs.add(NAMES.standby, performance.now() - restartedMs)
    return `standby killed (${pair.standby.name}), not ready after ${Math.round(notReadyMs - lostMs)} ms`
  }

  /** The old primary runs again and does not know that it was replaced: it must still wait for a standby that has left. */
  async #expectFence(lost: PairNode): Promise<void> {
    this.#scene.pair.thaw(lost)
    const pool: Pool = createPool({
      databaseUrl: lost.server.url,
      connectionsMax: 1,
      applicationName: 'old primary',
      statementLimitMs: REFUSES_FOR_MS,
    })
    try {
      await pool.query('update readiness set written_at = now()')
      this.#acknowledged.push(`${lost.name} answered a commit after another server had been promoted`)
    } catch (error) {
      if (!isDatabaseAway(error)) throw error
    } finally {
      await pool.end()
    }
  }

  async #untilAccepted(): Promise<void> {
    await waitUntil(`a request is accepted (${this.#scene.service.logFile} may say why not)`, () => tryOnce(this.#load), {
      limitMs: RECOVERY_LIMIT_MS,
    })
  }
}

const NAMES = {
  killed: 'primary killed: accepted again after',
  frozen: 'primary frozen: accepted again after',
  promoted: 'standby promoted: accepted again after',
  page: 'standby promoted: open page current after',
  notReady: 'standby killed: not ready after',
  standby: 'standby restarted: accepted again after',
}

import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { TOKEN_SECRET } from '#e2e/bench/environment/environment.ts'
import { createPartners, type Partner } from '#e2e/bench/environment/partners.ts'
import { type ServerProcess, startServer } from '#e2e/bench/environment/server-process.ts'
import { settingsOf, startSimulators } from '#e2e/bench/environment/simulators.ts'
import { openVisitor, type Visitor } from '#e2e/bench/web/visitor.ts'
import type { Verdict } from '#e2e/crash/judge.ts'
import { Person } from '#e2e/crash/people.ts'
import { Receiver } from '#e2e/crash/receiver.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { fundWallet, type SimulatorPlace } from '#server/operators/testing/simulated-wallets.ts'
import { createPerson } from '#server/people/accounts.ts'
import { must } from '#server/testing/partner.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { judgePayDay } from './judge-pay-day.ts'
import { OPERATOR, type PayDayPlan, PORTIONS, planPayDay } from './plan.ts'
import { Programs } from './send-deposits.ts'
import { readShortage, type Shortage } from './shortage.ts'

type PayDayOptions = {
  pool: Pool
  databaseUrl: string
  /** For the simulator's books and the log of the service. */
  folder: string
  deposits: number
  /** Has the service read the balance of the short account as soon as it can, and not only every minute. */
  pollsAtOnce?: boolean
  say(line: string): void
}

/** `visits`: milliseconds of each page and its data, by name. */
export type PayDayReport = { verdicts: Verdict[]; visits: ReadonlyMap<string, number[]>; seconds: number; server: ServerProcess }

const APPLICATIONS = 3
const OPERATOR_DELAY_MS = 300
/** From one page that the person opens to the next. */
const PAUSE_MS = 500
const PLACES = [
  { name: 'overview', page: '', data: '/overview' },
  { name: 'transactions', page: '/transactions', data: '/transactions' },
] as const
/** A poll a minute may come too early by the deposits that are on their way: a few of them bring the lane to its last unit. */
const DRY_LIMIT_MS = 1_200_000
const LOOK_EVERY_MS = 500

/**
 * A national pay-day: deposits of three applications against an account that covers a third of them, and three top-ups. The balance that the
 * service reads continues the deposits after the first two; after the third an administrator says that there is money. `use` sees the
 * service before it is stopped.
 */
export async function runPayDay<Used>(options: PayDayOptions, use: (report: PayDayReport) => Promise<Used> | Used): Promise<Used> {
  const { pool, databaseUrl, folder, deposits, say } = options
  const plan = planPayDay(deposits)
  const simulators = await startSimulators({ folder, count: 1, delayMs: OPERATOR_DELAY_MS })
  const receiver = await Receiver.start()
  let server: ServerProcess | undefined
  try {
    const place = simulators.places.find(({ operator }) => operator === OPERATOR)
    if (!place) throw new Error('No simulator acts as the operator')
    const wallet = { ...place, folder: path.join(folder, 'simulator-0') }
    await fundWallet(wallet, {
      operator: OPERATOR,
      amount: (plan.portions[0] ?? 0) - (await fundWallet(wallet, { operator: OPERATOR, amount: 0 })),
    })
    const startedAtMs = Date.now()
    const partners = await createPartners(pool, APPLICATIONS)
    await pool.query('update applications set runs_installation = true where application_id = $1', [partners[0]?.applicationId])
    const logFile = path.join(folder, 'pay-day.log')
    server = await startServer({ databaseUrl, logFile, tokenSecret: TOKEN_SECRET, role: 'all', environment: settingsOf(simulators) })
    await waitUntil('the service knows what the account holds', () => isKnown(pool), { limitMs: DRY_LIMIT_MS })
    say(`pay-day: ${deposits} deposits, of which the account covers a third`)
    const day = new PayDay(options, { plan, partners, wallet, baseUrl: `http://127.0.0.1:${server.port}`, receiver })
    const { shortages, visits, seconds } = await day.pass()
    say(`pay-day: over after ${Math.round(seconds)} s`)
    const verdicts = await judgePayDay({ pool, wallet, deposits, receiver, shortages, sinceMs: startedAtMs })
    return await use({ verdicts, visits, seconds, server })
  } finally {
    await server?.stop()
    await simulators.stop()
    await receiver.close()
  }
}

async function isKnown(pool: Pool): Promise<boolean> {
  return (await pool.query('select from operator_floats where operator = $1 and reported_at is not null', [OPERATOR])).rowCount === 1
}

type Scene = { plan: PayDayPlan; partners: readonly Partner[]; wallet: SimulatorPlace; baseUrl: string; receiver: Receiver }
type Passed = { shortages: Shortage[]; visits: Map<string, number[]>; seconds: number }

class PayDay {
  readonly #options: PayDayOptions
  readonly #scene: Scene
  readonly #programs: Programs
  readonly #sending: Promise<void>[] = []

  constructor(options: PayDayOptions, scene: Scene) {
    this.#options = options
    this.#scene = scene
    this.#programs = new Programs(scene.baseUrl, scene.receiver.url('ok'))
  }

  async pass(): Promise<Passed> {
    const { partners, baseUrl } = this.#scene
    const [own, lister, single] = partners
    if (!own || !lister || !single) throw new Error('Three applications take part')
    const { pool } = this.#options
    const finance = await openVisitor(pool, baseUrl, own.applicationId, ['finance'])
    const administrator = await this.#signInAdministrator(own.applicationId, finance.slug)
    let isOver = false
    const visiting = visitPages(finance, () => isOver)
    // It is awaited at the end of the day.
    visiting.catch(() => undefined)
    const startedMs = performance.now()
    try {
      this.#send(this.#programs.sendBatches(own, this.#scene.plan.batches))
      this.#send(this.#programs.sendLists(lister, this.#scene.plan.lists))
      const shortages: Shortage[] = []
      for (let turn = 0; turn < PORTIONS; turn++) {
        if (turn > 0) shortages.push(await this.#topUp(turn, finance, administrator))
        this.#send(this.#programs.sendAlone(single, this.#scene.plan.alone[turn] ?? []))
      }
      await Promise.all(this.#sending)
      await this.#untilAllEnded()
      const seconds = (performance.now() - startedMs) / 1_000
      isOver = true
      return { shortages, visits: await visiting, seconds }
    } finally {
      isOver = true
      await Promise.allSettled([visiting, ...this.#sending])
      await Promise.all([this.#programs.close(), finance.close()])
    }
  }

  /** Its failure ends the day at the next wait for all of them; until then it is no unhandled rejection. */
  #send(sending: Promise<void>): void {
    sending.catch(() => undefined)
    this.#sending.push(sending)
  }

  async #signInAdministrator(applicationId: string, slug: string): Promise<Person> {
    const email = 'administrator@pay-day.example'
    const person = { applicationId, email, name: 'Awa Diop', roles: ['administrator'] as const, actor: SYSTEM_ACTOR }
    const { password } = must(await createPerson(this.#options.pool, person))
    return Person.signIn(this.#scene.baseUrl, slug, { email, password: password ?? '' })
  }

  /** Brings the next portion once the account covers no further deposit, and returns what people were shown then. */
  async #topUp(turn: number, finance: Visitor, administrator: Person): Promise<Shortage> {
    const { pool, say } = this.#options
    const { wallet, plan, baseUrl } = this.#scene
    await Promise.all(this.#sending)
    const shortage = await waitUntil(
      'the account covers no further deposit, and people are told what is missing',
      async () => {
        await this.#pollAtOnce()
        return readShortage(pool, { wallet, baseUrl, finance })
      },
      { limitMs: DRY_LIMIT_MS, pauseMs: LOOK_EVERY_MS },
    )
    say(`pay-day: ${shortage.waiting} wait for float, ${shortage.missing} are missing for the first; top-up ${turn}`)
    await fundWallet(wallet, { operator: OPERATOR, amount: plan.portions[turn] ?? 0 })
    if (turn === PORTIONS - 1) {
      const sent = await administrator.act('sendNow', { operator: OPERATOR }, OPERATOR)
      // On a slow machine a poll found the top-up first, and nothing waits any longer.
      const isSent = sent?.ok === true || sent?.error?.code === 'not_waiting'
      if (!isSent) throw new Error(`The administrator could not send what waits: ${JSON.stringify(sent)}`)
    }
    return shortage
  }

  async #untilAllEnded(): Promise<void> {
    const { pool, deposits, say } = this.#options
    let toldMs = performance.now()
    const haveEnded = async () => {
      await this.#pollAtOnce()
      const { rows } = await pool.query<{ ended: number }>('select count(*)::integer as ended from transactions where final_at is not null')
      const ended = rows[0]?.ended ?? 0
      if (performance.now() - toldMs > 15_000) {
        say(`pay-day: ${ended} have ended, ${this.#scene.receiver.arrivals.size} results were received`)
        toldMs = performance.now()
      }
      return ended === deposits && this.#scene.receiver.arrivals.size === deposits
    }
    await waitUntil('all deposits have ended and their partners were told', haveEnded, { limitMs: DRY_LIMIT_MS, pauseMs: LOOK_EVERY_MS })
  }

  async #pollAtOnce(): Promise<void> {
    if (!this.#options.pollsAtOnce) return
    await this.#options.pool.query("update scheduled_tasks set due_at = now() where task = 'poll_short_operators' and claim_id is null")
  }
}

/** Opens the pages and their data in turn; returns how long each took, in milliseconds. */
async function visitPages(finance: Visitor, isOver: () => boolean): Promise<Map<string, number[]>> {
  const visits = new Map<string, number[]>()
  const visit = async (name: string, address: string, isCounted: boolean) => {
    const { wholeMs } = await finance.time(address)
    if (isCounted) visits.set(name, [...(visits.get(name) ?? []), wholeMs])
  }
  for (let turn = 0; !isOver(); turn++) {
    // The first of each loads the page into the process.
    const isCounted = turn >= PLACES.length
    const { name, page, data } = PLACES[turn % PLACES.length] ?? PLACES[0]
    await visit(`${name}, page`, `/${finance.slug}${page}`, isCounted)
    await visit(`${name}, data`, `/api/back-office/${finance.slug}${data}`, isCounted)
    await delay(PAUSE_MS)
  }
  return visits
}

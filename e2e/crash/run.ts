import { setTimeout as delay } from 'node:timers/promises'
import type { Role } from '#lib/people/permissions.ts'
import { createRandom, type Random } from '#lib/seeded-random.ts'
import { createPool } from '#server/database/pool.ts'
import { type Sandbox, startSandbox } from '#server/testing/service/start-sandbox.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { checkEverything } from './checks.ts'
import { type SentFile, workWithFiles } from './files.ts'
import type { Verdict } from './judge.ts'
import { AnswerLedger } from './ledger-of-answers.ts'
import { keepBusy, type LoadOptions, startOneOfEach, tryOnce } from './load.ts'
import { PartnerProgram } from './partner.ts'
import { Person } from './people.ts'
import { killVictim, type PlannedKill, planKills, type Victim } from './plan.ts'
import { Receiver } from './receiver.ts'
import { settle } from './settle.ts'

type RunOptions = { kills: number; seed: number; connections: number; keepsFolder: boolean; say(line: string): void }

export type RunReport = {
  verdicts: Verdict[]
  killed: Record<Victim, number>
  recoveriesMs: Record<Victim, number[]>
  answered: number
  lost: number
  transactions: number
  loadMs: number
  settleMs: number
  folder: string
}

/** Long: on a busy machine a start takes a minute. */
const RECOVERY_LIMIT_MS = 240_000
const TAIL_MS = 1_000

/**
 * The crash run: loads a real service over HTTP, kills its processes at moments drawn from the seed, lets it come to
 * rest, and holds everything that the partners, the operators and the receivers know against the database.
 */
export async function runCrash(options: RunOptions): Promise<RunReport> {
  const receiver = await Receiver.start()
  const service = await startSandbox({ environment: { SIMULATOR_DELAY_MS: '80' } })
  service.keepRunning()
  const load: LoadOptions = {
    random: createRandom(options.seed),
    ledger: new AnswerLedger(),
    receiver,
    partners: service.readSandbox().applications.map((application) => new PartnerProgram(service.baseUrl, application)),
  }
  let isBroken = true
  try {
    for (const partner of load.partners) await partner.signIn()
    options.say(`Service in ${service.folder}, seed ${options.seed}`)
    const report = await loadKillAndCheck(options, service, load)
    isBroken = report.verdicts.some((verdict) => verdict.broken.length > 0)
    return report
  } finally {
    for (const partner of load.partners) await partner.close()
    await service.stop({ keepsFolder: options.keepsFolder || isBroken })
    await receiver.close()
  }
}

async function loadKillAndCheck(options: RunOptions, service: Sandbox, load: LoadOptions): Promise<RunReport> {
  const startedMs = performance.now()
  let isEnding = false
  const busy = Array.from({ length: options.connections }, (_, index) =>
    keepBusy({ ...load, random: createRandom(options.seed * 1_000 + index + 1) }, () => isEnding),
  )
  const files: SentFile[] = []
  for (const [index, people] of (await signInPeople(service)).entries()) {
    const random = createRandom(options.seed * 1_000 + 900 + index)
    busy.push(workWithFiles({ random, ...people, ledger: load.ledger, files }, () => isEnding))
  }
  const executioner = new Executioner(service, { ...load, random: createRandom(options.seed * 1_000) }, startedMs, options.say)
  for (const planned of planKills(createRandom(options.seed), options.kills)) await executioner.carryOut(planned)
  await executioner.untilRecovered()
  const endsAtMs = performance.now() + RECOVERY_LIMIT_MS
  await startOneOfEach(load, () => performance.now() > endsAtMs)
  await delay(TAIL_MS)
  isEnding = true
  await Promise.all(busy)
  const settlingMs = performance.now()
  const pool = createPool({ databaseUrl: service.databaseUrl(), connectionsMax: 2, applicationName: 'crash run' })
  try {
    const batchIds = files.map((file) => file.batchId)
    const open = await settle(pool, batchIds, executioner.serviceDiedAt)
    const settledMs = performance.now()
    const verdicts = await checkEverything({
      pool,
      ledger: load.ledger,
      files,
      receiver: load.receiver,
      folder: service.folder,
      open,
      applicationApiIds: load.partners.map((partner) => partner.application.apiId),
    })
    return {
      verdicts,
      killed: executioner.killed,
      recoveriesMs: executioner.recoveriesMs,
      answered: load.ledger.answered,
      lost: load.ledger.lost,
      transactions: load.ledger.known.length,
      loadMs: settlingMs - startedMs,
      settleMs: settledMs - settlingMs,
      folder: service.folder,
    }
  } finally {
    await pool.end()
  }
}

/** The makers of the first application, each with a checker. */
async function signInPeople(service: Sandbox): Promise<{ maker: Person; checker: Person }[]> {
  const application = service.readSandbox().applications[0]
  if (!application) throw new Error('The sandbox has no application')
  const slug = application.name.toLowerCase().replaceAll(' ', '-')
  const peopleWith = (role: Role) =>
    application.people
      .filter(({ roles }) => roles.length === 1 && roles[0] === role)
      .map((person) => Person.signIn(service.baseUrl, slug, person))
  const [makers, checkers] = await Promise.all([Promise.all(peopleWith('maker')), Promise.all(peopleWith('checker'))])
  return makers.flatMap((maker, index) => (checkers[index] ? [{ maker, checker: checkers[index] }] : []))
}

/** Carries the plan out and measures, after each kill, how long it takes until a request is accepted again. */
class Executioner {
  readonly killed: Record<Victim, number> = { service: 0, postgres: 0, backend: 0, simulator: 0 }
  readonly recoveriesMs: Record<Victim, number[]> = { service: [], postgres: [], backend: [], simulator: [] }
  serviceDiedAt = new Date(0)
  #service: Sandbox
  #load: LoadOptions
  #random: Random
  #startedMs: number
  #say: (line: string) => void
  #number = 0
  #recovering: Promise<void> = Promise.resolve()

  constructor(service: Sandbox, load: LoadOptions, startedMs: number, say: (line: string) => void) {
    this.#service = service
    this.#load = load
    this.#random = load.random
    this.#startedMs = startedMs
    this.#say = say
  }

  async carryOut(planned: PlannedKill): Promise<void> {
    if (planned.waitsForRecovery) await this.#recovering
    // The moment of the kill is the point of the run, not something to wait for.
    await delay(planned.afterMs)
    const pid = await this.#strike(planned.victim)
    const number = ++this.#number
    this.killed[planned.victim]++
    const killedMs = performance.now()
    if (planned.victim === 'service') this.serviceDiedAt = new Date()
    const earlier = this.#recovering
    this.#recovering = this.#untilAccepted(killedMs).then(async (recoveryMs) => {
      await earlier
      this.recoveriesMs[planned.victim].push(recoveryMs)
      const place = `${String(number).padStart(4)}  at ${((killedMs - this.#startedMs) / 1_000).toFixed(3).padStart(8)} s`
      this.#say(
        `${place}  ${planned.victim.padEnd(9)}  process ${String(pid).padEnd(7)}  first accepted again after ${Math.round(recoveryMs)} ms`,
      )
    })
    // Reported to the code that waits for the recovery; a kill that does not wait must not end the run here.
    this.#recovering.catch(() => undefined)
  }

  untilRecovered(): Promise<void> {
    return this.#recovering
  }

  /** A process may be down because of the previous kill; then it is killed as soon as it is up. */
  #strike(victim: Victim): Promise<number> {
    return waitUntil(
      `there is a ${victim} to kill (${this.#service.logFile} may say why not)`,
      () => killVictim(this.#service, victim, this.#random),
      { limitMs: RECOVERY_LIMIT_MS, pauseMs: 20 },
    )
  }

  /** Milliseconds from the kill to the answer of the first request that was sent after it and accepted. */
  async #untilAccepted(killedMs: number): Promise<number> {
    await waitUntil(`a request is accepted (${this.#service.logFile} may say why not)`, () => tryOnce(this.#load), {
      limitMs: RECOVERY_LIMIT_MS,
    })
    return performance.now() - killedMs
  }
}

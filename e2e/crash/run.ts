import { setTimeout as delay } from 'node:timers/promises'
import type { Role } from '#lib/people/permissions.ts'
import { createRandom } from '#lib/seeded-random.ts'
import { createPool } from '#server/database/pool.ts'
import type { Sandbox } from '#server/testing/service/start-sandbox.ts'
import { checkEverything } from './checks.ts'
import { type SentFile, workWithFiles } from './files.ts'
import type { Verdict } from './judge.ts'
import { AnswerLedger } from './ledger-of-answers.ts'
import { keepBusy, type LoadOptions, startOneOfEach } from './load.ts'
import { type Durations, RECOVERY_LIMIT_MS, type Stage } from './ordeal.ts'
import { PartnerProgram } from './partner.ts'
import { Person } from './people.ts'
import { Receiver } from './receiver.ts'
import { settle } from './settle.ts'

type RunOptions = { stage: Stage; seed: number; connections: number; keepsFolder: boolean; say(line: string): void }

export type RunReport = {
  verdicts: Verdict[]
  durationsMs: Durations
  answered: number
  lost: number
  transactions: number
  loadMs: number
  settleMs: number
  folder: string
}

/** A maker, and the checker who decides what the maker sent. */
type Couple = { maker: Person; checker: Person }

const TAIL_MS = 1_000

/**
 * The crash run: loads a real service over HTTP, has processes killed at moments drawn from the seed, lets it come to
 * rest, and holds everything that the partners, the operators and the receivers know against the database.
 */
export async function runCrash(options: RunOptions): Promise<RunReport> {
  const receiver = await Receiver.start()
  const { service, baseUrl } = await options.stage.start({ SIMULATOR_DELAY_MS: '80' })
  const load: LoadOptions = {
    random: createRandom(options.seed),
    ledger: new AnswerLedger(),
    receiver,
    partners: service.readSandbox().applications.map((application) => new PartnerProgram(baseUrl, application)),
  }
  let isBroken = true
  try {
    for (const partner of load.partners) await partner.signIn()
    options.say(`Service in ${service.folder}, seed ${options.seed}`)
    const report = await loadKillAndCheck(options, service, {
      ...load,
      people: options.stage.hasPeople ? await signInPeople(service, baseUrl) : [],
    })
    isBroken = report.verdicts.some((verdict) => verdict.broken.length > 0)
    return report
  } finally {
    for (const partner of load.partners) await partner.close()
    await service.stop({ keepsFolder: options.keepsFolder || isBroken })
    await receiver.close()
  }
}

async function loadKillAndCheck(options: RunOptions, service: Sandbox, load: LoadOptions & { people: Couple[] }): Promise<RunReport> {
  const startedMs = performance.now()
  let isEnding = false
  const busy = Array.from({ length: options.connections }, (_, index) =>
    keepBusy({ ...load, random: createRandom(options.seed * 1_000 + index + 1) }, () => isEnding),
  )
  const files: SentFile[] = []
  for (const [index, people] of load.people.entries()) {
    const random = createRandom(options.seed * 1_000 + 900 + index)
    busy.push(workWithFiles({ random, ...people, ledger: load.ledger, files }, () => isEnding))
  }
  const ordeal = await options.stage.begin(service, load, startedMs)
  await ordeal.carryOut()
  const endsAtMs = performance.now() + RECOVERY_LIMIT_MS
  await startOneOfEach(load, () => performance.now() > endsAtMs)
  await delay(TAIL_MS)
  isEnding = true
  await Promise.all(busy)
  load.ledger.wrongFailures.push(...load.people.flatMap(({ maker, checker }) => [...maker.wrongFailures, ...checker.wrongFailures]))
  const settlingMs = performance.now()
  const pool = createPool({ databaseUrl: service.databaseUrl(), connectionsMax: 2, applicationName: 'crash run' })
  try {
    const batchIds = files.map((file) => file.batchId)
    const open = await settle(pool, batchIds, ordeal.serviceDiedAt)
    const settledMs = performance.now()
    // A server that was promoted a moment ago has not been analysed since it grew: the reads of all rows would take minutes.
    await pool.query('analyze')
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
      verdicts: [...(await ordeal.judge(pool)), ...verdicts],
      durationsMs: ordeal.durationsMs,
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
async function signInPeople(service: Sandbox, baseUrl: string): Promise<Couple[]> {
  const application = service.readSandbox().applications[0]
  if (!application) throw new Error('The sandbox has no application')
  const slug = application.name.toLowerCase().replaceAll(' ', '-')
  const peopleWith = (role: Role) =>
    application.people.filter(({ roles }) => roles.length === 1 && roles[0] === role).map((person) => Person.signIn(baseUrl, slug, person))
  const [makers, checkers] = await Promise.all([Promise.all(peopleWith('maker')), Promise.all(peopleWith('checker'))])
  return makers.flatMap((maker, index) => (checkers[index] ? [{ maker, checker: checkers[index] }] : []))
}

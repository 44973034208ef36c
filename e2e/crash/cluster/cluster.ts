import { chmod, chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createRandom } from '#lib/seeded-random.ts'
import { freePort } from '#server/database/embedded/embedded.ts'
import { unprivilegedUser } from '#server/database/embedded/embedded-places.ts'
import { simulatedOperators } from '#server/operators/simulator/simulated-operators.ts'
import { readSandboxSecrets } from '#server/process/sandbox-secrets.ts'
import { killAtOnce } from '#server/testing/service/processes.ts'
import { type Sandbox, startSandbox } from '#server/testing/service/start-sandbox.ts'
import { ROOT, type Service, startService } from '#server/testing/service/start-service.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { judge, type Verdict } from '../judge.ts'
import { type LoadOptions, tryOnce } from '../load.ts'
import { Durations, type Ordeal, RECOVERY_LIMIT_MS, type Stage } from '../ordeal.ts'
import { type DatabaseNode, type Databases, type Ground, makeFolder, startDatabases } from './databases.ts'
import { unpackPrograms } from './packages.ts'
import { startWays, type Ways } from './ways.ts'

type ClusterOptions = { seed: number; judgesDurations: boolean; keepsFolder: boolean; say(line: string): void }

/** Patroni replaces a machine that is lost within this time. */
const REPLACED_WITHIN_MS = 30_000
/** Between two parts that are taken away, and before the machine that was lost is back. */
const QUIET_MS = 3_000
const PROBES = 4
const PROBE_PAUSE_MS = 40
/** Read from a standby where one is. */
const READINGS = [
  'getByApplicationProduct?page=0&size=20',
  'getByApplicationProductAndStatus?transactionStatus=SUCCESS&page=0&size=20',
  'getTotalAmountByApplicationProduct',
  'getByApplicationProductBalances',
]
const WORKER = 'server/process/children/worker-process.ts'

type Scene = ClusterOptions & { databases: Databases; ways: Ways; webs: Service[]; workers: Service[]; startedMs: number }

/** The stage with everything that server/deploy describes, as processes of this machine. Throws NoPackages where its programs cannot be had. */
export async function openClusterStage(options: ClusterOptions): Promise<Stage> {
  const folder = await mkdtemp(path.join(tmpdir(), 'countersign-cluster-'))
  const programs = path.join(folder, 'programs')
  const environment = await unpackPrograms(programs).catch(async (error: unknown) => {
    await rm(folder, { recursive: true })
    throw error
  })
  const owner = process.getuid?.() === 0 ? await unprivilegedUser() : undefined
  await chmod(folder, 0o755)
  if (owner) await chown(folder, owner.uid, owner.gid)
  const ground: Ground = { folder, programs, environment, owner }
  options.say(`Three members of etcd, three PostgreSQL under Patroni, HAProxy, PgBouncer, two web processes and two workers in ${folder}`)
  const databases = await startDatabases(ground)
  const webPorts = [await freePort(), await freePort()]
  const ways = await startWays(ground, databases, webPorts)
  const services: Service[] = []
  let scene: Pick<Scene, 'webs' | 'workers'> | undefined
  return {
    hasPeople: true,
    async start(settings) {
      const started = await startServices(ground, ways, webPorts, settings)
      services.push(...started.webs, ...started.workers.slice(1))
      scene = started
      return { service: started.first, baseUrl: ways.publicUrl }
    },
    async begin(_service, load, startedMs) {
      if (!scene) throw new Error('begin follows start')
      return new Losses({ ...options, ...scene, databases, ways, startedMs }, load)
    },
    async close() {
      await Promise.all(services.map((service) => service.stop()))
      for (const program of [ways.haproxy, ways.pgbouncer, ...databases.etcd, ...databases.nodes.map((node) => node.program)])
        program.kill()
      if (!options.keepsFolder) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** A web process and a worker on each of two machines: those of the first reach the primary through PgBouncer, those of the second without. */
async function startServices(ground: Ground, ways: Ways, webPorts: readonly number[], settings: Readonly<Record<string, string>>) {
  const simulatorPort = await freePort()
  const shared = {
    ...settings,
    PUBLIC_URL: ways.publicUrl,
    TRUSTED_PROXIES: '127.0.0.1',
    DATABASE_REPLICA_URL: ways.replicaUrl,
    SIMULATOR_PORT: String(simulatorPort),
    LOG_LEVEL: 'warn',
  }
  const pooled = { DATABASE_URL: ways.pooledUrl, PREPARED_STATEMENTS: '0', POOL_SIZE: '8' }
  const direct = { DATABASE_URL: ways.primaryUrl, POOL_SIZE: '8' }
  const [firstPort, secondPort] = [await freePort(), await freePort()]
  // The first worker also runs the simulated operators, which are not part of the cluster: it is not taken away.
  const first = await startSandbox({
    port: firstPort,
    environment: { ...shared, ...pooled, ROLE: 'worker', MONITORING_PORT: String(firstPort) },
  })
  const secrets = readSandboxSecrets(first.folder)
  if (!secrets) throw new Error('The sandbox has stored no secrets')
  const common = { ...shared, ...secrets, NODE_ENV: 'production', SANDBOX: '1' }
  const operators = simulatedOperators(`http://127.0.0.1:${simulatorPort}`, secrets.TOKEN_SECRET)
  const second = await startService({
    program: [path.join(ROOT, WORKER)],
    port: secondPort,
    environment: {
      ...common,
      ...direct,
      ROLE: 'worker',
      MONITORING_PORT: String(secondPort),
      OPERATORS: JSON.stringify(operators),
      DATA_DIR: await makeFolder({ ...ground, owner: undefined }, 'worker-2'),
    },
  })
  const webs: Service[] = []
  for (const [index, port] of webPorts.entries()) {
    const data = await makeFolder({ ...ground, owner: undefined }, `web-${index + 1}`)
    webs.push(
      await startService({
        port,
        readiness: 'pages',
        // That of people and partners is HAProxy's.
        environment: { ...common, ...(index === 0 ? pooled : direct), ROLE: 'web', DATA_DIR: data, PUBLIC_URL: ways.publicUrl },
      }),
    )
  }
  for (const service of [second, ...webs]) service.keepRunning()
  await waitUntil(
    'HAProxy leads to a web process',
    async () => (await fetch(`${ways.publicUrl}/health/ready`).catch(() => undefined))?.status === 200,
  )
  return { first: first as Sandbox, webs, workers: [first, second] }
}

/** One loss as a partner saw it. */
type Seen = { part: string; pauseMs: number; accepted: number; failed: number; unanswered: number }

/** Takes each part of the cluster away in turn, under load, and measures what a partner sees. */
class Losses implements Ordeal {
  readonly durationsMs = new Durations()
  readonly serviceDiedAt = new Date(0)
  readonly #scene: Scene
  readonly #load: LoadOptions
  readonly #acceptedMs: number[] = []
  readonly #seen: Seen[] = []
  readonly #readings: string[] = []
  #isOver = false

  constructor(scene: Scene, load: LoadOptions) {
    this.#scene = scene
    this.#load = load
  }

  async carryOut(): Promise<void> {
    const { databases, ways, webs, workers } = this.#scene
    const probes = Array.from({ length: PROBES }, (_, index) => this.#probe(index))
    const primary = async () => need(await databases.findPrimary(), 'primary')
    await this.#lose('nothing', async () => undefined)
    await this.#lose('web process killed', async () => void webs[0]?.kill())
    await this.#lose('worker killed', async () => void workers[1]?.kill())
    await this.#lose('member of etcd killed', async () => databases.etcd[0]?.crash())
    await this.#lose('PgBouncer killed', async () => ways.pgbouncer.crash())
    await this.#lose('HAProxy killed', async () => ways.haproxy.crash())
    await this.#lose('machine of the synchronous standby killed', async () => {
      await this.#loseMachine(need(await databases.findSynchronous(), 'synchronous standby'))
    })
    await this.#lose('PostgreSQL of the primary killed', async () => {
      const pid = databases.postmasterOf(await primary())
      if (pid !== undefined) killAtOnce(pid)
    })
    await this.#lose('machine of the primary killed', async () => this.#loseMachine(await primary()))
    await this.#lose('machine of the primary frozen', async () => {
      const lost = await primary()
      lost.program.freeze()
      await this.#untilReplaced(lost)
      lost.program.thaw()
    })
    this.#isOver = true
    await Promise.all(probes)
    this.#print()
  }

  judge(): Verdict[] {
    const limitMs = this.#scene.judgesDurations ? REPLACED_WITHIN_MS : Number.POSITIVE_INFINITY
    return [
      judge('a partner is accepted again within 30 s of any loss', this.#seen, ({ part, pauseMs }) =>
        pauseMs <= limitMs ? undefined : `${part}: ${Math.round(pauseMs)} ms`,
      ),
      judge('lists, totals and balances are answered once everything is whole again', this.#readings, (reading) =>
        reading.startsWith('200 ') ? undefined : reading,
      ),
      judge('payments are accepted after each loss', this.#seen, ({ part, accepted }) => (accepted > 0 ? undefined : part)),
    ]
  }

  /** Takes a part away, waits until everything is whole again, and notes what partners saw meanwhile. */
  async #lose(part: string, work: () => Promise<unknown>): Promise<void> {
    const { say, startedMs, databases, webs, workers } = this.#scene
    const { ledger } = this.#load
    const before = { lost: ledger.lost, unanswered: ledger.unanswered, acceptedMs: this.#acceptedMs.length }
    const beganMs = performance.now()
    await work()
    await this.#untilAccepted(beganMs)
    await databases.untilWhole()
    for (const service of [...webs, ...workers]) await service.untilReady()
    await delay(QUIET_MS)
    await this.#readLists(part)
    const accepted = this.#acceptedMs.slice(before.acceptedMs)
    const unanswered = ledger.unanswered - before.unanswered
    const seen = {
      part,
      accepted: accepted.length,
      failed: ledger.lost - before.lost - unanswered,
      unanswered,
      pauseMs: longestPause(beganMs, accepted),
    }
    this.#seen.push(seen)
    this.durationsMs.add(`${part}: longest pause`, seen.pauseMs)
    say(
      `      at ${((beganMs - startedMs) / 1_000).toFixed(3).padStart(8)} s  ${part}: accepted again after ${Math.round(seen.pauseMs)} ms`,
    )
  }

  async #readLists(part: string): Promise<void> {
    for (const partner of this.#load.partners)
      for (const reading of READINGS)
        this.#readings.push(`${(await partner.get(reading))?.status ?? 'nothing'} to ${reading} after: ${part}`)
  }

  /** A machine is away until another one has its place, and then comes back. */
  async #loseMachine(lost: DatabaseNode): Promise<void> {
    const wasPrimary = (await this.#scene.databases.findPrimary()) === lost
    lost.program.kill()
    if (wasPrimary) await this.#untilReplaced(lost)
    else await this.#untilAccepted(performance.now())
    lost.program.start()
  }

  async #untilReplaced(lost: DatabaseNode): Promise<void> {
    const { databases } = this.#scene
    await waitUntil(
      'another machine is the primary',
      async () => {
        const found = await databases.findPrimary()
        return found !== undefined && found !== lost
      },
      { limitMs: RECOVERY_LIMIT_MS, pauseMs: 100 },
    )
  }

  /** A request that was sent after this moment was accepted. */
  async #untilAccepted(sinceMs: number): Promise<void> {
    await waitUntil('a request is accepted', () => (this.#acceptedMs.at(-1) ?? 0) > sinceMs + PROBE_PAUSE_MS, {
      limitMs: RECOVERY_LIMIT_MS,
    })
  }

  async #probe(number: number): Promise<void> {
    const load = { ...this.#load, random: createRandom(this.#scene.seed * 1_000 + 500 + number) }
    while (!this.#isOver) {
      if (await tryOnce(load)) this.#acceptedMs.push(performance.now())
      await delay(PROBE_PAUSE_MS)
    }
  }

  #print(): void {
    const { say } = this.#scene
    say('')
    say(`${'what was taken away'.padEnd(44)}  accepted again    accepted  503 or 502  no answer`)
    for (const { part, pauseMs, accepted, failed, unanswered } of this.#seen)
      say(
        `${part.padEnd(44)}  ${`${(pauseMs / 1_000).toFixed(1)} s`.padStart(14)}  ${String(accepted).padStart(10)}  ${String(failed).padStart(10)}  ${String(unanswered).padStart(9)}`,
      )
  }
}

/** The longest time between two acceptances, the first of which may be before the loss. */
function longestPause(sinceMs: number, acceptedMs: readonly number[]): number {
  return acceptedMs.reduce(({ longest, last }, at) => ({ longest: Math.max(longest, at - last), last: at }), { longest: 0, last: sinceMs })
    .longest
}

function need<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new Error(`The cluster has no ${what}`)
  return value
}

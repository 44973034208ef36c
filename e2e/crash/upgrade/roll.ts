import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort, startEmbeddedPostgres } from '#server/database/embedded/embedded.ts'
import { readSandboxSecrets } from '#server/process/sandbox-secrets.ts'
import { type Sandbox, startSandbox } from '#server/testing/service/start-sandbox.ts'
import { type Service, startService } from '#server/testing/service/start-service.ts'
import { judge, type Verdict } from '../judge.ts'
import { Durations, type Ordeal, type Stage } from '../ordeal.ts'
import { type Balancer, startBalancer } from './balancer.ts'
import { makeNeighbours, type Neighbours } from './checkouts.ts'

type UpgradeOptions = { commit: string | undefined; judgesDurations: boolean; say(line: string): void }

const LONGEST_ANSWER_MS = 2_000
/** The simulated operators are away while the worker is replaced, which starts them. */
const WAITS_FOR_OPERATOR = '/chekTransactionStatus'
/** Both releases take requests for this long before the next process is replaced. */
const TOGETHER_MS = 2_000
/** Everything that was applied to the database, as one text. */
const SCHEMA = `select coalesce(string_agg(name || digest, ' ' order by name), '') as state from (
  select name, digest from schema_migrations union all select file, digest from schema_functions) applied`

type Scene = UpgradeOptions & { neighbours: Neighbours; balancer: Balancer; webs: Service[]; worker: Sandbox; startedMs: number }

/** The stage with two web processes behind a balancer and a worker, all of which are replaced one after the other. */
export async function openUpgradeStage(options: UpgradeOptions): Promise<Stage> {
  const neighbours = await makeNeighbours(options.commit, options.say)
  options.say(`Upgrade and way back: ${neighbours.description}`)
  const folder = await mkdtemp(path.join(tmpdir(), 'countersign-upgrade-'))
  await chmod(folder, 0o755)
  const postgres = await startEmbeddedPostgres({ dataDirectory: path.join(folder, 'postgres') })
  const balancer = await startBalancer()
  const webs: Service[] = []
  return {
    hasPeople: neighbours.haveSamePages,
    async start(environment) {
      const port = await freePort()
      const shared = {
        ...environment,
        DATABASE_URL: postgres.url,
        PUBLIC_URL: balancer.baseUrl,
        SIMULATOR_PORT: String(await freePort()),
      }
      const worker = await startSandbox({
        port,
        root: neighbours.older,
        environment: { ...shared, ROLE: 'worker', MONITORING_PORT: String(port) },
      })
      const secrets = { ...readSandboxSecrets(worker.folder) }
      for (const name of ['web-1', 'web-2']) {
        const settings = { NODE_ENV: 'production', SANDBOX: '1', ROLE: 'web', LOG_LEVEL: 'warn', DATA_DIR: path.join(folder, name) }
        webs.push(await startService({ root: neighbours.older, readiness: 'pages', environment: { ...settings, ...secrets, ...shared } }))
      }
      balancer.setTargets(webs.map((web) => web.baseUrl))
      return { service: worker, baseUrl: balancer.baseUrl }
    },
    begin: async (worker, _load, startedMs) => new Upgrade({ ...options, neighbours, balancer, webs, worker, startedMs }),
    async close() {
      await Promise.all(webs.map((web) => web.stop()))
      await balancer.close()
      await postgres.stop()
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
      await neighbours.remove()
    },
  }
}

/** Replaces the processes of the older release by those of the newer, and these by the older again. */
class Upgrade implements Ordeal {
  readonly durationsMs = new Durations()
  readonly serviceDiedAt = new Date(0)
  readonly #scene: Scene
  /** The migrations applied to the database after each replacement, from the first process of the newer release on. */
  readonly #schemas: string[] = []

  constructor(scene: Scene) {
    this.#scene = scene
  }

  async carryOut(): Promise<void> {
    const { neighbours } = this.#scene
    const before = await this.#readSchema()
    await this.#replaceAll('newer', neighbours.newer)
    // A release may leave the schema as it is; the made-up one never does.
    if (neighbours.haveSamePages && this.#schemas[0] === before) throw new Error('The made-up release has changed nothing in the database')
    await this.#replaceAll('older', neighbours.older)
  }

  judge(): Verdict[] {
    const { balancer, judgesDurations, startedMs } = this.#scene
    const { answers } = balancer
    const timed = answers.filter(({ path: where }) => !where.endsWith(WAITS_FOR_OPERATOR))
    for (const { durationMs } of timed) this.durationsMs.add('answer of the API', durationMs)
    return [
      judge('no request is refused or fails while processes are replaced', answers, ({ path: where, status }) =>
        status >= 502 ? `${status} of ${where}` : undefined,
      ),
      judge('the longest answer takes 2 s, except where an operator is asked', timed, ({ path: where, durationMs, endedMs }) =>
        durationMs > LONGEST_ANSWER_MS && judgesDurations
          ? `${where} took ${Math.round(durationMs)} ms until ${((endedMs - startedMs) / 1_000).toFixed(1)} s`
          : undefined,
      ),
      judge('what the newer release applied stays, also when processes of the older one start', this.#schemas, (schema) =>
        schema === this.#schemas[0] ? undefined : 'migrations or functions have changed again',
      ),
    ]
  }

  async #replaceAll(which: string, root: string): Promise<void> {
    const { webs, worker, balancer, say, startedMs } = this.#scene
    for (const [index, web] of webs.entries()) {
      await balancer.drain(web.baseUrl)
      await web.replace(root)
      balancer.setTargets(webs.map((one) => one.baseUrl))
      await this.#note(`web process ${index + 1}`, which, say, startedMs)
    }
    await worker.replace(root)
    await this.#note('worker', which, say, startedMs)
  }

  async #note(what: string, which: string, say: (line: string) => void, startedMs: number): Promise<void> {
    this.#schemas.push(await this.#readSchema())
    say(`      at ${((performance.now() - startedMs) / 1_000).toFixed(3).padStart(8)} s  ${what} is of the ${which} release`)
    await delay(TOGETHER_MS)
  }

  #readSchema(): Promise<string> {
    return this.#scene.worker.withDatabase(async (pool) => (await pool.query<{ state: string }>(SCHEMA)).rows[0]?.state ?? '')
  }
}

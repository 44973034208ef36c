import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { type EmbeddedPostgres, freePort, startEmbeddedPostgres } from '#server/database/embedded/embedded.ts'
import { addFiles, copyPostgres } from '#server/testing/copy-postgres.ts'
import { killAtOnce, listProcesses } from '#server/testing/service/processes.ts'
import { waitUntil } from '#server/testing/wait-until.ts'

/** More than what is written while a server is copied. */
const SETTINGS = { wal_keep_size: '1GB', shared_buffers: '128MB' }
const LIMIT = { limitMs: 240_000, pauseMs: 20 }

/** One of the two servers. Its port stays the same when it is rebuilt. */
export type PairNode = { name: string; port: number; dataDirectory: string; server: EmbeddedPostgres }

/**
 * Two of the embedded PostgreSQL servers on one machine, of which one is the standby of the other: a commit is answered once both have
 * stored it. Nothing here decides when to promote; that is done by Patroni in an installation, and by the run in a test.
 */
export class Pair {
  primary: PairNode
  standby: PairNode
  readonly #folder: string

  private constructor(folder: string, primary: PairNode, standby: PairNode) {
    this.#folder = folder
    this.primary = primary
    this.standby = standby
    process.once('exit', () => {
      for (const node of [this.primary, this.standby]) this.kill(node)
    })
  }

  static async start(): Promise<Pair> {
    const folder = await mkdtemp(path.join(tmpdir(), 'countersign-pair-'))
    // As root PostgreSQL runs as another user, who must be able to enter.
    await chmod(folder, 0o755)
    const first = { name: 'node-1', port: await freePort(), dataDirectory: path.join(folder, 'node-1') }
    const second = { name: 'node-2', port: await freePort(), dataDirectory: path.join(folder, 'node-2') }
    const primary = { ...first, server: await startNode(first) }
    await copyServer(primary, second)
    const pair = new Pair(folder, primary, { ...second, server: await startNode(second) })
    await pair.#requireStandby()
    return pair
  }

  /** Kills all processes of a server at once, as the loss of its machine does. */
  kill(node: PairNode): void {
    for (const pid of pidsOf(node)) killAtOnce(pid)
  }

  /** Stops all processes of a server, whose connections then stay open and silent. */
  freeze(node: PairNode): void {
    for (const pid of pidsOf(node)) process.kill(pid, 'SIGSTOP')
  }

  thaw(node: PairNode): void {
    for (const pid of pidsOf(node)) process.kill(pid, 'SIGCONT')
  }

  /** Makes the standby the primary, alone until `rebuild`. The other server must be out of reach for the service. */
  async promote(): Promise<void> {
    ;[this.primary, this.standby] = [this.standby, this.primary]
    await query(this.primary, 'select pg_promote(wait => true)')
  }

  /** Starts the standby that was killed, with the data that it has. */
  async restartStandby(): Promise<void> {
    await this.standby.server.ended
    this.standby.server = await startNode(this.standby)
    await this.#requireStandby()
  }

  /** Replaces the old primary by a copy of the present one. Its data may contain commits that nobody was told about. */
  async rebuild(): Promise<void> {
    this.kill(this.standby)
    await this.standby.server.ended
    await rm(this.standby.dataDirectory, { recursive: true })
    await copyServer(this.primary, this.standby)
    this.standby.server = await startNode(this.standby)
    await this.#requireStandby()
  }

  /** Stops both servers and removes their data, unless it is to be looked at. */
  async stop({ keepsFolder = false } = {}): Promise<void> {
    for (const node of [this.primary, this.standby]) {
      this.kill(node)
      await node.server.ended
    }
    if (!keepsFolder) await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 })
  }

  /** From now on no commit is answered before the standby has stored it. */
  async #requireStandby(): Promise<void> {
    await query(this.primary, "alter system set synchronous_standby_names = '*'")
    await query(this.primary, 'select pg_reload_conf()')
    await waitUntil(
      'the standby has caught up',
      async () => (await query(this.primary, "select 1 from pg_stat_replication where sync_state = 'sync'")).length === 1,
      LIMIT,
    )
  }
}

/** Runs one statement on a server, on a connection of its own. */
async function query(node: PairNode, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: node.server.url, application_name: 'failover run' })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

/** The server's first process, and those that it started. */
function pidsOf(node: PairNode): number[] {
  const { pid } = node.server
  const children = listProcesses().filter(({ parent }) => parent === pid)
  return [pid, ...children.map((child) => child.pid)]
}

function startNode({ dataDirectory, port }: Omit<PairNode, 'server'>): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({ dataDirectory, port, settings: SETTINGS })
}

/** Copies a running server to the place of another, which then follows it. */
async function copyServer(from: PairNode, to: Omit<PairNode, 'server'>): Promise<void> {
  const { hostname, port, username, password } = new URL(from.server.url)
  const source = `host=${hostname} port=${port} user=${username} password=${password} application_name=${to.name}`
  await copyPostgres(from.server, to.dataDirectory)
  await addFiles(to.dataDirectory, { 'postgresql.auto.conf': `primary_conninfo = '${source}'\n`, 'standby.signal': '' })
}

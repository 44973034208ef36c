import { retryWithBackoff } from '#server/retry.ts'
import { type EmbeddedOptions, type EmbeddedPostgres, startEmbeddedPostgres } from './embedded.ts'

type SupervisedPostgres = {
  url: string
  dataDirectory: string
  /** The present server's process id; changes with each restart. */
  pid(): number
  stop(): Promise<void>
  /** Ends the server immediately; it recovers from its log at the next start. */
  kill(): void
}

type SupervisionEvents = {
  onRestart(): void
  /** The server could not be started again; the process cannot go on. */
  onLost(error: unknown): void
}

/** The children of a killed server hold its shared memory for a moment. */
const RESTART = { attemptsMax: 20, backoff: { firstMs: 100, maxMs: 500 } }

/**
 * Starts the embedded PostgreSQL, and restarts it on the same port if it ends unexpectedly. Open pools then reconnect
 * automatically.
 */
export async function superviseEmbeddedPostgres(options: EmbeddedOptions, events: SupervisionEvents): Promise<SupervisedPostgres> {
  let server = await startEmbeddedPostgres(options)
  let isStopping = false
  let restarting: Promise<void> = Promise.resolve()

  const watch = (watched: EmbeddedPostgres) => {
    void watched.ended.then(() => {
      if (!isStopping) restarting = restart().catch((error: unknown) => (isStopping ? undefined : events.onLost(error)))
    })
  }
  async function restart(): Promise<void> {
    const started = await retryWithBackoff(
      async () => (isStopping ? undefined : await startEmbeddedPostgres({ ...options, port: server.port })),
      RESTART,
    )
    if (!started) return
    server = started
    watch(server)
    events.onRestart()
  }

  watch(server)
  return {
    url: server.url,
    dataDirectory: server.dataDirectory,
    pid: () => server.pid,
    async stop() {
      isStopping = true
      await restarting
      await server.stop()
    },
    kill() {
      isStopping = true
      if (server.pid) killQuietly(server.pid)
    },
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGQUIT')
  } catch {
    // Ignored: it has already ended.
  }
}

import type { Context } from '#e2e/bench/context.ts'
import type { BenchDatabase } from './environment.ts'
import type { ServerProcess } from './server-process.ts'
import { type Simulators, settingsOf } from './simulators.ts'

/** One process for everything, or a number of web and worker processes. */
export type Layout = { role: 'all' } | { role: 'split'; webs: number; workers: number }

export type FlowService = { port: number; pids: number[]; stop(): Promise<void> }

type FlowPlace = { context: Context; database: BenchDatabase; simulators: Simulators }

/** Starts the service connected to the simulators, in this arrangement. */
export async function startFlowService({ context, database, simulators }: FlowPlace, layout: Layout): Promise<FlowService> {
  const operators = settingsOf(simulators)
  const start = (role: 'web' | 'worker' | 'all', environment: Record<string, string>, workers = 1) =>
    context.environment.startServer({
      databaseUrl: database.url,
      role,
      workers,
      environment: { ...operators, ...environment },
    })
  const servers: ServerProcess[] = []
  if (layout.role === 'all') servers.push(await start('all', {}))
  else {
    const web = await start('web', { WEB_CONCURRENCY: String(layout.webs) })
    servers.push(web)
    // Operators send their callbacks to the web processes.
    const publicUrl = `http://127.0.0.1:${web.port}`
    servers.push(await start('worker', { PUBLIC_URL: publicUrl }, layout.workers))
  }
  return {
    port: servers[0]?.port ?? 0,
    pids: servers.map(({ pid }) => pid),
    async stop() {
      for (const server of servers) await server.stop()
    },
  }
}

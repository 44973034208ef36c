import path from 'node:path'
import { z } from 'zod'
import { type Config, processEnvironment, randomSecret } from '#server/config.ts'
import { freePort } from '#server/database/embedded/embedded.ts'
import type { Logger } from '#server/logger.ts'
import type { OperatorSettings } from '#server/operators/settings/operator-settings.ts'
import { simulatedOperators } from '#server/operators/simulator/simulated-operators.ts'
import { type SupervisedChild, superviseChild } from '../children/supervise-child.ts'

type Simulator = { operators: OperatorSettings[]; url: string; secret: string; stop(): Promise<void> }

const placeSchema = z.object({ url: z.url() })

/** The folder of the simulator's books, apart from ours. */
export function simulatorFolder(config: Config): string {
  return path.join(config.dataDirectory, 'simulator')
}

/**
 * Starts the stand-in of all thirteen operators as a child process on loopback; it is started again, on the same port and
 * with its books, when it dies. With split roles only the worker starts one: the others reach it on SIMULATOR_PORT.
 */
export async function startSimulator(config: Config, logger: Logger): Promise<Simulator> {
  // Calls are authorised and callbacks signed with it; derived, so that every process of the sandbox knows it.
  const secret = config.role === 'all' ? randomSecret() : config.tokenSecret
  const port = config.simulator.port ?? (config.role === 'all' ? await freePort() : SPLIT_ROLES_PORT)
  const url = `http://127.0.0.1:${port}`
  let child: SupervisedChild | undefined
  if (config.role !== 'web') {
    child = await superviseChild({
      name: 'simulator',
      entry: new URL('../../operators/simulator/main.ts', import.meta.url),
      arguments: () => [
        ...['--port', String(port), '--folder', simulatorFolder(config), '--delay-ms', String(config.simulator.delayMs)],
        ...['--webhook-base-url', config.publicUrl],
      ],
      // Nothing else of ours: it needs neither the database nor any key.
      environment: () => ({ ...toolEnvironment(), SIMULATOR_SECRET: secret, NODE_ENV: 'production' }),
      logger,
      stopLimitMs: 3_000,
    })
    placeSchema.parse(child.firstMessage)
  }
  return {
    operators: simulatedOperators(url, secret),
    url,
    secret,
    stop: async () => child?.stop(),
  }
}

function toolEnvironment(): Record<string, string | undefined> {
  return { PATH: processEnvironment().PATH }
}

const SPLIT_ROLES_PORT = 3_010

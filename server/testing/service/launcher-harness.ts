import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort } from '#server/database/embedded/embedded.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { pidsOf } from './processes.ts'
import { copySeededData } from './seeded-data.ts'
import { launchService, PATIENTLY, ROOT, type Service } from './start-service.ts'

const SERVER = `${ROOT}server/`
/** The program that `npm start` runs once everything is installed and built. */
const LAUNCHER = `
  import { spawnSync } from 'node:child_process'
  import { keepRunning } from '${SERVER}process/children/keep-running.mjs'
  const service = keepRunning({
    program: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', '${SERVER}main.ts'],
    environment: process.env,
    sweep: () => spawnSync(process.execPath, ['${SERVER}process/children/end-leftover.ts'], { stdio: 'ignore' }),
    windowMs: Number(process.env.TEST_WINDOW_MS),
  })
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => service.end(signal))`

export type LauncherHarness = {
  folder: string
  port: number
  launch(environment?: Record<string, string>): Promise<Service>
  /** The service's own process, once one runs that is not in `known`. */
  serviceOf(launcher: Service, known?: readonly number[]): Promise<number>
  /** Ends everything that was launched; rejects if a process is left. */
  stopAll(): Promise<void>
  close(): Promise<void>
}

/** Starts launchers on one port and one data folder that has its seeds. */
export async function openLauncherHarness(): Promise<LauncherHarness> {
  const folder = await mkdtemp(path.join(tmpdir(), 'countersign-launcher-'))
  await chmod(folder, 0o755)
  await copySeededData(path.join(folder, 'data'))
  const port = await freePort()
  const launched: Service[] = []
  return {
    folder,
    port,
    async launch(environment = {}) {
      const launcher = await launchService({
        port,
        program: ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', LAUNCHER],
        environment: {
          NODE_ENV: 'development',
          DATA_DIR: path.join(folder, 'data'),
          LOG_LEVEL: 'fatal',
          // Longer than the minute of the policy, because starts are slow on a busy machine.
          TEST_WINDOW_MS: '600000',
          ...environment,
        },
      })
      launched.push(launcher)
      return launcher
    },
    serviceOf: (launcher, known = []) =>
      waitUntil('the service runs', () => pidsOf('main.ts', launcher.pid).find((pid) => !known.includes(pid)), PATIENTLY),
    async stopAll() {
      await Promise.all(launched.splice(0).map((launcher) => launcher.stop()))
      await waitUntil('no process is left', () => pidsOf(folder).length === 0, PATIENTLY)
    },
    close: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  }
}

import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buildPages } from '#e2e/processes/build-pages.ts'
import { answersReady, startProcess } from '#e2e/processes/start-process.ts'
import { SANDBOX_FOLDER_VARIABLE, SANDBOX_URL_VARIABLE } from './sandbox.ts'

/**
 * Builds the pages if they changed and starts a sandbox in a temporary folder; the specs find it through two variables. Uses `SANDBOX_URL`
 * if set.
 */
export default async function startSandbox(): Promise<() => Promise<void>> {
  if (process.env[SANDBOX_URL_VARIABLE]) return async () => undefined
  await buildPages()
  const folder = await mkdtemp(path.join(tmpdir(), 'countersign-web-'))
  // As root PostgreSQL runs as another user, who must be able to enter.
  await chmod(folder, 0o755)
  // The key that the sandbox makes for itself: the specs read it there, whichever sandbox they run against.
  const environment = { DATA_DIR: folder, SANDBOX: '1', NODE_ENV: 'production', SIMULATOR_DELAY_MS: '300', SECRETS_KEY: '' }
  const service = await startProcess(environment, servesPages)
  process.env[SANDBOX_URL_VARIABLE] = service.baseUrl
  process.env[SANDBOX_FOLDER_VARIABLE] = folder
  return async () => {
    await service.end()
    await rm(folder, { recursive: true, force: true })
  }
}

async function servesPages(baseUrl: string): Promise<boolean> {
  if (!(await answersReady(baseUrl))) return false
  return fetch(`${baseUrl}/sign-in`).then(
    (response) => response.status === 200,
    () => false,
  )
}

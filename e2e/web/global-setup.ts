import { buildPages } from '#server/testing/service/build-pages.ts'
import { startSandbox } from '#server/testing/service/start-sandbox.ts'
import { PRODUCTION } from '#server/testing/service/start-service.ts'
import { SANDBOX_FOLDER_VARIABLE, SANDBOX_URL_VARIABLE } from './sandbox.ts'

/** Builds the pages if they changed and starts a sandbox; the specs find it through two variables. Uses `SANDBOX_URL` if set. */
export default async function globalSetup(): Promise<() => Promise<unknown>> {
  if (process.env[SANDBOX_URL_VARIABLE]) return async () => undefined
  await buildPages()
  // The specs start further processes that accept its sessions. The key of stored secrets is the one that the sandbox makes.
  const { TOKEN_SECRET, SESSION_SECRET } = PRODUCTION
  const sandbox = await startSandbox({ environment: { TOKEN_SECRET, SESSION_SECRET, SIMULATOR_DELAY_MS: '300' }, readiness: 'pages' })
  process.env[SANDBOX_URL_VARIABLE] = sandbox.baseUrl
  process.env[SANDBOX_FOLDER_VARIABLE] = sandbox.folder
  return () => sandbox.stop()
}

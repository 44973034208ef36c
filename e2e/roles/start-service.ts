import { type ServiceProcess, startProcess } from '#e2e/processes/start-process.ts'
import type { TestDatabase } from '#server/testing/database.ts'

/** Starts a production process that only serves: nothing is dispatched and no transaction moves. Resolves once it serves pages. */
export function startService(
  database: TestDatabase,
  environment: Record<string, string> = {},
  onOutput?: (text: string) => void,
): Promise<ServiceProcess> {
  return startProcess({ NODE_ENV: 'production', ROLE: 'web', DATABASE_URL: database.url, ...environment }, servesPages, onOutput)
}

async function servesPages(baseUrl: string): Promise<boolean> {
  return fetch(`${baseUrl}/sign-in`).then(
    (response) => response.status === 200,
    () => false,
  )
}

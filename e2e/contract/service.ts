import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Pool } from '#server/database/pool.ts'
import { createTestDatabase, TEST_SECRETS_KEY } from '#server/testing/database.ts'
import { createTestPartner, type TestPartner } from '#server/testing/partner.ts'
import { waitUntil } from '#server/testing/wait-until.ts'

export type Mount = 'direct' | 'next'

/** A running service: the real process on a database of its own, with two partners who may call from this machine. */
export type Service = {
  mount: Mount
  baseUrl: string
  /** The service's database, to arrange states that no partner can bring about and to look at what was written. */
  pool: Pool
  partner: Partner
  stranger: Partner
  stop(): Promise<void>
}

export type Partner = TestPartner & { accessToken: string; refreshToken: string; headers: Record<string, string> }

const START_LIMIT_MS = 60_000
const SIMULATOR_DELAY_MS = 50

/** Starts `server/main.ts` as a sandbox in a folder of its own, on a free port. */
export async function startService(mount: Mount): Promise<Service> {
  const database = await createTestDatabase({ mode: 'sandbox' })
  const folder = await mkdtemp(path.join(tmpdir(), 'countersign-contract-'))
  const port = await findFreePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'server/main.ts'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      NODE_ENV: 'production',
      SANDBOX: '1',
      SECRETS_KEY: TEST_SECRETS_KEY,
      LOG_LEVEL: 'error',
      HOST: '127.0.0.1',
      PORT: String(port),
      DATABASE_URL: database.url,
      DATA_DIR: folder,
      API_MOUNT: mount,
      SIMULATOR_DELAY_MS: String(SIMULATOR_DELAY_MS),
    },
  })
  const exited = once(child, 'exit')
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    const forced = setTimeout(() => child.kill('SIGKILL'), 20_000)
    await exited
    clearTimeout(forced)
    await database.drop()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const partner = await createTestPartner(database.pool, { name: 'Contract partner' })
    const stranger = await createTestPartner(database.pool, { name: 'Another partner' })
    await waitUntilReady(baseUrl, () => child.exitCode !== null)
    const [signedIn, other] = [await signIn(baseUrl, partner), await signIn(baseUrl, stranger)]
    for (const { headers, username } of [signedIn, other]) {
      await waitUntil(
        `${username} is admitted`,
        async () => (await fetch(`${baseUrl}/api/v1/transaction/getByApplicationProductBalances`, { headers })).status === 200,
      )
    }
    return { mount, baseUrl, pool: database.pool, partner: signedIn, stranger: other, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The tokens of a partner, through the endpoint that issues them. */
export async function signIn(baseUrl: string, partner: TestPartner): Promise<Partner> {
  const tokens = await waitUntil(`${partner.username} signs in`, async () => {
    const response = await fetch(`${baseUrl}/public/access_token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: partner.username, password: partner.password }),
    })
    return response.status === 200 && ((await response.json()) as { access_token: string; refresh_token: string })
  })
  const signedIn = { ...partner, accessToken: tokens.access_token, refreshToken: tokens.refresh_token }
  return { ...signedIn, headers: headersOf(signedIn) }
}

/** The headers that a partner's program sends with every call. */
export function headersOf(partner: { apiKey: string; apiId: string; accessToken: string }): Record<string, string> {
  return {
    apiKey: partner.apiKey,
    apiId: partner.apiId,
    Authorization: `Bearer ${partner.accessToken}`,
    'Content-Type': 'application/json',
  }
}

async function waitUntilReady(baseUrl: string, hasEnded: () => boolean): Promise<void> {
  const isReady = async () => {
    if (hasEnded()) throw new Error('The service ended while it started')
    return fetch(`${baseUrl}/health/ready`).then(
      (response) => response.status === 200,
      () => false,
    )
  }
  await waitUntil('the service is ready', isReady, { limitMs: START_LIMIT_MS, pauseMs: 50 })
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (typeof address !== 'object' || !address) throw new Error('No port')
  return address.port
}

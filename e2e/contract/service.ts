import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Pool } from '#server/database/pool.ts'
import { createTestDatabase } from '#server/testing/database.ts'
import { createTestPartner, type TestPartner } from '#server/testing/partner.ts'
import { PRODUCTION, type Service, type ServiceOptions, startService } from '#server/testing/service/start-service.ts'
import { waitUntil } from '#server/testing/wait-until.ts'

/** A running service on a database of its own, with two partners who may call from this machine. */
export type ContractService = {
  baseUrl: string
  /** The service's database, to arrange states that no partner can bring about and to look at what was written. */
  pool: Pool
  partner: Partner
  stranger: Partner
  stop(): Promise<void>
}

export type Partner = TestPartner & { accessToken: string; refreshToken: string; headers: Record<string, string> }

/** Starts the service as a sandbox with a simulator that answers quickly: `server/main.ts`, or another program that serves it. */
export async function startContractService({
  program,
  environment,
}: Pick<ServiceOptions, 'program' | 'environment'> = {}): Promise<ContractService> {
  const database = await createTestDatabase({ mode: 'sandbox' })
  const folder = await mkdtemp(path.join(tmpdir(), 'countersign-contract-'))
  let service: Service | undefined
  const stop = async (): Promise<void> => {
    await service?.stop()
    await database.drop()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const partner = await createTestPartner(database.pool, { name: 'Contract partner' })
    const stranger = await createTestPartner(database.pool, { name: 'Another partner' })
    service = await startService({
      ...(program && { program }),
      environment: {
        ...PRODUCTION,
        SANDBOX: '1',
        DATABASE_URL: database.url,
        DATA_DIR: folder,
        SIMULATOR_DELAY_MS: '50',
        ...environment,
      },
    })
    const { baseUrl } = service
    const [signedIn, other] = [await signIn(baseUrl, partner), await signIn(baseUrl, stranger)]
    for (const { headers, username } of [signedIn, other]) {
      await waitUntil(
        `${username} is admitted`,
        async () => (await fetch(`${baseUrl}/api/v1/transaction/getByApplicationProductBalances`, { headers })).status === 200,
      )
    }
    return { baseUrl, pool: database.pool, partner: signedIn, stranger: other, stop }
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

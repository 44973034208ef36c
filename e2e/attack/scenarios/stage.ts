import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { tokensOf } from '#e2e/attack/arsenal.ts'
import { leaveNothing } from '#e2e/attack/leave-nothing.ts'
import { startEmbeddedPostgres } from '#server/database/embedded/embedded.ts'
import { createPool, type Pool } from '#server/database/pool.ts'
import { PRODUCTION, ROOT, type Service, startService } from '#server/testing/service/start-service.ts'

const run = promisify(execFile)

/** A partner of a stage, with the headers that its program sends. */
export type StagePartner = { applicationId: string; headers: Record<string, string> }

/** A production service whose only operator is ours. */
export type Stage = {
  service: Service
  pool: Pool
  databaseUrl: string
  partners: readonly StagePartner[]
  operatorCalls(): number
  stop(): Promise<void>
}

type OperatorHandler = (
  call: { method: string; reference: string; body: unknown },
  response: ServerResponse,
  request: IncomingMessage,
) => void

const OPERATOR = 'MOMOCM'
const FUNDS = '1000000000'
const PUBLIC_URL = 'https://office.example'

/**
 * Starts a service as production starts it, on a PostgreSQL of its own, with one operator in service: an HTTP server that answers
 * as `handle` says. `partners` applications may call and have money.
 */
export async function openStage(partners: number, handle: OperatorHandler): Promise<Stage> {
  const folder = await mkdtemp(path.join(tmpdir(), 'countersign-attack-stage-'))
  await chmod(folder, 0o755)
  const postgres = await startEmbeddedPostgres({ dataDirectory: path.join(folder, 'postgres') })
  let calls = 0
  const operator = createServer((request, response) => {
    calls++
    response.on('error', () => undefined)
    void readBody(request).then((body) => {
      const reference =
        request.method === 'GET' ? (request.url?.split('/').at(-1) ?? '') : String((body as { reference?: string } | undefined)?.reference)
      handle({ method: request.method ?? '', reference, body }, response, request)
    })
  })
  operator.listen(0, '127.0.0.1')
  await once(operator, 'listening')
  const environment = {
    ...PRODUCTION,
    DATABASE_URL: postgres.url,
    DATA_DIR: folder,
    PUBLIC_URL,
    [`OPERATOR_${OPERATOR}_BASE_URL`]: `http://127.0.0.1:${(operator.address() as AddressInfo).port}`,
    [`OPERATOR_${OPERATOR}_SECRET`]: 'shared with the operator of the stage',
  }
  const pool = createPool({ databaseUrl: postgres.url, connectionsMax: 2, applicationName: 'attack stage' })
  let service: Service | undefined
  const stop = leaveNothing(async () => {
    await pool.end()
    operator.closeAllConnections()
    await service?.stop()
    operator.close()
    await postgres.stop()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  try {
    service = await startService({ environment, readiness: 'pages' })
    service.keepRunning()
    const { baseUrl } = service
    const equipped = await Promise.all(Array.from({ length: partners }, (_, index) => equip(environment, `Partner ${index + 1}`, baseUrl)))
    return { service, pool, databaseUrl: postgres.url, partners: equipped, operatorCalls: () => calls, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function equip(environment: Record<string, string>, name: string, baseUrl: string): Promise<StagePartner> {
  const username = `${name.toLowerCase().replace(' ', '-')}@example.com`
  const { applicationId, apiId } = await admin(environment, ['create-application', '--name', name])
  const application = ['--application', String(applicationId)]
  const { apiKey } = await admin(environment, ['create-key', ...application])
  const { password } = await admin(environment, ['create-api-user', ...application, '--username', username])
  await admin(environment, ['allow-address', ...application, '--address', '127.0.0.0/8'])
  await admin(environment, ['fund', ...application, '--operator', OPERATOR, '--amount', FUNDS])
  for (let attempt = 0; ; attempt++) {
    const signedIn = await tokensOf(baseUrl, { username, password: String(password) }).catch(() => undefined)
    const headers = { apiKey: String(apiKey), apiId: String(apiId), authorization: `Bearer ${signedIn?.accessToken}` }
    const answer = await fetch(`${baseUrl}/api/v1/transaction/getByApplicationProductBalances`, { headers })
    if (answer.status === 200) return { applicationId: String(applicationId), headers }
    if (attempt > 50) throw new Error(`${name} is not let in: ${answer.status} ${await answer.text()}`)
    await delay(200)
  }
}

/** `npm run admin`, as the administrator of the machine types it. */
async function admin(environment: Record<string, string>, args: readonly string[]): Promise<Record<string, unknown>> {
  const { stdout } = await run(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', path.join(ROOT, 'server/admin.ts'), ...args, '--json'],
    {
      cwd: ROOT,
      env: { ...process.env, ...environment, NODE_ENV: 'production' },
    },
  )
  return JSON.parse(stdout) as Record<string, unknown>
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    return undefined
  }
}

/** A deposit that goes to the operator of the stage. */
export function stageDeposit(externalId: string, phoneNumber: string, amount = 100): Record<string, unknown> {
  return {
    transferMethod: OPERATOR,
    customerName: 'Clarisse Mbarga',
    externalId,
    phoneNumber,
    amount,
    webhookUrl: 'http://127.0.0.1:9/none',
    countryName: 'CAMEROON',
  }
}

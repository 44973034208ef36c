import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { aCollect } from '#e2e/processes/requests.ts'
import { buildPages } from '#server/testing/service/build-pages.ts'
import { launchService, ROOT } from '#server/testing/service/start-service.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { type ContractService, startContractService } from './service.ts'

const program = (command: 'start' | 'dev') => [path.join(ROOT, 'node_modules/next/dist/bin/next'), command, '-H', '127.0.0.1']

/** The addresses of the files below `app/` that mount the API, as folders. */
const MOUNTED = globSync('app/**/route.ts', { cwd: ROOT })
  .filter((file) => readFileSync(path.join(ROOT, file), 'utf8').includes('mount-in-next.ts'))
  .map((file) => path.posix.dirname(file).slice('app'.length))

type Call = { method?: 'GET'; body?: unknown; status: number }

/** One call per mounted file; `id` is a transaction that exists. */
const callsOf = (id: string): Record<string, Call> => ({
  '/api/v1/transaction/collect': { body: aCollect(), status: 200 },
  '/api/v1/transaction/deposit': { body: aCollect({ amount: 0 }), status: 400 },
  '/api/v1/transaction/depositMultiple': { body: [], status: 400 },
  [`/api/v1/transaction/transaction-status?id=${id}`]: { status: 200 },
  [`/api/v1/transaction/chekTransactionStatus?transactionId=${id}`]: { status: 200 },
  [`/api/v1/transaction/validateTransaction?checkerId=${id}&transactionId=${id}&payeeNote=x`]: { status: 403 },
  [`/api/v1/transaction/rejectTransaction?checkerId=${id}&transactionId=${id}&reason=x`]: { status: 403 },
  '/api/v1/transaction/getByApplicationProduct?page=0&size=2': { method: 'GET', status: 200 },
  '/api/v1/transaction/getByApplicationProductAndPhoneReceiver?phoneNumber=237677209341&page=0&size=2': { method: 'GET', status: 200 },
  '/api/v1/transaction/getByApplicationProductAndStatus?transactionStatus=PENDING&page=0&size=2': { method: 'GET', status: 200 },
  '/api/v1/transaction/getByApplicationProductBalances': { method: 'GET', status: 200 },
  '/api/v1/transaction/getTotalAmountByApplicationProduct': { method: 'GET', status: 200 },
  '/api/v1/transaction/getTotalAmountByApplicationProductAndDateRange?startDate=2020-01-01&endDate=2020-01-02&status=SUCCESS': {
    method: 'GET',
    status: 200,
  },
  '/api/v1/openapi.json': { method: 'GET', status: 200 },
  '/api/v1/[[...path]]': { method: 'GET', status: 404 },
  '/api/v2/[[...path]]': { method: 'GET', status: 404 },
  '/public/access_token': { body: { username: 'nobody', password: 'a wrong password' }, status: 401 },
  '/public/refresh_token': { body: { refreshToken: 'none' }, status: 401 },
  '/public/[[...path]]': { method: 'GET', status: 404 },
  '/operators/callback/[operator]': { body: {}, status: 404 },
  '/pay/[[...path]]': { method: 'GET', status: 404 },
  '/health/[[...path]]': { method: 'GET', status: 404 },
  '/metrics': { method: 'GET', status: 200 },
})

describe('next start', () => {
  let service: ContractService
  let transactionId: string
  after(() => service.stop())

  test('SUCCESS for a collect: accepted, sent to its operator and settled in this one process', async () => {
    await buildPages()
    service = await startContractService({ program: program('start') })
    const accepted = await send(service, '/api/v1/transaction/collect', { body: aCollect() })
    assert.equal(accepted.status, 200)
    transactionId = String((accepted.body as { transactionId: string }).transactionId)
    await waitUntil('the result', async () => {
      const { body } = await send(service, `/api/v1/transaction/transaction-status?id=${transactionId}`, {})
      return (body as { status: string }).status === 'SUCCESS'
    })
  })

  test('the answer of its endpoint from every file that mounts the API', async () => {
    const calls = callsOf(transactionId)
    assert.deepEqual(
      Object.keys(calls)
        .map((address) => address.split('?', 1)[0])
        .sort(),
      MOUNTED.toSorted(),
    )
    const statuses = Object.fromEntries(
      await Promise.all(Object.entries(calls).map(async ([address, call]) => [address, (await send(service, address, call)).status])),
    )
    assert.deepEqual(statuses, Object.fromEntries(Object.entries(calls).map(([address, { status }]) => [address, status])))
  })

  test('403 for an address that is not on the allow list, even if the caller writes another into X-Forwarded-For', async () => {
    await service.pool.query('delete from ip_allow_entries where application_id = $1', [service.stranger.applicationId])
    await waitUntil('the address is refused', async () => {
      const headers = { ...service.stranger.headers, 'x-forwarded-for': '198.51.100.7' }
      const answer = await fetch(`${service.baseUrl}/api/v1/transaction/getByApplicationProductBalances`, { headers })
      return answer.status === 403
    })
    const headers = { ...service.partner.headers, 'x-forwarded-for': '198.51.100.7' }
    const admitted = await fetch(`${service.baseUrl}/api/v1/transaction/getByApplicationProductBalances`, { headers })
    assert.equal(admitted.status, 200)
  })
})

test('200 for a collect under next dev', async () => {
  const service = await startContractService({
    program: program('dev'),
    environment: { NODE_ENV: 'development', NEXT_TELEMETRY_DISABLED: '1' },
  })
  try {
    assert.equal((await send(service, '/api/v1/transaction/collect', { body: aCollect() })).status, 200)
  } finally {
    await service.stop()
  }
})

test('exit code 1 and one sentence from next start where a setting is missing', async () => {
  const service = await launchService({ program: program('start'), environment: { NODE_ENV: 'production' } })
  assert.equal(await service.ended, 1)
  assert.match(service.output(), /^DATABASE_URL is missing: production needs a PostgreSQL 18 or newer/m)
})

async function send({ baseUrl, partner }: ContractService, address: string, { method, body }: Omit<Call, 'status'>) {
  const response = await fetch(`${baseUrl}${address}`, {
    method: method ?? 'POST',
    headers: partner.headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text.startsWith('{') ? (JSON.parse(text) as unknown) : text }
}

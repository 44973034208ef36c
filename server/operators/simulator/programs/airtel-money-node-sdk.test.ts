import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Simulator, startSimulator } from '#server/operators/simulator/start-simulator.ts'
import { airtelAccountOf } from '../airtel/airtel-messages.ts'

const SECRET = 'a secret between two programs'
const PROGRAM = fileURLToPath(import.meta.resolve('airtel-money-node-sdk'))
const SCRIPT = `require(process.argv[1]).initiateAirtelPayment(500, process.argv[2], 'Order 4711').then(
  (answer) => console.log('\\n' + JSON.stringify(answer)), (error) => console.log('\\n' + JSON.stringify({ error: error.message })))`

let folder: string
let simulator: Simulator
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-programs-'))
  simulator = await startSimulator({ port: 0, folder, secret: SECRET, delayMs: 20 })
})
after(async () => {
  await simulator.close()
  await rm(folder, { recursive: true, force: true })
})

/** The program in a process of its own: it takes its settings from the environment, and prints as it goes. */
async function pay(msisdn: string): Promise<{ error?: string; data?: { transaction: Record<string, string> } }> {
  const { clientId, clientSecret } = airtelAccountOf(SECRET)
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', SCRIPT, PROGRAM, msisdn], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'test',
      AIRTEL_API_BASE_URL: `${simulator.url}/airtel`,
      CLIENT_ID: clientId,
      CLIENT_SECRET: clientSecret,
      GRANT_TYPE: 'client_credentials',
      COUNTRY: 'UG',
      CURRENCY: 'UGX',
      POOLING_TIMEOUT: '5000',
      DEFAULT_MAX_RETRIES: '8',
      DEFAULT_POLLING_INTERVAL_MS: '10',
    },
  })
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
}

test('TS for a payment that the program requests and follows', async () => {
  const transaction = (await pay('702123341')).data?.transaction
  assert.equal(transaction?.['status'], 'TS')
  assert.match(transaction?.['airtel_money_id'] ?? '', /^\d{12}$/)
})

test('a failure in the program for a payment that the customer refuses', async () => {
  assert.deepEqual(await pay('702123903'), { error: 'Polling for payment status exceeded max retries' })
})

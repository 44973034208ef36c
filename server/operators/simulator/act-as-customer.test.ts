import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { waitUntil } from '#server/testing/wait-until.ts'
import { type Simulator, startSimulator } from './start-simulator.ts'
import { waveAccountOf } from './wave/wave-messages.ts'

const SECRET = 'secret of the simulator'
const headers = { authorization: `Bearer ${waveAccountOf(SECRET, 'SNWAVE').apiKey}`, 'content-type': 'application/json' }

let folder: string
let simulator: Simulator
let nowMs = 0
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-customer-'))
  simulator = await startSimulator({ port: 0, folder, secret: SECRET, delayMs: 20, clock: { now: () => new Date(nowMs) } })
})
after(async () => {
  await simulator.close()
  await rm(folder, { recursive: true, force: true })
})

type Session = { id: string; wave_launch_url: string; payment_status: string }

async function openSession(): Promise<Session> {
  const address = 'https://shop.example/back'
  const body = JSON.stringify({
    amount: '5000',
    currency: 'XOF',
    restrict_payer_mobile: '+221772093341',
    success_url: address,
    error_url: address,
  })
  return (await (await fetch(`${simulator.url}/wave/v1/checkout/sessions`, { method: 'POST', headers, body })).json()) as Session
}

async function statusOf({ id }: Session): Promise<string> {
  return ((await (await fetch(`${simulator.url}/wave/v1/checkout/sessions/${id}`, { headers })).json()) as Session).payment_status
}

test('the simulated customer pays what nobody has opened, and leaves what a tester has opened to the tester', async () => {
  const [opened, left] = [await openSession(), await openSession()]
  assert.match(await (await fetch(opened.wave_launch_url)).text(), /<button>Pay<\/button>/)
  nowMs = 100
  await waitUntil('the simulated customer has paid', async () => (await statusOf(left)) === 'succeeded' || undefined)
  assert.equal(await statusOf(opened), 'processing')
  const paid = await fetch(opened.wave_launch_url, { method: 'POST', redirect: 'manual' })
  assert.deepEqual([paid.status, await statusOf(opened)], [303, 'succeeded'])
})

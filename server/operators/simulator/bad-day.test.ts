import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { request } from 'undici'
import { type Simulator, startSimulator } from './start-simulator.ts'

const SECRET = 'secret of the simulator'
const REFERENCE = '0f9a2b1e-3c4d-4e5f-8a6b-7c8d9e0f1a2b'

let folder: string
let simulator: Simulator
/** The random numbers for the next request: whether it is disturbed, how, and how late it is. */
let numbers: number[] = []
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-bad-day-'))
  simulator = await startSimulator({ port: 0, folder, secret: SECRET, badDayShare: 0.5, random: () => numbers.shift() ?? 1 })
})
after(async () => {
  await simulator.close()
  await rm(folder, { recursive: true, force: true })
})

async function submit(kind: number | undefined): Promise<number | 'lost'> {
  numbers = kind === undefined ? [0.5] : [0.4, kind / 5 + 0.01, 0]
  const body = {
    reference: REFERENCE,
    direction: 'DEPOSIT',
    amount: '5000',
    currency: 'XAF',
    phoneNumber: '237677209341',
    customerName: '',
    context: '',
  }
  return request(`${simulator.url}/v1/OMCM/transfers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${SECRET}` },
    body: JSON.stringify(body),
  }).then(
    ({ statusCode }) => statusCode,
    () => 'lost',
  )
}

async function timesTaken(): Promise<number> {
  const { entries } = (await (await request(`${simulator.url}/books`)).body.json()) as { entries: { submissions: number }[] }
  return entries[0]?.submissions ?? 0
}

test('503, 429 and a lost connection before anything happened, a lost one after it was carried out, a late answer, and none disturbed', async () => {
  assert.deepEqual([await submit(1), await submit(2), await submit(3)], [503, 429, 'lost'])
  assert.equal(await timesTaken(), 0)
  assert.deepEqual([await submit(4), await timesTaken()], ['lost', 1])
  assert.deepEqual([await submit(0), await timesTaken()], [200, 2])
  assert.deepEqual([await submit(undefined), await timesTaken()], [200, 3])
})

import { randomUUID } from 'node:crypto'
import { Agent } from 'undici'

const BODY = JSON.stringify({
  externalId: randomUUID(),
  transactionId: 'none',
  status: 'SUCCESS',
  amount: 5000,
  phoneNumber: '237670000000',
  transferMethod: 'MOMOCM',
  message: 'The transaction succeeded',
  timestamp: new Date().toISOString(),
})
const HEADERS = {
  'content-type': 'application/json',
  'webhook-id': randomUUID(),
  'webhook-timestamp': '1700000000',
  'webhook-signature': `v1,${Buffer.alloc(32, 7).toString('base64')}`,
}

type PostLoop = { ratePerSecond: number; cpuUs: number }

/** POSTs per second, and CPU for each, of a loop that does nothing else, with `inFlight` requests at a time, to the receivers in turn. */
export async function measurePostLoop(receivers: string[], inFlight: number, seconds: number): Promise<PostLoop> {
  const agent = new Agent({ connections: 4, pipelining: 1 })
  const endMs = performance.now() + seconds * 1_000
  const startedMs = performance.now()
  const cpuBefore = process.cpuUsage()
  let count = 0
  const lane = async (start: number) => {
    for (let turn = start; performance.now() < endMs; turn += inFlight) {
      const answer = await agent.request({
        origin: receivers[turn % receivers.length] ?? '',
        path: '/hook',
        method: 'POST',
        headers: HEADERS,
        body: BODY,
      })
      await answer.body.dump()
      count++
    }
  }
  await Promise.all(Array.from({ length: inFlight }, (_, index) => lane(index)))
  const ratePerSecond = count / ((performance.now() - startedMs) / 1_000)
  const cpu = process.cpuUsage(cpuBefore)
  await agent.close()
  return { ratePerSecond, cpuUs: (cpu.user + cpu.system) / count }
}

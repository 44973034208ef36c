import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { openCaller, percentile } from './caller.ts'
import type { Scenario } from './scenario.ts'

const HANGING = 400
const HEALTHY = 60
/** From the start of a transfer to its webhook: the simulator's tenth of a second, the settlement, the delivery. */
const WEBHOOK_WORST_MS = 8_000

/** A receiver that takes connections and never answers, with hundreds of webhooks, beside one that is well. */
export const hangingReceiver: Scenario = {
  name: 'hanging-receiver',
  async play({ arsenal, minutes }) {
    const arrivals = new Map<string, number>()
    const healthy = await listen(
      (body) => void arrivals.set((JSON.parse(body) as { externalId: string }).externalId, performance.now()),
      true,
    )
    const hanging = await listen(() => undefined, false)
    const caller = openCaller(arsenal.baseUrl, { connections: 16 })
    const { apiKey, apiId, accessToken } = arsenal.program
    const headers = { apiKey, apiId, authorization: `Bearer ${accessToken}` }
    const collect = (externalId: string, webhookUrl: string) =>
      caller.post('/api/v1/transaction/collect', { ...COLLECT, externalId, webhookUrl }, headers)
    const problems: string[] = []
    try {
      await Promise.all(Array.from({ length: HANGING }, () => collect(randomUUID(), hanging.url)))
      const started = new Map<string, number>()
      const pauseMs = Math.min(1_000, (minutes * 60_000) / HEALTHY)
      for (let number = 0; number < HEALTHY; number++) {
        const externalId = randomUUID()
        const { status } = await collect(externalId, healthy.url)
        if (status === 200) started.set(externalId, performance.now())
        else problems.push(`a collect was answered ${status}`)
        await delay(pauseMs)
      }
      const endsAtMs = performance.now() + WEBHOOK_WORST_MS
      while (performance.now() < endsAtMs && [...started.keys()].some((id) => !arrivals.has(id))) await delay(50)
      const missing = [...started.keys()].filter((id) => !arrivals.has(id))
      if (missing.length > 0)
        problems.push(
          `${missing.length} of ${started.size} webhooks of the receiver that is well did not arrive within ${WEBHOOK_WORST_MS} ms`,
        )
      const waits = [...started].flatMap(([id, at]) => (arrivals.has(id) ? [(arrivals.get(id) ?? 0) - at] : []))
      if (percentile(waits, 0.9) > WEBHOOK_WORST_MS / 2)
        problems.push(`a tenth of the webhooks took longer than ${Math.round(percentile(waits, 0.9))} ms`)
    } finally {
      await caller.close()
      for (const { server } of [healthy, hanging]) {
        server.close()
        server.closeAllConnections()
      }
    }
    return problems
  },
}

const COLLECT = {
  transferMethod: 'MOMOCM',
  customerName: 'Clarisse Mbarga',
  phoneNumber: '237677209341',
  amount: 100,
  countryName: 'CAMEROON',
}

async function listen(onBody: (body: string) => void, answers: boolean): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString('utf8')
    })
    request.on('end', () => {
      onBody(body)
      if (answers) response.writeHead(200).end()
    })
    request.on('error', () => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` }
}

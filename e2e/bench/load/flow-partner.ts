// A partner in a process of its own: sends requests at a pace, and receives the webhooks of all of 127.0.0.0/16 on one port.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createHistogram } from 'node:perf_hooks'
import { type Connection, openConnection } from './connection.ts'
import type { FlowMessage, FlowPlan, FlowResult } from './flow-plan.ts'
import { createRequests } from './requests.ts'

const TRANSACTION_ID = /"transactionId":"([0-9a-f-]{36})"/
const ACCEPTED = '"transactionStatus":"PENDING"'
const TICK_MS = 1

let onWebhook: (transactionId: string, body: string) => void = () => undefined

const server = createServer((incoming, outgoing) => {
  let body = ''
  incoming.setEncoding('latin1')
  incoming.on('data', (chunk: string) => {
    body += chunk
  })
  incoming.on('end', () => {
    outgoing.writeHead(200, ['Content-Length', '0'])
    outgoing.end()
    onWebhook(TRANSACTION_ID.exec(body)?.[1] ?? '', body)
  })
})
server.keepAliveTimeout = 30_000
server.listen({ port: 0, host: '0.0.0.0', backlog: 4_096 }, () => {
  // An http server that listens on a port has such an address.
  tell({ kind: 'listening', port: (server.address() as AddressInfo).port })
})
process.on('message', (plan: FlowPlan) => {
  play(plan).then(
    (result) => tell({ kind: 'ended', result }),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`)
      process.exit(1)
    },
  )
})
process.once('disconnect', () => process.exit())

function tell(message: FlowMessage): void {
  process.send?.(message)
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the loop that loads the service counts in local variables, which costs least
async function play(plan: FlowPlan): Promise<FlowResult> {
  const delays = createHistogram({ lowest: 1, highest: 600_000_000, figures: 3 })
  const nextRequest = createRequests(plan.templates)
  const acceptedAtMs = new Map<string, number>()
  const completedIds = new Set<string>()
  /** Webhooks whose response is still to be read: where this process was stopped for half a second, both wait in their sockets. */
  const early = new Map<string, string>()
  const idle: Connection[] = []
  let sent = 0
  let due = 0
  let accepted = 0
  let completed = 0
  let measured = 0
  let problems = 0
  let firstProblem: string | undefined
  let isSending = true
  let isMeasuring = false

  function note(problem: string): void {
    problems++
    firstProblem ??= problem.slice(0, 1_000)
  }

  function sendMore(): void {
    while (isSending && idle.length > 0 && sent - completed < plan.openMax && (plan.ratePerSecond === undefined || sent < due)) {
      sent++
      // The one that has been idle for longest: the service closes connections that are never used.
      idle.shift()?.send(nextRequest())
    }
  }

  onWebhook = (transactionId, body) => {
    const nowMs = performance.now()
    const startedMs = acceptedAtMs.get(transactionId)
    if (completedIds.has(transactionId) || early.has(transactionId) || !body.includes('"status":"SUCCESS"')) return note(`webhook: ${body}`)
    if (startedMs === undefined) return void early.set(transactionId, body)
    completedIds.add(transactionId)
    acceptedAtMs.delete(transactionId)
    completed++
    if (isMeasuring) {
      measured++
      delays.record(Math.max(1, Math.round((nowMs - startedMs) * 1_000)))
    }
    sendMore()
  }

  await Promise.all(
    Array.from({ length: plan.connections }, async () => {
      const connection: Connection = await openConnection(plan.port, {
        onAnswer(answer) {
          const transactionId = TRANSACTION_ID.exec(answer)?.[1]
          if (answer.startsWith('HTTP/1.1 200') && transactionId && answer.includes(ACCEPTED)) {
            accepted++
            acceptedAtMs.set(transactionId, performance.now())
            const body = early.get(transactionId)
            if (body !== undefined && early.delete(transactionId)) onWebhook(transactionId, body)
          } else note(answer)
          idle.push(connection)
          sendMore()
        },
        onBroken: note,
      })
      idle.push(connection)
    }),
  )
  const connections = [...idle]
  const startedMs = performance.now()
  const { ratePerSecond } = plan
  const pace = setInterval(() => {
    if (ratePerSecond !== undefined) due = Math.floor(((performance.now() - startedMs) / 1_000) * ratePerSecond)
    sendMore()
  }, TICK_MS)
  await pause(plan.warmUpMs)
  isMeasuring = true
  const fromMs = performance.now()
  const openBefore = sent - completed
  tell({ kind: 'measuring' })
  await pause(plan.durationMs)
  isMeasuring = false
  const seconds = (performance.now() - fromMs) / 1_000
  const openAfter = sent - completed
  tell({ kind: 'measured' })
  isSending = false
  clearInterval(pace)
  for (const endMs = performance.now() + plan.drainLimitMs; sent > completed && performance.now() < endMs; ) await pause(20)
  if (sent > completed) note(`${sent - completed} transactions were not completed in time`)
  for (const body of early.values()) note(`webhook without a response: ${body}`)
  for (const connection of connections) connection.close()
  const percentileMs = (percent: number) => delays.percentile(percent) / 1_000
  return {
    accepted,
    completed,
    completedPerSecond: measured / seconds,
    openBefore,
    openAfter,
    problems,
    firstProblem,
    delaysMs: { p50: percentileMs(50), p99: percentileMs(99), max: delays.max / 1_000 },
  }
}

function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs))
}

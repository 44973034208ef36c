// Generates load in a process of its own; the plan comes as a message, the result goes back as one. A second message ends it early.
import { once } from 'node:events'
import { createHistogram } from 'node:perf_hooks'
import { type Connection, openConnection } from './connection.ts'
import type { LoadPlan, LoadResult } from './plan.ts'
import { createRequests } from './requests.ts'

const TICK_MS = 1

process.once('message', (plan: LoadPlan) => {
  generate(plan).then(
    (result) => process.send?.(result, () => process.exit()),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`)
      process.exit(1)
    },
  )
})

type Sender = { connection: Connection; intendedMs: number; isBusy: boolean }

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the loop that loads the service counts in local variables, which costs least
async function generate(plan: LoadPlan): Promise<LoadResult> {
  const latencies = createHistogram({ lowest: 1, highest: 120_000_000, figures: 3 })
  const lateness = createHistogram({ lowest: 1, highest: 120_000_000, figures: 3 })
  const nextRequest = createRequests(plan.templates)
  const idle: Sender[] = []
  const overdue: number[] = []
  let answers = 0
  let measured = 0
  let problems = 0
  let firstProblem: string | undefined
  let isSending = true
  let measuredFromMs = Number.POSITIVE_INFINITY
  let measuredUntilMs = Number.POSITIVE_INFINITY
  let busy = 0
  let whenQuiet: (() => void) | undefined

  function note(problem: string): void {
    problems++
    firstProblem ??= problem.slice(0, 1_000)
  }

  function send(sender: Sender, intendedMs: number): void {
    sender.intendedMs = intendedMs
    sender.isBusy = true
    busy++
    sender.connection.send(nextRequest())
  }

  function take(sender: Sender, answer: string): void {
    const nowMs = performance.now()
    sender.isBusy = false
    busy--
    if (answer.startsWith('HTTP/1.1 200') && answer.includes(plan.expects)) answers++
    else note(answer)
    if (nowMs >= measuredFromMs && nowMs < measuredUntilMs) {
      measured++
      // From the moment it was due, not from when it could be sent: what waits for a slow answer counts too.
      latencies.record(Math.max(1, Math.round((nowMs - sender.intendedMs) * 1_000)))
    }
    if (!isSending) {
      if (busy === 0) whenQuiet?.()
    } else if (plan.ratePerSecond === undefined) send(sender, nowMs)
    else {
      const due = overdue.shift()
      if (due === undefined) idle.push(sender)
      else send(sender, due)
    }
  }

  const senders = await Promise.all(
    Array.from({ length: plan.connections }, async () => {
      let sender: Sender | undefined
      const connection = await openConnection(plan.port, {
        onAnswer: (answer) => sender && take(sender, answer),
        onBroken: note,
      })
      sender = { connection, intendedMs: 0, isBusy: false }
      return sender
    }),
  )

  function keepRate(ratePerSecond: number): void {
    const startedMs = performance.now()
    let sent = 0
    const tick = () => {
      if (!isSending) return
      const nowMs = performance.now()
      const dueCount = Math.floor(((nowMs - startedMs) / 1_000) * ratePerSecond)
      for (; sent < dueCount; sent++) {
        const dueMs = startedMs + ((sent + 1) / ratePerSecond) * 1_000
        lateness.record(Math.max(1, Math.round((nowMs - dueMs) * 1_000)))
        // In turns: the service closes connections on which nothing is asked.
        const sender = idle.shift()
        if (sender) send(sender, dueMs)
        else overdue.push(dueMs)
      }
      setTimeout(tick, TICK_MS)
    }
    tick()
  }

  if (plan.ratePerSecond === undefined) for (const sender of senders) send(sender, performance.now())
  else {
    idle.push(...senders)
    keepRate(plan.ratePerSecond)
  }
  await pause(plan.warmUpMs)
  measuredFromMs = performance.now()
  const cpuBefore = process.cpuUsage()
  await Promise.race([pause(plan.durationMs), once(process, 'message')])
  measuredUntilMs = performance.now()
  const cpu = process.cpuUsage(cpuBefore)
  isSending = false
  const quiet = new Promise<void>((resolve) => {
    whenQuiet = resolve
  })
  if (busy > 0) await Promise.race([quiet, pause(10_000)])
  for (const sender of senders) {
    if (sender.isBusy) note('An answer never came')
    sender.connection.close()
  }
  const seconds = (measuredUntilMs - measuredFromMs) / 1_000
  return {
    answers,
    problems,
    firstProblem,
    ratePerSecond: measured / seconds,
    p50Us: latencies.percentile(50),
    p99Us: latencies.percentile(99),
    p999Us: latencies.percentile(99.9),
    generatorCpu: (cpu.user + cpu.system) / 1e6 / seconds,
    latenessP50Us: plan.ratePerSecond === undefined ? 0 : lateness.percentile(50),
  }
}

function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs))
}

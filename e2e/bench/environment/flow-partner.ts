import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { FlowMessage, FlowPlan, FlowResult } from '#e2e/bench/load/flow-plan.ts'

const PROGRAM = fileURLToPath(new URL('../load/flow-partner.ts', import.meta.url))

/** A partner that starts transactions and receives their webhooks. */
export type FlowPartner = {
  pid: number
  /** Addresses of `count` receivers, which are all this process. */
  receivers(count: number): string[]
  /** Plays one plan. `onMeasuring` and `onMeasured` are called at the beginning and at the end of the measured time. */
  play(plan: FlowPlan, listener: { onMeasuring(): void; onMeasured(): void }): Promise<FlowResult>
  close(): void
}

/** Starts it on a free port of all loopback addresses. */
export async function startFlowPartner(): Promise<FlowPartner> {
  const child = fork(PROGRAM, { execArgv: ['--disable-warning=ExperimentalWarning'] })
  // The program sends these messages and no others.
  const next = async () => (await once(child, 'message'))[0] as FlowMessage
  const first = await next()
  if (first.kind !== 'listening' || child.pid === undefined) throw new Error('The partner did not start')
  const { port } = first
  return {
    pid: child.pid,
    receivers: (count) =>
      Array.from({ length: count }, (_, index) => `http://127.0.${Math.floor(index / 250)}.${1 + (index % 250)}:${port}`),
    play(plan, listener) {
      return new Promise((resolve, reject) => {
        const onExit = () => reject(new Error('The partner ended'))
        const onMessage = (message: FlowMessage) => {
          if (message.kind === 'measuring') listener.onMeasuring()
          if (message.kind === 'measured') listener.onMeasured()
          if (message.kind !== 'ended') return
          child.off('message', onMessage)
          child.off('exit', onExit)
          resolve(message.result)
        }
        child.on('message', onMessage)
        child.once('exit', onExit)
        child.send(plan)
      })
    },
    close: () => child.disconnect(),
  }
}

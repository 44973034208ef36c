import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const SINK_SERVER = fileURLToPath(new URL('sink-server.ts', import.meta.url))

/** Where webhooks go: a process of its own with hundreds of receivers, some of which never answer. */
export type Sink = {
  /** Addresses of receivers that answer immediately. */
  healthy(count: number): string[]
  /** Addresses of receivers that take the request and say nothing. */
  hanging(count: number): string[]
  /** Id and arrival (milliseconds since 1970) of each since the last call. */
  take(): Promise<[string, number][]>
  close(): void
}

/** Starts it on a free port of all loopback addresses. */
export async function startSink(): Promise<Sink> {
  const child = fork(SINK_SERVER, { execArgv: ['--disable-warning=ExperimentalWarning'], serialization: 'advanced' })
  const [port] = await once(child, 'message')
  const addresses = (network: number, count: number) =>
    Array.from({ length: count }, (_, index) => `http://127.${network}.${Math.floor(index / 250)}.${1 + (index % 250)}:${port}`)
  return {
    healthy: (count) => addresses(0, count),
    hanging: (count) => addresses(1, count),
    async take() {
      child.send('take')
      const [arrivals] = await once(child, 'message')
      // The sink sends these and nothing else.
      return arrivals as [string, number][]
    },
    close: () => child.disconnect(),
  }
}

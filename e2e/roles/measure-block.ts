import { setTimeout as delay } from 'node:timers/promises'
import { type Sent, sendRequest } from './send-request.ts'

const PAUSE_MS = 20

/** Does something to the service, and tells how long a health request, sent every 20 ms meanwhile, waited at most. */
export async function measureBlock(baseUrl: string, work: () => Promise<Sent[]>): Promise<{ answers: Sent[]; blockedMs: number }> {
  let isOver = false
  let blockedMs = 0
  async function watch(): Promise<void> {
    while (!isOver) {
      const sentAtMs = performance.now()
      await sendRequest(baseUrl, { path: '/health/live' })
      blockedMs = Math.max(blockedMs, performance.now() - sentAtMs)
      await delay(PAUSE_MS)
    }
  }
  const watching = watch()
  const answers = await work()
  isOver = true
  await watching
  return { answers, blockedMs }
}

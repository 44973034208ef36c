import { setTimeout as delay } from 'node:timers/promises'
import type { Arsenal } from '#e2e/attack/arsenal.ts'
import { readSchedule } from '#e2e/attack/oracle/schedule.ts'
import type { Service } from '#server/testing/service/start-service.ts'
import { openCaller, percentile } from './caller.ts'

type Bystander = {
  /** Stops, and returns one sentence for each thing that went wrong. */
  judge(): Promise<string[]>
}

const EVERY_MS = 50
/** Limits for the slowest answer and for the slowest tenth; most answers take a few milliseconds. */
const WORST_MS = 3_000
const USUAL_MS = 1_000

/**
 * Starts a well-behaved client that calls the API and a page until it is judged. Every answer must be correct and on time; time in
 * which other programs kept the service off the CPU does not count.
 */
export function startBystander({ service, arsenal }: { service: Service; arsenal: Arsenal }): Bystander {
  const caller = openCaller(arsenal.baseUrl)
  const { apiKey, apiId, accessToken, slug } = arsenal.program
  const program = { apiKey, apiId, authorization: `Bearer ${accessToken}` }
  const session = { cookie: arsenal.visitors[0]?.cookie ?? '' }
  const durationsMs: number[] = []
  const problems: string[] = []
  let isOver = false
  const busy = (async () => {
    for (let turn = 0; !isOver; turn++) {
      const [path, headers] = turn % 4 === 0 ? [`/${slug}`, session] : ['/api/v1/transaction/getByApplicationProductBalances', program]
      const before = readSchedule(service.pid ?? 0)
      const reply = await caller.get(path, headers)
      durationsMs.push(reply.durationMs - Math.max(0, readSchedule(service.pid ?? 0).queuedMs - before.queuedMs))
      if (reply.status !== 200) problems.push(`${path} answered ${reply.status || 'nothing'}`)
      await delay(EVERY_MS)
    }
  })()
  return {
    async judge() {
      isOver = true
      await busy
      await caller.close()
      const [usual, worst] = [percentile(durationsMs, 0.9), Math.max(...durationsMs)]
      if (usual > USUAL_MS) problems.push(`a tenth of the answers took longer than ${Math.round(usual)} ms`)
      if (worst > WORST_MS) problems.push(`an answer took ${Math.round(worst)} ms`)
      return [...new Set(problems)].slice(0, 10).map((problem) => `a well-behaved client, of ${durationsMs.length} requests: ${problem}`)
    },
  }
}

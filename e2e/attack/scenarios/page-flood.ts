import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { leaveNothing } from '#e2e/attack/leave-nothing.ts'
import { readSchedule } from '#e2e/attack/oracle/schedule.ts'
import { type Caller, openCaller, percentile } from './caller.ts'
import type { FloodReport } from './flood-process.ts'
import type { Scenario, ScenarioContext } from './scenario.ts'

const CONNECTIONS = 150
/** How much longer than alone the slowest hundredth of the API's answers may take. */
const DELAY_MAX_MS = 250
const ALONE_MS = 3_000
const CALL_EVERY_MS = 10

type Flood = { what: string; addresses: number; paths: readonly string[] }

const FLOODS: readonly Flood[] = [
  { what: 'the reference', addresses: 1, paths: ['/docs'] },
  { what: 'the sign-in page', addresses: 1, paths: ['/sign-in'] },
  { what: 'pages that do not exist', addresses: 1, paths: ['/docs/none-#', '/none-#/none', '/_next/static/none-#.js', '/api/none-#'] },
  // Pages that cannot be cached, so that these requests reach the render queue.
  { what: 'pages that must be rendered, one address', addresses: 1, paths: ['/sign-in?next=%2F#', '/docs?a=#', '/sign-in/none-#'] },
  { what: 'pages that must be rendered, fifty addresses', addresses: 50, paths: ['/sign-in?next=%2F#', '/docs?a=#'] },
]

/** Anonymous clients that open pages without pause. The API answers as if they were not there, and people who are signed in get their pages. */
export const pageFlood: Scenario = {
  name: 'page-flood',
  async play(context) {
    const alone = await measure(context, ALONE_MS)
    const problems = [...alone.problems]
    const forMs = Math.max(2_000, (context.minutes * 60_000) / FLOODS.length)
    for (const flood of FLOODS) problems.push(...(await playFlood(context, flood, forMs, alone)))
    return problems
  },
}

async function playFlood(context: ScenarioContext, { what, addresses, paths }: Flood, forMs: number, alone: Measured): Promise<string[]> {
  const child = fork(
    fileURLToPath(new URL('./flood-process.ts', import.meta.url)),
    [context.arsenal.baseUrl, String(CONNECTIONS), String(addresses), paths.join(' ')],
    { execArgv: ['--disable-warning=ExperimentalWarning'], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
  )
  const end = leaveNothing(async () => void child.kill('SIGKILL'))
  // The first second fills the queues.
  await delay(1_000)
  const exits = context.service.exits.length
  const measured = await measure(context, forMs)
  const reported = once(child, 'message') as Promise<[FloodReport]>
  child.send('stop')
  const [counts] = await Promise.race([reported, delay(30_000).then((): [FloodReport] => [{}])])
  await end()
  context.say(
    `        ${what}: API p99 ${Math.round(measured.apiMs)} ms (alone ${Math.round(alone.apiMs)}), a person's page ${Math.round(measured.pageMs)} ms (alone ${Math.round(alone.pageMs)}), answers ${JSON.stringify(counts)}`,
  )
  const problems = measured.problems.map((problem) => `${what}: ${problem}`)
  if (measured.apiMs > alone.apiMs + DELAY_MAX_MS)
    problems.push(`${what}: the API's p99 was ${Math.round(measured.apiMs)} ms, and ${Math.round(alone.apiMs)} ms alone`)
  if (context.service.exits.length > exits) problems.push(`${what}: the process ended`)
  const strange = Object.keys(counts).filter((status) => !['200', '307', '404', '503'].includes(status))
  if (strange.length > 0) problems.push(`${what}: answered with ${strange.join(', ')}`)
  return problems
}

/** The 99th percentile of the API's answers, the 90th of the pages of a person, in ms without the time in which other programs had the CPU. */
type Measured = { apiMs: number; pageMs: number; problems: string[] }

async function measure({ service, arsenal }: ScenarioContext, forMs: number): Promise<Measured> {
  const { apiKey, apiId, accessToken, slug } = arsenal.program
  const endsAtMs = performance.now() + forMs
  const problems = new Set<string>()
  const caller = openCaller(arsenal.baseUrl)
  const collect = async (durationsMs: number[], path: string, headers: Record<string, string>) => {
    while (performance.now() < endsAtMs) {
      durationsMs.push(await timed(caller, service.pid ?? 0, path, headers, problems))
      await delay(CALL_EVERY_MS)
    }
  }
  const [api, pages]: [number[], number[]] = [[], []]
  const program = { apiKey, apiId, authorization: `Bearer ${accessToken}` }
  await Promise.all([
    collect(api, '/api/v1/transaction/getByApplicationProductBalances', program),
    collect(pages, `/${slug}/settings`, { cookie: arsenal.visitors[0]?.cookie ?? '' }),
  ])
  await caller.close()
  return { apiMs: percentile(api, 0.99), pageMs: percentile(pages, 0.9), problems: [...problems] }
}

async function timed(caller: Caller, pid: number, path: string, headers: Record<string, string>, problems: Set<string>): Promise<number> {
  const before = readSchedule(pid).queuedMs
  const { status, durationMs } = await caller.get(path, headers)
  if (status !== 200) problems.add(`${path} answered ${status || 'nothing'}`)
  return durationMs - Math.max(0, readSchedule(pid).queuedMs - before)
}

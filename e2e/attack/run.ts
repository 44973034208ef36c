import { TRUSTED_PROXY } from '#e2e/attack/families/addresses.ts'
import { verifyBooks } from '#e2e/attack/oracle/books.ts'
import { checkRows, snapshotRows } from '#e2e/attack/oracle/rows.ts'
import { blockedMs } from '#e2e/attack/oracle/watch-loop.ts'
import type { ScenarioContext } from '#e2e/attack/scenarios/scenario.ts'
import { Receiver } from '#e2e/crash/receiver.ts'
import { type Sandbox, startSandbox } from '#server/testing/service/start-sandbox.ts'
import { type Arsenal, gatherArsenal, renewTokens } from './arsenal.ts'
import { assault, emptyRecord, type Record_ } from './assault.ts'
import type { Finding, Rule } from './findings.ts'
import { insideRoutes, mayOpen } from './inside-routes.ts'
import { leaveNothing } from './leave-nothing.ts'
import type { Options } from './options.ts'
import { createPlan } from './plan.ts'
import { SCENARIOS } from './scenarios.ts'
import { startWatches, untilAtRest, type Watches, watchFindings } from './watches.ts'

export type RunReport = {
  findings: Finding[]
  /** How much was looked at for each rule. */
  looked: Record<Rule, number>
  highestMegabytes: number
  restingMegabytes: number
  slowestProbeMs: number
  performed: number
  folder: string
}

const TOKENS_RENEWED_EVERY_MS = 30 * 60_000

/** Starts the service, attacks it, and returns everything that went wrong. */
export async function runAttack(options: Options, say: (line: string) => void): Promise<RunReport> {
  const receiver = await Receiver.start()
  const service = await startSandbox({ environment: { TRUSTED_PROXIES: TRUSTED_PROXY }, readiness: 'pages' })
  service.keepRunning()
  let isBroken = true
  const end = leaveNothing(() => service.stop({ keepsFolder: options.keepsFolder && isBroken }))
  try {
    const report = await attackAndCheck(options, { service, receiver, say })
    isBroken = report.findings.length > 0
    return report
  } finally {
    await end()
    await receiver.close()
  }
}

type Scene = { service: Sandbox; receiver: Receiver; say(line: string): void }

async function attackAndCheck(options: Options, { service, receiver, say }: Scene): Promise<RunReport> {
  let arsenal = await service.withDatabase((pool) =>
    gatherArsenal({
      place: service,
      sandbox: service.readSandbox(),
      pool,
      webhookUrl: receiver.url('ok'),
      secrets: service.readSecrets(),
    }),
  )
  await warmUp(arsenal, options.requests)
  const renewal = setInterval(
    () =>
      void renewTokens(arsenal).then(
        (renewed) => (arsenal = renewed),
        () => undefined,
      ),
    TOKENS_RENEWED_EVERY_MS,
  )
  const watches = await startWatches(service)
  const record = emptyRecord()
  const before = await service.withDatabase(snapshotRows)
  const plan = createPlan(options)
  const numbers = options.only ?? Array.from({ length: options.requests }, (_, index) => index + 1)
  say(`Service in ${service.folder}, seed ${options.seed}, ${numbers.length} requests`)
  try {
    await assault({ service, arsenal: () => arsenal, plan, numbers, record, isVerbose: options.only !== undefined, say })
    await service.untilReady('pages')
    const { accepted, acceptedRows, uncertain, acceptedTokens } = record
    const told = { accepted, acceptedRows, uncertain, acceptedTokens }
    const rowProblems = await service.withDatabase((pool) => checkRows(pool, before, told))
    for (const what of rowProblems) record.findings.push({ rule: 'rows', what, numbers: numbersIn(what, record), kind: 'rows' })
    const scene: ScenarioContext = { service, arsenal, receiver, minutes: options.minutes, seed: options.seed, say }
    for (const scenario of SCENARIOS)
      if (options.scenarios.includes(scenario.name)) record.findings.push(...(await play(scenario, scene, record)))
    await untilAtRest(watches.memory)
    await checkBystanders(arsenal, record)
    for (const what of await verifyBooks(service.databaseUrl())) record.findings.push({ rule: 'books', what, numbers: [], kind: 'verify' })
  } finally {
    clearInterval(renewal)
    await watches.stop()
  }
  return toReport({ service, record, watches, bystanders: arsenal.visitors.length + 2 })
}

type Attacked = { service: Sandbox; record: Record_; watches: Watches; bystanders: number }

function toReport({ service, record, watches, bystanders }: Attacked): RunReport {
  const { loop, memory } = watches
  return {
    findings: [...record.findings, ...watchFindings(service, watches, record)],
    looked: {
      answers: record.performed,
      loop: loop.probes(),
      memory: memory.samples(),
      process: 1 + service.exits.length,
      rows: record.accepted.size + record.acceptedRows.length + record.refused.size,
      books: 1,
      bystanders,
    },
    highestMegabytes: memory.highest.megabytes,
    restingMegabytes: memory.latest.megabytes,
    slowestProbeMs: Math.max(0, ...loop.slow.map(blockedMs)),
    performed: record.performed,
    folder: service.folder,
  }
}

async function play(scenario: (typeof SCENARIOS)[number], scene: ScenarioContext, record: Record_): Promise<Finding[]> {
  const [startedMs, fromMs] = [performance.now(), Date.now()]
  const problems = await scenario.play(scene)
  record.spans.push({ number: undefined, kind: `scenario ${scenario.name}`, fromMs, toMs: Date.now() })
  scene.say(`${problems.length === 0 ? 'ok    ' : 'BROKEN'}  ${scenario.name}, ${Math.round((performance.now() - startedMs) / 1_000)} s`)
  return problems.map((what) => ({ rule: 'bystanders', what, numbers: [], kind: scenario.name }))
}

/** As many as one browser loads at once. */
const VISITS_AT_ONCE = 4
/** Fewer requests do not come to every page, so what the others hold is left to the scenarios. */
const EVERY_PAGE_FROM = 100
const USUAL_PAGES = /^(?:\/api\/back-office)?\/[\w-]+(?:\/(?:overview|transactions|approvals|totals|balances|settings))?$/

/** Visits every address that the requests come to once, as somebody who may: the first visit loads it from disk, which is not an attack. */
async function warmUp({ baseUrl, program, insiders }: Arsenal, requests: number): Promise<void> {
  const isEvery = requests >= EVERY_PAGE_FROM
  const visits = insideRoutes()
    .filter(({ method, isStream }) => method === 'GET' && !isStream)
    .map((route) => ({
      target: route.fill(program.holdings.examples, program.slug),
      cookie: insiders.program.find((visitor) => mayOpen(visitor, route))?.cookie ?? '',
    }))
    .filter(({ target }) => isEvery || USUAL_PAGES.test(target))
  const open = ['/sign-in', '/sign-in/enrol', '/sign-in/invitation', '/sign-in/new-password', '/nothing', '/docs', '/docs/collect']
  const documents = ['/api/auth/session', '/api/auth/csrf', '/api/v1/openapi.json', '/api/v2/openapi.json', '/docs/search']
  const queue = [...visits, ...[...open, ...documents].map((target) => ({ target, cookie: '' }))].values()
  const lane = async () => {
    for (const { target, cookie } of queue)
      await (await fetch(`${baseUrl}${target}`, { headers: { cookie, accept: 'text/html' }, redirect: 'manual' })).arrayBuffer()
  }
  await Promise.all(Array.from({ length: VISITS_AT_ONCE }, lane))
}

/** Checks that sessions and tokens that were never ended still work. */
async function checkBystanders(arsenal: Arsenal, record: Record_): Promise<void> {
  const complain = (what: string) => record.findings.push({ rule: 'bystanders', what, numbers: [], kind: 'afterwards' })
  for (const { name, cookie } of arsenal.visitors) {
    const answer = await fetch(`${arsenal.baseUrl}/api/auth/session`, { headers: { cookie } })
    const body = await answer.text()
    if (answer.status !== 200 || body === '{}') complain(`${name} is no longer signed in: ${answer.status} ${body.slice(0, 80)}`)
  }
  for (const { name, apiKey, apiId, accessToken } of [arsenal.program, arsenal.other]) {
    const headers = { apiKey, apiId, authorization: `Bearer ${accessToken}` }
    const answer = await fetch(`${arsenal.baseUrl}/api/v1/transaction/getByApplicationProductBalances`, { headers })
    if (answer.status !== 200) complain(`the program of ${name} is refused: ${answer.status} ${(await answer.text()).slice(0, 200)}`)
  }
}

function numbersIn(what: string, record: Record_): number[] {
  const id = /^"([^"]+)"/.exec(what)?.[1] ?? /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(what)?.[0]
  const number = id === undefined ? undefined : record.refused.get(id)
  return number === undefined ? [] : [number]
}

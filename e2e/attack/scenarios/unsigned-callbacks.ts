import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from '#server/database/pool.ts'
import { startBystander } from './bystander.ts'
import { type Caller, keepUp, openCaller } from './caller.ts'
import type { Scenario, ScenarioContext } from './scenario.ts'

/** MTN does not sign its callbacks. */
const OPERATOR = 'MOMOCM'
const LANES = 24
/** The status enquiries about finished payments that one application may cause at one operator. */
const QUERIES_AT_ONCE = 20
const QUERIES_PER_SECOND = 0.1
/** Of an open payment: its own schedule, and those that unsigned callbacks cause, each later than the one before. */
const OPEN_QUERIES_MAX = 20
/** The task that queries runs every minute. */
const ASKED_WITHIN_MS = 100_000

type Target = { applicationId: string; transactionId: string }
type Targets = { ended: Target[]; open: Target[]; elsewhere: Target }

/**
 * Anybody sends callbacks that contradict the results of one application, that name its open payments, and that invent ids. They cause a
 * bounded number of queries and rows, and the operator is still asked about a contradiction of another application.
 */
export const unsignedCallbacks: Scenario = {
  name: 'unsigned-callbacks',
  async play(context) {
    const targets = await prepare(context)
    if (typeof targets === 'string') return [targets]
    const callers = Array.from({ length: 4 }, (_, number) => openCaller(context.arsenal.baseUrl, { from: `127.0.3.${number + 1}` }))
    const bystander = startBystander(context)
    const startedAt = new Date()
    const startedMs = performance.now()
    const statuses = new Map<number, number>()
    const busy = keepUp(LANES, startedMs + Math.max(5_000, context.minutes * 60_000), async (lane) => {
      const { status } = await send(callers[lane % callers.length], pick(targets, lane))
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    })
    await delay(2_000)
    await send(callers[0], targets.elsewhere)
    await busy
    const seconds = (performance.now() - startedMs) / 1_000
    const problems = await context.service.withDatabase(async (pool) => [
      ...(await checkBounds(pool, targets, startedAt, seconds)),
      ...(await checkElsewhere(pool, targets.elsewhere, startedMs)),
    ])
    await Promise.all(callers.map((caller) => caller.close()))
    context.say(`        callbacks answered ${JSON.stringify(Object.fromEntries(statuses))} in ${Math.round(seconds)} s`)
    const strange = [...statuses.keys()].filter((status) => ![200, 202, 204, 404, 503].includes(status))
    if (strange.length > 0) problems.push(`callbacks were answered ${strange.join(', ')}`)
    return [...problems, ...(await bystander.judge())]
  },
}

async function prepare({ arsenal, service }: ScenarioContext): Promise<Targets | string> {
  const caller = openCaller(arsenal.baseUrl)
  const { apiKey, apiId, accessToken } = arsenal.program
  const headers = { apiKey, apiId, authorization: `Bearer ${accessToken}` }
  const open: string[] = []
  for (let number = 0; number < 3; number++) {
    const body = {
      transferMethod: OPERATOR,
      customerName: 'Clarisse Mbarga',
      externalId: randomUUID(),
      // The simulated operator leaves it open.
      phoneNumber: `2376772${String(10 + number)}912`,
      amount: 100,
      webhookUrl: arsenal.webhookUrl,
      countryName: 'CAMEROON',
    }
    const reply = await caller.post('/api/v1/transaction/collect', body, headers)
    if (reply.status !== 200) return `a collect was answered ${reply.status}`
    open.push((reply.body as { transactionId: string }).transactionId)
  }
  await caller.close()
  return service.withDatabase(async (pool) => {
    const failed = async (id: string) =>
      (
        await pool.query<Target>(
          `select t.application_id as "applicationId", t.transaction_id as "transactionId" from transactions t join applications a using (application_id)
             where a.api_id = $1 and t.operator = $2 and t.status = 'FAILED' and not exists (select from contradiction_queries q
               where q.application_id = t.application_id and q.transaction_id = t.transaction_id and q.kind = 'hint') limit 200`,
          [id, OPERATOR],
        )
      ).rows
    const [ended, others] = [await failed(apiId), await failed(arsenal.other.apiId)]
    const [first, elsewhere] = [ended[0], others[0]]
    if (!first || !elsewhere) return `an application has no failed payment at ${OPERATOR}`
    return { ended, elsewhere, open: open.map((transactionId) => ({ applicationId: first.applicationId, transactionId })) }
  })
}

function pick({ ended, open }: Targets, lane: number): Target {
  const invented = { applicationId: lane % 8 === 0 ? randomUUID() : (ended[0]?.applicationId ?? ''), transactionId: randomUUID() }
  const known = lane % 4 === 1 ? open : ended
  return lane % 4 === 0 ? invented : (known[Math.floor(Math.random() * known.length)] ?? invented)
}

async function send(caller: Caller | undefined, { applicationId, transactionId }: Target): Promise<{ status: number }> {
  const body = {
    status: 'SUCCESSFUL',
    externalId: `${transactionId}.${applicationId}`,
    amount: '100',
    currency: 'XAF',
    nonce: randomUUID(),
  }
  return (await caller?.post(`/operators/callback/${OPERATOR}`, body)) ?? { status: 0 }
}

async function checkBounds(pool: Pool, { ended, open }: Targets, startedAt: Date, seconds: number): Promise<string[]> {
  const applicationId = ended[0]?.applicationId
  const problems: string[] = []
  const { rows: hints } = await pool.query<{ count: number }>(
    `select count(*)::int as count from contradiction_queries where application_id = $1 and operator = $2 and kind = 'hint'
       and transaction_id = any ($3)`,
    [applicationId, OPERATOR, ended.map(({ transactionId }) => transactionId)],
  )
  const hintsMax = Math.ceil(QUERIES_AT_ONCE + QUERIES_PER_SECOND * seconds) + 1
  if ((hints[0]?.count ?? 0) > hintsMax)
    problems.push(`${hints[0]?.count} queries about ended payments of one application, allowed are ${hintsMax}`)
  if ((hints[0]?.count ?? 0) === 0) problems.push('no unsigned callback caused a query: the flood did not reach what it is for')
  const { rows } = await pool.query<{ transactionId: string; callbacks: number; queries: number }>(
    `select transaction_id as "transactionId", count(*) filter (where kind = 'callback')::int as callbacks, count(*) filter (where kind = 'query')::int as queries
       from all_operator_attempts where application_id = $1 and started_at >= $2 group by transaction_id`,
    [applicationId, startedAt],
  )
  const openIds = new Set(open.map(({ transactionId }) => transactionId))
  for (const { callbacks, queries } of rows.filter(({ transactionId }) => openIds.has(transactionId))) {
    // One of anybody, and the operator's own.
    if (callbacks > 2) problems.push(`${callbacks} callbacks of one open payment are stored`)
    if (queries > OPEN_QUERIES_MAX) problems.push(`${queries} queries about one open payment`)
  }
  const strangers = rows.filter((row) => !openIds.has(row.transactionId) && row.callbacks > 2)
  if (strangers.length > 0) problems.push(`callbacks of ${strangers.length} other payments are stored more than twice`)
  return problems
}

async function checkElsewhere(pool: Pool, { applicationId, transactionId }: Target, startedMs: number): Promise<string[]> {
  while (performance.now() < startedMs + ASKED_WITHIN_MS) {
    const { rowCount } = await pool.query(
      `select from contradiction_queries where application_id = $1 and transaction_id = $2 and kind = 'hint' and tries > 0`,
      [applicationId, transactionId],
    )
    if (rowCount === 1) return []
    await delay(500)
  }
  return [`the operator was not asked about the contradiction of another application within ${ASKED_WITHIN_MS / 1_000} s`]
}

import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { keepUp, openCaller } from './caller.ts'
import type { Scenario } from './scenario.ts'
import { openStage, type Stage, stageDeposit } from './stage.ts'

/** Slow enough that a few hundred queries at once fill every connection. */
const QUERY_MS = 3_000
const FLOODERS = 300
const DEPOSITS = 40
/** From the answer of the service to the moment at which the operator has the submission. */
const SUBMITTED_WORST_MS = 5_000

/** One partner forces queries without pause while another one's deposits must reach the operator in time and stay confirmed. */
export const forcedEnquiries: Scenario = {
  name: 'forced-enquiries',
  async play({ minutes }) {
    const submittedAtMs = new Map<string, number>()
    const stage = await openStage(2, ({ method, reference, body }, response) => {
      const context = (body as { context?: string } | undefined)?.context ?? ''
      const answer = JSON.stringify({ reference, status: 'PENDING', operatorReference: `X${reference}`, context })
      if (method === 'POST') submittedAtMs.set(reference, performance.now())
      setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end(answer), method === 'POST' ? 5 : QUERY_MS)
    })
    try {
      return await flood(stage, Math.max(20_000, minutes * 60_000), submittedAtMs)
    } finally {
      await stage.stop()
    }
  },
}

async function flood(stage: Stage, forMs: number, submittedAtMs: ReadonlyMap<string, number>): Promise<string[]> {
  const [flooder, victim] = stage.partners
  if (!flooder || !victim) throw new Error('The stage must have two partners')
  const { baseUrl } = stage.service
  const flooding = openCaller(baseUrl, { connections: FLOODERS })
  const caller = openCaller(baseUrl, { from: '127.0.0.2', connections: 8 })
  const problems: string[] = []
  const answeredAtMs = new Map<string, number>()
  try {
    const open: string[] = []
    for (let number = 0; number < 20; number++) open.push(await deposit(caller, flooder.headers, problems))
    const endsAtMs = performance.now() + forMs
    const busy = keepUp(FLOODERS, endsAtMs, async (lane) => {
      const { status } = await flooding.post(
        `/api/v1/transaction/chekTransactionStatus?transactionId=${open[lane % open.length]}`,
        undefined,
        flooder.headers,
      )
      // A short pause after a refusal, as even a careless program makes.
      if (status !== 200) await delay(20)
    })
    await delay(2_000)
    for (let number = 0; number < DEPOSITS; number++) {
      const id = await deposit(caller, victim.headers, problems)
      answeredAtMs.set(id, performance.now())
      await delay((forMs - 4_000) / DEPOSITS)
    }
    await busy
  } finally {
    await flooding.close()
    await caller.close()
  }
  await delay(SUBMITTED_WORST_MS)
  const waits = [...answeredAtMs].map(([id, at]) => (submittedAtMs.get(id) ?? Number.POSITIVE_INFINITY) - at)
  const late = waits.filter((wait) => wait > SUBMITTED_WORST_MS).length
  if (late > 0)
    problems.push(
      `${late} of ${waits.length} deposits of the other partner reached the operator later than ${SUBMITTED_WORST_MS} ms, or never`,
    )
  const { rows } = await stage.pool.query<{ count: string }>(
    `select count(*) as count from operator_work where application_id = $1 and (state = 'unconfirmed' or exists (select 1 from all_operator_attempts a
       where a.application_id = operator_work.application_id and a.transaction_id = operator_work.transaction_id and a.kind = 'submit' and a.outcome = 'unknown'))`,
    [victim.applicationId],
  )
  if (Number(rows[0]?.count) > 0) problems.push(`${rows[0]?.count} submissions of the other partner became unconfirmed`)
  if (stage.service.exits.length > 0) problems.push('the process ended')
  return problems
}

async function deposit(caller: ReturnType<typeof openCaller>, headers: Record<string, string>, problems: string[]): Promise<string> {
  const reply = await caller.post('/api/v1/transaction/deposit', stageDeposit(randomUUID(), '237677209341'), headers)
  if (reply.status === 200 && reply.durationMs < 3_000) return (reply.body as { transactionId: string }).transactionId
  problems.push(`a deposit was answered ${reply.status} after ${Math.round(reply.durationMs)} ms`)
  return (reply.body as { transactionId?: string } | undefined)?.transactionId ?? randomUUID()
}

import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { verifyBooks } from '#e2e/attack/oracle/books.ts'
import { MEMORY_LIMIT_MB, residentMegabytes, watchMemory } from '#e2e/attack/oracle/watch-memory.ts'
import { openCaller } from './caller.ts'
import { GARBAGE, type Garbage, respondWith } from './garbage.ts'
import type { Scenario } from './scenario.ts'
import { openStage, type Stage, type StagePartner, stageDeposit } from './stage.ts'

/** Deposits that the operator handles as it should, between those that it does not: each shares its batches with garbage. */
const NEIGHBOURS = 200
/** Queries come after 2, 4, 8, 15 and 30 s; the answer to the second or third must be stored by then. */
const SETTLED_MS = 45_000
const NEIGHBOUR_MS = 20_000
const BATCH = 100

type Sent = { transactionId: string; garbage: Garbage | undefined }

/** An operator whose answers are garbage: each transaction ends as the truth is, or stays pending, and its neighbours are not touched. */
export const garbageOperator: Scenario = {
  name: 'garbage-operator',
  async play({ minutes }) {
    const kinds = new Map<string, Garbage>()
    const stage = await openStage(1, (call, response, request) => {
      const phoneNumber = (call.body as { phoneNumber?: string } | undefined)?.phoneNumber
      if (phoneNumber !== undefined) {
        const garbage = GARBAGE[Number(phoneNumber.slice(-3))]
        if (garbage && call.method === 'POST') kinds.set(call.reference, garbage)
      }
      respondWith(kinds.get(call.reference), call, response, request)
    })
    const memory = watchMemory(() => stage.service.pid)
    try {
      const problems: string[] = []
      const endsAtMs = performance.now() + minutes * 60_000
      do problems.push(...(await playRound(stage)))
      while (performance.now() < endsAtMs && problems.length === 0)
      if (memory.highest.megabytes > MEMORY_LIMIT_MB) problems.push(`the process held ${Math.round(memory.highest.megabytes)} MB`)
      const restingMegabytes = residentMegabytes(stage.service.pid ?? 0)
      if (restingMegabytes > MEMORY_LIMIT_MB) problems.push(`the process still holds ${Math.round(restingMegabytes)} MB`)
      if (stage.service.exits.length > 0) problems.push('the process ended')
      problems.push(...(await verifyBooks(stage.databaseUrl)).map((line) => `verify: ${line}`))
      return problems
    } finally {
      memory.stop()
      await stage.stop()
    }
  },
}

async function playRound(stage: Stage): Promise<string[]> {
  const [partner] = stage.partners
  if (!partner) throw new Error('The stage must have a partner')
  const sent = await sendAll(stage, partner)
  const startedMs = performance.now()
  const neighbours = sent.filter(({ garbage }) => garbage === undefined)
  await until(NEIGHBOUR_MS, async () => (await wrongOnes(stage, partner, neighbours)).length === 0)
  const problems = (await wrongOnes(stage, partner, neighbours)).slice(0, 3).map((one) => `a neighbour of garbage: ${one}`)
  const others = sent.filter(({ garbage }) => garbage !== undefined)
  await until(SETTLED_MS - (performance.now() - startedMs), async () => (await wrongOnes(stage, partner, others)).length === 0)
  problems.push(...(await wrongOnes(stage, partner, others)))
  const { rows } = await stage.pool.query<{ count: string }>(
    `select count(*) as count from transactions where application_id = $1 and status in ('SUCCESS', 'FAILED') and held_minor <> 0`,
    [partner.applicationId],
  )
  if (Number(rows[0]?.count) > 0) problems.push(`${rows[0]?.count} transactions ended and still hold money`)
  return problems
}

async function sendAll(stage: Stage, partner: StagePartner): Promise<Sent[]> {
  const caller = openCaller(stage.service.baseUrl, { connections: 4 })
  const wanted = [...GARBAGE.keys(), ...Array<number>(NEIGHBOURS).fill(999)].toSorted(() => Math.random() - 0.5)
  const sent: Sent[] = []
  for (let at = 0; at < wanted.length; at += BATCH) {
    const batch = wanted.slice(at, at + BATCH)
    const deposits = batch.map((kind) => stageDeposit(randomUUID(), `237677209${String(kind).padStart(3, '0')}`))
    const reply = await caller.post('/api/v1/transaction/depositMultiple', deposits, partner.headers)
    if (reply.status !== 200) throw new Error(`depositMultiple was answered ${reply.status}: ${JSON.stringify(reply.body)}`)
    for (const [index, { transactionId }] of (reply.body as { transactionId: string }[]).entries())
      sent.push({ transactionId, garbage: GARBAGE[batch[index] ?? 999] })
  }
  await caller.close()
  return sent
}

/** Those that are not in the state that the operator's true answers lead to. */
async function wrongOnes(stage: Stage, partner: StagePartner, sent: readonly Sent[]): Promise<string[]> {
  const { rows } = await stage.pool.query<{ transaction_id: string; status: string }>(
    'select transaction_id, status from transactions where application_id = $1 and transaction_id = any($2)',
    [partner.applicationId, sent.map(({ transactionId }) => transactionId)],
  )
  const statuses = new Map(rows.map((row) => [row.transaction_id, row.status]))
  return sent.flatMap(({ transactionId, garbage }) => {
    const wanted = garbage?.ends ?? 'SUCCESS'
    const status = statuses.get(transactionId)
    return status === wanted ? [] : [`${garbage?.name ?? 'a deposit as it should be'} is ${status} and not ${wanted}`]
  })
}

async function until(limitMs: number, condition: () => Promise<boolean>): Promise<void> {
  const endsAtMs = performance.now() + limitMs
  while (performance.now() < endsAtMs && !(await condition())) await delay(250)
}

import { setTimeout as delay } from 'node:timers/promises'
import { startCpuCount } from '#e2e/bench/environment/usage.ts'
import type { Person } from '#e2e/crash/people.ts'
import type { BatchApproval } from '#lib/approvals/batch-approval.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { sealLedgerDays } from '#server/ledger/seal-ledger-days.ts'
import { listCustomers } from '#server/reports/customers/customers.ts'
import { addFeeDays } from '#server/reports/totals/seal-totals.ts'
import { transition } from '#server/transactions/transition.ts'
import type { Crowd, Visit } from './crowd.ts'

/** Rows of each file: the most that a file may have. */
export const ROWS = 10_000
const ENDED_AT_ONCE = 500
const SUBMIT_LIMIT_MS = 60_000

/** The measured times of one file. */
export type Round = {
  checkMs: number
  quiet: Visit[]
  busy: Visit[]
  rowsPerSecond: number
  readMs: number
  decisionMs: number
  serverCores: number
  postgresCores: number
}

/** Who works on which service. */
type Scene = {
  pool: Pool
  applicationId: string
  maker: Person
  checker: Person
  crowd: Crowd
  serverPid: number
  postmasterPid: number
}

/** The scheduled tasks that count what is new, which a process of the role `web` leaves to another one. */
export async function runTasks(pool: Pool): Promise<void> {
  await listCustomers(pool)
  await addFeeDays(pool)
  await sealLedgerDays(pool, 0)
}

/** A maker uploads and submits a file and a checker decides it, with other people at work before and during the submission. */
export async function measureRound(scene: Scene, round: number, seconds: number): Promise<Round> {
  const { crowd, maker, pool, applicationId } = scene
  await runTasks(pool)
  const uploaded = performance.now()
  const created = (await maker.request(`batches?type=DEPOSIT&fileName=round-${round}.csv`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: fileOf(round),
  })) as { batchId: string } | undefined
  const checkMs = performance.now() - uploaded
  if (!created) throw new Error('The file was not checked')
  const { batchId } = created
  const endMs = performance.now() + seconds * 1_000
  const quiet = await crowd.work(() => performance.now() > endMs)

  const { rows } = await pool.query<{ version: number }>('select version from batches where application_id = $1 and batch_id = $2', [
    applicationId,
    batchId,
  ])
  let isSubmitted = false
  const cpu = await startCpuCount(scene.serverPid, scene.postmasterPid)
  const started = performance.now()
  const working = crowd.work(() => isSubmitted)
  const submitted = await maker.act('submitBatch', { batchId, version: rows[0]?.version, repeatReason: null }, batchId)
  if (!submitted?.ok) throw new Error(`The batch was not submitted: ${JSON.stringify(submitted)}`)
  await untilStarted(pool, applicationId, batchId)
  const submissionMs = performance.now() - started
  isSubmitted = true
  const { server, postgres } = await cpu.stop()
  const busy = await working
  const decided = await decide(scene, batchId)
  await endAll(pool, applicationId, batchId)
  return {
    checkMs,
    quiet,
    busy,
    rowsPerSecond: ROWS / (submissionMs / 1_000),
    ...decided,
    serverCores: server,
    postgresCores: postgres,
  }
}

async function decide({ checker }: Scene, batchId: string): Promise<{ readMs: number; decisionMs: number }> {
  const readAt = performance.now()
  const shown = (await checker.request(`approvals/batches/${batchId}`)) as BatchApproval | undefined
  const readMs = performance.now() - readAt
  if (shown?.count !== ROWS) throw new Error(`The checker was shown ${shown?.count} rows`)
  const decidedAt = performance.now()
  const input = { batchId, decision: 'validated', note: 'bench', hash: shown.hash, shownAt: shown.shownAt }
  const answer = await checker.act('decideWholeBatch', input, batchId)
  const decisionMs = performance.now() - decidedAt
  const value = answer?.ok ? (answer.value as { approved?: number }) : undefined
  if (value?.approved !== ROWS) throw new Error(`The batch was not decided: ${JSON.stringify(answer)}`)
  return { readMs, decisionMs }
}

/** Records the results that the operators would report: otherwise each round would find the open work of all earlier ones. */
async function endAll(pool: Pool, applicationId: string, batchId: string): Promise<void> {
  const { rows } = await pool.query<{ id: string }>(
    "select transaction_id as id from transactions where application_id = $1 and batch_id = $2 and status = 'PENDING'",
    [applicationId, batchId],
  )
  for (let start = 0; start < rows.length; start += ENDED_AT_ONCE) {
    const part = rows.slice(start, start + ENDED_AT_ONCE)
    await transition(
      pool,
      part.map(({ id }) => ({ applicationId, transactionId: id, event: 'succeeded' as const, actor: SYSTEM_ACTOR })),
    )
  }
}

/** Every row is another person and every file other people, so that no row is a duplicate and no file a repetition. */
function fileOf(round: number): string {
  const lines = Array.from(
    { length: ROWS },
    (_, index) => `2376${70 + round}${String(index).padStart(6, '0')};Clarisse Mbarga ${index};${500 + index};MOMOCM`,
  )
  return ['Téléphone;Nom;Montant;Opérateur', ...lines].join('\n')
}

async function untilStarted(pool: Pool, applicationId: string, batchId: string): Promise<void> {
  const limitMs = performance.now() + SUBMIT_LIMIT_MS
  while (performance.now() < limitMs) {
    const { rows } = await pool.query<{ state: string; started: number }>(
      'select state, started_count as started from batches where application_id = $1 and batch_id = $2',
      [applicationId, batchId],
    )
    if (rows[0]?.state === 'submitted' && rows[0].started === ROWS) return
    await delay(20)
  }
  throw new Error('The rows were not started within a minute')
}

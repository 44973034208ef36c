import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { DENIED_AFTER_STOP_MESSAGE, STOPPED_MESSAGE } from '#lib/payments/transactions/transaction-status.ts'
import { verifyBooks } from '#server/reports/verify/verify-books.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { findTransaction } from '#server/transactions/transaction-store.ts'
import { NO_LOOPS, SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import type { QueryOutcome, SubmitOutcome } from '../connector.ts'
import { claimAll, readWork } from '../testing/read-work.ts'
import type { ClaimedWork } from '../work/operator-work-store.ts'
import { createAnswerRecorder } from '../work/settle-final-result.ts'
import { endStoppedRows, pauseBatch, resumeBatch, stopBatch } from './control-batch.ts'

let database: TestDatabase
let applicationId: string
before(async () => {
  database = await createTestDatabase()
  applicationId = await makeApplication(database.pool)
})
after(async () => {
  const wrong = (await verifyBooks(database.pool)).filter(({ check }) => check !== 'approvals')
  await database.drop()
  assert.deepEqual(wrong, [])
})

const makerId = randomUUID()
const exchange = { httpStatus: 200, answer: '{}' }
const LEASE_MS = 600_000

type Answer = { which: number; submit: 'accepted' | 'unknown' | 'not_sent'; query: 'pending' | 'unknown' | 'not_found' }
type Step = 'claim' | 'pause' | 'resume' | 'stop' | 'pass_time' | 'end_rows' | Answer

const answer = fc.record<Answer>({
  which: fc.nat(3),
  submit: fc.constantFrom('accepted', 'unknown', 'unknown', 'unknown', 'not_sent', 'not_sent', 'not_sent'),
  query: fc.constantFrom('pending', 'unknown', 'not_found', 'not_found', 'not_found', 'not_found', 'not_found', 'not_found'),
})
const single: fc.Arbitrary<Step[]> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<Step[]>(['pause'], ['resume'], ['resume'], ['claim']) },
  { weight: 1, arbitrary: fc.constantFrom<Step[]>(['stop'], ['end_rows']) },
  { weight: 2, arbitrary: fc.constantFrom<Step[]>(['pass_time'], ['claim']) },
  { weight: 3, arbitrary: answer.map((one): Step[] => [one]) },
)
/** The usual order: it is due, it is claimed, and it is answered. */
const round = answer.map((one): Step[] => ['pass_time', 'claim', one])
/** A submission whose answer is lost and that the operator then denies twice, so that it is sent again unless somebody stops it. */
const lost = fc.constant<Step[]>([
  ...Array.from({ length: 3 }, (): Step[] => ['pass_time', 'claim', { which: 0, submit: 'unknown', query: 'not_found' }]).flat(),
  'pass_time',
  'claim',
])
/** Two processes, or a process and a person, at once. */
const together = fc
  .tuple(fc.constantFrom<Step>('pause', 'resume', 'stop', 'claim', 'end_rows'), fc.oneof(answer, fc.constant<Step>('claim')))
  .map((pair) => ({ together: pair }))
const plan = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: round },
    { weight: 5, arbitrary: single },
    { weight: 2, arbitrary: together },
    { weight: 1, arbitrary: lost },
  ),
  { minLength: 2, maxLength: 14 },
)

/** One row of a batch, two processes that may work on it, and what is known about it without a look into the database. */
class Row {
  readonly batchId = randomUUID()
  readonly item = anIntakeItem(applicationId, { source: 'file', makerId, batchId: this.batchId, type: 'COLLECT' })
  readonly #person = { kind: 'person', id: makerId, applicationId, roles: ['maker'] } as const
  readonly #deps = { pool: database.pool, wake: NO_LOOPS }
  readonly #recorders = [createRecorder(), createRecorder()]
  readonly #calls: ClaimedWork[] = []
  /** The outcome of each submission as the service knows it, by its number; undefined while no answer is recorded. */
  readonly submissions = new Map<number, SubmitOutcome['kind'] | undefined>()
  state: 'running' | 'paused' | 'stopped' = 'running'
  isProven = false
  /** Since the last submission, and since the stop. */
  denials = 0
  denialsAfterStop = 0

  async take(step: Step): Promise<void> {
    const { batchId } = this
    const command = { applicationId, batchId, person: this.#person, reason: 'x' }
    if (step === 'claim') await this.#claim()
    else if (step === 'end_rows') await endStoppedRows(this.#deps)
    else if (step === 'pass_time') await this.passTime()
    else if (step === 'pause') this.state = (await pauseBatch(this.#deps, command)).ok ? 'paused' : this.state
    else if (step === 'resume') this.state = (await resumeBatch(this.#deps, command)).ok ? 'running' : this.state
    else if (step === 'stop') this.state = (await stopBatch(this.#deps, command)).ok ? 'stopped' : this.state
    else await this.#answer(step)
  }

  read(): ReturnType<typeof findTransaction> {
    return findTransaction(database.pool, applicationId, this.item.transactionId)
  }

  async passTime(): Promise<void> {
    await database.pool.query(
      `update operator_work set next_at = least(next_at, now() - interval '1 second'), claimed_until = now()
       where transaction_id = $1 and state <> 'paused'`,
      [this.item.transactionId],
    )
  }

  async #claim(): Promise<void> {
    const stateBefore = this.state
    for (const work of await claimAll(database.pool, 'MOMOCM', 10, LEASE_MS)) {
      if (work.transactionId !== this.item.transactionId) continue
      if (work.foundState === 'queued') {
        assert.ok(stateBefore === 'running' || this.state === 'running', `sent while ${this.state}`)
        this.submissions.set(work.submissions, undefined)
        this.denials = 0
      }
      this.#calls.push(work)
    }
  }

  async #answer(step: Answer): Promise<void> {
    const [work] = this.#calls.splice(step.which % Math.max(this.#calls.length, 1), 1)
    if (!work) return
    const isSubmission = work.foundState === 'queued'
    const kind = isSubmission ? step.submit : step.query
    const outcome = { kind, detail: '', exchange } as SubmitOutcome | QueryOutcome
    const recorder = this.#recorders[step.which % 2]
    await recorder?.submit({ work, kind: isSubmission ? 'submit' : 'query', outcome, durationMs: 1 })
    if (isSubmission) this.submissions.set(work.submissions, step.submit)
    // An answer to a call that was given up may arrive after the end.
    if (kind === 'accepted' || kind === 'pending') this.isProven ||= (await this.read())?.status === 'PENDING'
    if (kind !== 'not_found') return
    this.denials++
    if (await this.#isStopStored()) this.denialsAfterStop++
  }

  /** An answer that is recorded beside a stop may come before it or after it, which only the order of the commits says. */
  async #isStopStored(): Promise<boolean> {
    const { rowCount } = await database.pool.query(
      `select from batch_runs where application_id = $1 and batch_id = $2 and state = 'stopped'`,
      [applicationId, this.batchId],
    )
    return rowCount === 1
  }

  /** Answers what is in progress, and then every query with a denial, until nothing is left to do or the row has ended. */
  async letOperatorDeny(): Promise<void> {
    for (let round = 0; round < 8 + this.#calls.length; round++) {
      await this.take({ which: 0, submit: 'not_sent', query: 'not_found' })
      await this.take('end_rows')
      await this.passTime()
      await this.take('claim')
    }
  }
}

function createRecorder(): ReturnType<typeof createAnswerRecorder> {
  return createAnswerRecorder({
    pool: database.pool,
    random: () => 0.5,
    pollDelaysMs: [LEASE_MS],
    rules: { absenceMs: 0, acceptedAbsenceMs: 0, hintGapMs: LEASE_MS },
  })
}

async function finish(row: Row): Promise<string> {
  await row.take('stop')
  await row.letOperatorDeny()
  const { transactionId } = row.item
  const stored = await row.read()
  const haveAllStayed = [...row.submissions.values()].every((outcome) => outcome === 'not_sent')
  if (stored?.status === 'FAILED') {
    if (stored.message === STOPPED_MESSAGE) assert.ok(haveAllStayed, 'stopped as unsent although an operator may have it')
    else {
      assert.equal(stored.message, DENIED_AFTER_STOP_MESSAGE)
      const { isProven, denials, denialsAfterStop } = row
      assert.ok(!isProven && denials >= 2 && denialsAfterStop >= 1, `ended after ${denials} denials, ${denialsAfterStop} after the stop`)
    }
    return stored.message ?? ''
  }
  // A transfer that the operator has shown to have is queried until the operator reports its result.
  assert.ok(row.isProven, 'nothing will end it')
  const work = await readWork(database.pool, row.item)
  assert.match(String(work?.['state']), /^(?:submitted|unconfirmed)$/)
  assert.ok(work?.['next_at'] instanceof Date, 'it is not queried any more')
  await transition(database.pool, [{ applicationId, transactionId, event: 'succeeded', actor: SYSTEM_ACTOR }])
  return 'accepted'
}

test('not sent while paused or after a stop, and ended by the stop, the denials or the operator, in any order of steps', async () => {
  const ends = new Map<string, number>()
  let resent = 0
  await fc.assert(
    fc.asyncProperty(plan, async (steps) => {
      const row = new Row()
      await takeIn(database.pool, [row.item])
      for (const step of steps) {
        if ('together' in step) await Promise.all(step.together.map((one) => row.take(one)))
        else for (const one of step) await row.take(one)
      }
      const end = await finish(row)
      ends.set(end, (ends.get(end) ?? 0) + 1)
      if ([...row.submissions.values()].filter((outcome) => outcome !== 'not_sent').length > 1) resent++
    }),
    { numRuns: 150 },
  )
  assert.ok(resent > 3, `only ${resent} rows were sent again`)
  for (const end of [STOPPED_MESSAGE, DENIED_AFTER_STOP_MESSAGE, 'accepted']) assert.ok((ends.get(end) ?? 0) > 5, JSON.stringify([...ends]))
})

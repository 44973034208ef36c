import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { createLogger } from '#server/logger.ts'
import type { Connector, Exchange, FinalOutcome, QueryOutcome, SubmitOutcome } from '#server/operators/connector.ts'
import { guardConnector } from '#server/operators/guard-connector.ts'
import { aConnectorContext } from '#server/operators/testing/connectors/connector-context.ts'
import { claimAll } from '#server/operators/testing/read-work.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication } from '#server/testing/factories.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import type { ClaimedWork } from '../operator-work-store.ts'
import { createAnswerRecorder } from '../settle-final-result.ts'
import { queryWork, submitWork } from './submit-and-query.ts'

let database: TestDatabase
let applicationId: string
let clockColumns: string[]
before(async () => {
  database = await createTestDatabase()
  applicationId = await makeApplication(database.pool)
  const { rows } = await database.pool.query<{ name: string }>(
    `select column_name as name from information_schema.columns where table_name = 'operator_work' and data_type like 'timestamp%'`,
  )
  clockColumns = rows.map(({ name }) => name)
})
after(() => database.drop())

const LEASE_MS = 600_000
const ABSENCE_MS = 60_000
/** Until a transfer that the operator has taken can be found by its queries: less than an absence that is believed. */
const LAG_MS = 40_000
const exchange: Exchange = { httpStatus: 200, answer: '{}' }
/** Counts the cases that the runs reached, so that a property that no longer reaches them fails. */
const reached = { sentAgain: 0, refusedAgain: 0, arrivedAfterNext: 0, deniedAlthoughTaken: 0, atOneInstant: 0, executed: 0, failed: 0 }

type Call = { arrival: 'now' | 'late' | 'never'; isAnswered: boolean }
/** A pause, then perhaps what was held up arrives, then one process works; or several that have been answered record it at one instant. */
type Step = ({ do: 'work'; afterMs: number; arrivesFirst: boolean; isHeld: boolean } & Call) | { do: 'record'; count: number }
/** The answer to a call, before it is recorded. */
type Answer = { work: ClaimedWork; kind: 'submit' | 'query'; outcome: SubmitOutcome | QueryOutcome }
type Plan = { pays: boolean; knowsReferences: boolean; steps: Step[] }

const plan: fc.Arbitrary<Plan> = fc.record({
  pays: fc.constantFrom(true, true, false),
  knowsReferences: fc.constantFrom(true, true, false),
  steps: fc.array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          do: fc.constant('work' as const),
          afterMs: fc.constantFrom(5_000, 35_000, 65_000, 65_000, 65_000, 610_000),
          arrivesFirst: fc.constantFrom(false, false, true),
          arrival: fc.constantFrom('now' as const, 'late' as const, 'late' as const, 'never' as const),
          isAnswered: fc.constantFrom(true, true, true, false),
          isHeld: fc.constantFrom(true, false, false),
        }),
      },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('record' as const), count: fc.integer({ min: 2, max: 3 }) }) },
    ),
    { minLength: 8, maxLength: 24 },
  ),
})

/** An operator with books of its own. It tells the truth, but of what it has just taken it does not know yet. */
class Operator {
  executions = 0
  #takenAtMs: number | undefined
  #late = 0
  readonly #plan: Plan

  constructor(made: Plan) {
    this.#plan = made
  }

  submit({ arrival, isAnswered }: Call, nowMs: number): SubmitOutcome {
    // Without a reference that it knows again, nothing could keep it from executing what arrives late.
    if (arrival === 'late' && this.#plan.knowsReferences) this.#late++
    const outcome = arrival === 'now' ? this.#take(nowMs) : undefined
    return outcome && isAnswered ? outcome : { kind: 'unknown', detail: '', exchange }
  }

  query({ isAnswered }: Call, nowMs: number): QueryOutcome {
    if (!isAnswered) return { kind: 'unknown', detail: '', exchange }
    if (this.#takenAtMs === undefined) return { kind: 'not_found', exchange }
    if (nowMs >= this.#takenAtMs + LAG_MS) return { kind: 'succeeded', exchange }
    reached.deniedAlthoughTaken++
    return { kind: 'not_found', exchange }
  }

  /** Everything that was held up on its way arrives. */
  arrive(nowMs: number): void {
    for (; this.#late > 0; this.#late--) {
      if (this.#takenAtMs !== undefined) reached.arrivedAfterNext++
      this.#take(nowMs)
    }
  }

  #take(nowMs: number): SubmitOutcome {
    const refusal: FinalOutcome = { kind: 'failed', reason: 'Transaction refus\u00e9e', operatorCode: 'refused', exchange }
    if (!this.#plan.pays) return refusal
    if (this.#takenAtMs !== undefined && this.#plan.knowsReferences) {
      reached.refusedAgain++
      return { ...refusal, operatorCode: 'already used' }
    }
    this.#takenAtMs ??= nowMs
    this.executions++
    return { kind: 'succeeded', exchange }
  }
}

/** One payment, any number of processes that work on it, and a clock that only the test moves. */
class World {
  end: 'succeeded' | 'failed' | undefined
  readonly operator: Operator
  readonly #item: IntakeItem
  #nowMs = 0
  #call: Call = { arrival: 'now', isAnswered: true }
  #held: Answer[] = []
  readonly #connector: ReturnType<typeof guardConnector>
  readonly #recorder = createAnswerRecorder({
    pool: database.pool,
    random: () => 0.5,
    pollDelaysMs: [5_000],
    rules: { absenceMs: ABSENCE_MS, acceptedAbsenceMs: ABSENCE_MS, hintGapMs: 5_000 },
  })

  constructor(item: IntakeItem, made: Plan) {
    this.#item = item
    this.operator = new Operator(made)
    const connector: Connector = {
      terms: aConnectorContext().terms,
      submit: async () => this.operator.submit(this.#call, this.#nowMs),
      query: async () => this.operator.query(this.#call, this.#nowMs),
      balance: async () => ({ kind: 'unknown', detail: '', exchange }),
      parseCallback: () => ({ kind: 'unverified' }),
      close: async () => undefined,
    }
    this.#connector = guardConnector('MOMOCM', connector, createLogger('silent'))
  }

  async run(step: Step): Promise<void> {
    if (this.end) return
    if (step.do === 'record') return this.#record(this.#held.splice(0, step.count))
    await this.#pass(step.afterMs)
    if (step.arrivesFirst) this.operator.arrive(this.#nowMs)
    this.#call = step
    await this.#work()
    if (!step.isHeld) await this.#record(this.#held.splice(-1))
  }

  /** Moves every time of the row into the past: that is the same as time that passes. */
  async #pass(ms: number): Promise<void> {
    this.#nowMs += ms
    const moved = clockColumns.map((name) => `${name} = ${name} - $2 * interval '1 millisecond'`).join(', ')
    await database.pool.query(`update operator_work set ${moved} where application_id = $1`, [this.#item.applicationId, ms])
  }

  async #work(): Promise<void> {
    const [work] = await claimAll(database.pool, 'MOMOCM', 1, LEASE_MS)
    if (!work) return
    if (work.result) return this.#settle(work.result)
    const kind = work.foundState === 'queued' ? 'submit' : 'query'
    if (kind === 'submit' && work.submissions > 1) reached.sentAgain++
    const outcome =
      kind === 'submit' ? await submitWork(this.#connector, work, async () => true, {}) : await queryWork(this.#connector, work)
    assert.ok(outcome.kind !== 'wrong_code')
    this.#held.push({ work, kind, outcome })
  }

  /** Several processes record what they were answered at one instant. */
  async #record(answers: readonly Answer[]): Promise<void> {
    if (answers.length > 1) reached.atOneInstant++
    await Promise.all(
      answers.map(async ({ work, kind, outcome }) => {
        const { isCurrent } = await this.#recorder.submit({ work, kind, outcome, durationMs: 1 })
        const isFinal = outcome.kind === 'succeeded' || outcome.kind === 'failed'
        if (isFinal && (kind === 'query' || isCurrent)) this.#settle(outcome)
      }),
    )
  }

  #settle({ kind }: FinalOutcome): void {
    this.end ??= kind
  }
}

test('executed at most once, and never FAILED if the operator has executed it, in any order of lost, late and refused submissions, denials and ended leases', async () => {
  await fc.assert(
    fc.asyncProperty(plan, async (made) => {
      await database.pool.query('delete from operator_work')
      const item = anIntakeItem(applicationId, { type: 'COLLECT' })
      await takeIn(database.pool, [item])
      const world = new World(item, made)
      for (const step of made.steps) await world.run(step)
      world.operator.arrive(Number.MAX_SAFE_INTEGER)
      const { executions } = world.operator
      assert.ok(executions <= 1, `executed ${executions} times`)
      if (world.end === 'failed') assert.equal(executions, 0, 'FAILED although the operator executed it')
      if (world.end === 'succeeded') assert.equal(executions, 1)
      if (executions > 0) reached.executed++
      if (world.end === 'failed') reached.failed++
    }),
    { numRuns: 120 },
  )
  for (const [name, count] of Object.entries(reached)) assert.ok(count > 0, `${name} never happened: the steps do not reach far enough`)
})

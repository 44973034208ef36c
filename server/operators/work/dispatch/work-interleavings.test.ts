import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import type { Exchange, QueryOutcome, SubmitOutcome } from '#server/operators/connector.ts'
import { claimAll } from '#server/operators/testing/read-work.ts'
import { type Answers, type Step, step } from '#server/operators/testing/work-steps.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication } from '#server/testing/factories.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { type ClaimedWork, storeCallbacks, storeForcedEnquiries, takeAttemptNumber } from '../operator-work-store.ts'
import { createAnswerRecorder } from '../settle-final-result.ts'

let database: TestDatabase
let applicationId: string
before(async () => {
  database = await createTestDatabase()
  applicationId = await makeApplication(database.pool)
})
after(() => database.drop())

/** Counts the cases that the runs reached, so that a property that no longer reaches them fails. */
let sentAgain = 0
let keptFromResending = 0
let tooEarly = 0
const ABSENCE_MS = 60_000
const exchange: Exchange = { httpStatus: 200, answer: '{}' }

/** One row, any number of processes that claim it, answers in any order. Checks each step against the rules of DECISIONS.md. */
class Model {
  #item: IntakeItem
  #held: ClaimedWork[] = []
  #isLeased = false
  #claims = 0
  #claimOf = new Map<ClaimedWork, number>()
  #submissions = 0
  /** Denials in a row with which the operator answered scheduled queries of the present submission. */
  #denials = 0
  /** How long ago the first of them was. */
  #absentMs = 0
  /** A denial came at least a minute after the first one. */
  #isAbsent = false
  /** The last submission never left this service: it may be made again without asking. */
  #isUnsent = false
  /** The operator said, in any way and at any time, that it has the transfer. */
  #isAccepted = false
  #recorder = createAnswerRecorder({
    pool: database.pool,
    random: () => 0.5,
    pollDelaysMs: [600_000],
    rules: { absenceMs: ABSENCE_MS, acceptedAbsenceMs: ABSENCE_MS, hintGapMs: 600_000 },
  })

  constructor(item: IntakeItem) {
    this.#item = item
  }

  async run(next: Step): Promise<void> {
    if (next.do === 'claim') await this.#claim()
    else if (next.do === 'pass_time') await this.#passTime(next.passedMs)
    else if (next.do === 'hint') await this.#hint()
    else if (next.do === 'force') await this.#force(next.outcome)
    else if (next.do === 'finish') await this.#finish(next)
    else {
      await this.#passTime(next.passedMs)
      await this.#claim()
      await this.#finish({ ...next, which: this.#held.length - 1 })
    }
    if (this.#isAccepted && this.#denials >= 2) keptFromResending++
  }

  async #hint(): Promise<void> {
    const [verdict] = await storeCallbacks(
      database.pool,
      [
        {
          item_index: 0,
          application_id: applicationId,
          transaction_id: this.#item.transactionId,
          operator: 'MOMOCM',
          outcome: 'succeeded',
          answer: '',
          is_verified: true,
        },
      ],
      600_000,
    )
    if (verdict === 'taken') this.#isAccepted = true
    else assert.ok(this.#submissions === 0 || this.#isAccepted, 'a callback about a submission was ignored')
  }

  async #claim(): Promise<void> {
    const [work] = await claimAll(database.pool, 'MOMOCM', 10, 600_000)
    if (!work) return
    assert.equal(this.#isLeased, false, 'a leased row was claimed')
    this.#isLeased = true
    this.#claimOf.set(work, ++this.#claims)
    this.#held.push(work)
    if (work.foundState !== 'queued') return
    assert.ok(!this.#isAccepted, 'sent although the operator had it')
    const denied = `${this.#denials} denials over ${this.#absentMs} ms`
    assert.ok(this.#submissions === 0 || this.#isUnsent || (this.#denials >= 2 && this.#isAbsent), `sent again after ${denied}`)
    if (this.#submissions > 0 && !this.#isUnsent) sentAgain++
    this.#submissions++
    this.#forgetDenials()
    this.#isUnsent = false
    assert.equal(work.submissions, this.#submissions)
  }

  async #finish(next: Answers): Promise<void> {
    const work = this.#held[Math.max(0, next.which) % Math.max(1, this.#held.length)]
    if (!work) return
    this.#held.splice(this.#held.indexOf(work), 1)
    const kind = work.foundState === 'queued' ? 'submit' : 'query'
    const outcome = kind === 'submit' ? outcomeOf(next.submit) : outcomeOf(next.query)
    const { isCurrent } = await this.#recorder.submit({ work, kind, outcome, durationMs: 1 })
    if (['accepted', 'pending', 'succeeded'].includes(outcome.kind)) this.#isAccepted = true
    if (kind === 'submit') assert.equal(isCurrent, this.#claimOf.get(work) === this.#claims, 'an overtaken submission counted')
    else
      assert.equal(
        isCurrent,
        work.submissions === this.#submissions && (await this.#state()) !== 'submitting',
        'an answer about an earlier submission counted',
      )
    // A process that ends between a final word and its settlement leaves the row under its lease.
    if (!isCurrent || outcome.kind === 'succeeded') return
    this.#isLeased = false
    this.#isUnsent = outcome.kind === 'not_sent'
    if (outcome.kind === 'not_found') {
      if (this.#denials === 0) this.#absentMs = 0
      this.#denials++
      if (this.#absentMs >= ABSENCE_MS) this.#isAbsent = true
      else if (this.#denials >= 2) tooEarly++
    } else if (outcome.kind !== 'unknown') this.#forgetDenials()
  }

  #forgetDenials(): void {
    this.#denials = 0
    this.#isAbsent = false
  }

  async #passTime(passedMs: number): Promise<void> {
    await database.pool.query(
      `update operator_work set next_at = now() - interval '1 second', claimed_until = now(), absent_since = absent_since - $2 * interval '1 ms'
       where application_id = $1`,
      [applicationId, passedMs],
    )
    this.#absentMs += passedMs
    this.#isLeased = false
  }

  async #force(outcome: 'pending' | 'not_found'): Promise<void> {
    const work = await takeAttemptNumber(database.pool, applicationId, this.#item.transactionId)
    assert.ok(work)
    const { transactionId } = this.#item
    await storeForcedEnquiries(database.pool, [
      { applicationId, transactionId, number: work.number, outcome, httpStatus: 404, answer: '', durationMs: 1, needsQuery: true },
    ])
    if (outcome === 'pending') this.#isAccepted = true
  }

  async #state(): Promise<string | undefined> {
    const { rows } = await database.pool.query<{ state: string }>('select state from operator_work where application_id = $1', [
      applicationId,
    ])
    return rows[0]?.state
  }
}

function outcomeOf<Kind extends 'accepted' | 'pending' | 'not_found' | 'unknown' | 'succeeded' | 'not_sent'>(
  kind: Kind,
): Extract<SubmitOutcome | QueryOutcome, { kind: Kind }> {
  return { kind, detail: '', exchange } as Extract<SubmitOutcome | QueryOutcome, { kind: Kind }>
}

test('sent again only after two denials with a minute in between, and never once accepted, in any order of claims, answers, ended leases, callbacks and forced enquiries', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 50 }), async (steps) => {
      await database.pool.query('delete from operator_work')
      const item = anIntakeItem(applicationId, { type: 'COLLECT' })
      await takeIn(database.pool, [item])
      const model = new Model(item)
      for (const next of steps) await model.run(next)
    }),
    { numRuns: 200 },
  )
  assert.ok(sentAgain > 5, `only ${sentAgain} cases sent anything again: the steps do not reach far enough`)
  assert.ok(tooEarly > 5, `only ${tooEarly} second denials came too early to count`)
  assert.ok(keptFromResending > 5, `only ${keptFromResending} cases were kept from being sent again`)
})

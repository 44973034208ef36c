import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { anIntakeItem, makeApplication } from '../testing/factories.ts'
import { type IntakeItem, takeIn } from '../transactions/intake.ts'
import { createAnswerRecorder } from './answer-recorder.ts'
import type { Exchange, QueryOutcome, SubmitOutcome } from './connector.ts'
import { type ClaimedWork, claimDueWork, hintWork, recordForcedQuery, takeAttemptNumber } from './operator-work-store.ts'

let database: TestDatabase
let applicationId: string
before(async () => {
  database = await createTestDatabase()
  applicationId = await makeApplication(database.pool)
})
after(() => database.drop())

type Step =
  | { do: 'claim' | 'pass_time' | 'hint' | 'force' }
  | { do: 'finish' | 'round'; which: number; submit: 'accepted' | 'unknown'; query: 'pending' | 'unknown' | 'not_found' }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('claim' as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('pass_time' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('hint' as const, 'force' as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      // A round is what mostly happens: due, claimed, answered.
      do: fc.constantFrom('finish' as const, 'round' as const, 'round' as const),
      which: fc.nat(3),
      submit: fc.constantFrom('accepted' as const, 'unknown' as const),
      query: fc.constantFrom('pending' as const, 'unknown' as const, 'not_found' as const, 'not_found' as const, 'not_found' as const),
    }),
  },
)

let sentAgain = 0
const exchange: Exchange = { httpStatus: 200, answer: '{}' }

/** One row, any number of processes that claim it, answers in any order. Checks each step against the rules of the README. */
class Model {
  #item: IntakeItem
  #held: ClaimedWork[] = []
  #isLeased = false
  #claims = 0
  #claimOf = new Map<ClaimedWork, number>()
  #submissions = 0
  /** Denials in a row that the operator gave to scheduled queries of the present submission. */
  #denials = 0
  #recorder = createAnswerRecorder({
    pool: database.pool,
    random: () => 0.5,
    pollDelaysMs: [600_000],
    rules: { absenceMs: 0, acceptedAbsenceMs: 0, hintGapMs: 600_000 },
  })

  constructor(item: IntakeItem) {
    this.#item = item
  }

  async run(next: Step): Promise<void> {
    if (next.do === 'claim') await this.#claim()
    else if (next.do === 'finish') await this.#finish(next)
    else if (next.do === 'round') {
      await this.#passTime()
      await this.#claim()
      await this.#finish({ ...next, which: this.#held.length - 1 })
    } else if (next.do === 'pass_time') await this.#passTime()
    else if (next.do === 'hint')
      await hintWork(
        database.pool,
        [{ place: 0, app: applicationId, id: this.#item.transactionId, operator: 'MOMOCM', outcome: 'succeeded', answer: '' }],
        600_000,
      )
    else await this.#force()
  }

  async #claim(): Promise<void> {
    const [work] = await claimDueWork(database.pool, new Map([['MOMOCM', 10]]), 600_000)
    if (!work) return
    assert.equal(this.#isLeased, false, 'a leased row was claimed')
    this.#isLeased = true
    this.#claimOf.set(work, ++this.#claims)
    this.#held.push(work)
    if (work.foundState !== 'queued') return
    assert.ok(this.#submissions === 0 || this.#denials >= 2, `sent again after ${this.#denials} denials`)
    if (this.#submissions > 0) sentAgain++
    this.#submissions++
    this.#denials = 0
    assert.equal(work.submissions, this.#submissions)
  }

  async #finish(next: Extract<Step, { which: number }>): Promise<void> {
    const work = this.#held[Math.max(0, next.which) % Math.max(1, this.#held.length)]
    if (!work) return
    this.#held.splice(this.#held.indexOf(work), 1)
    const kind = work.foundState === 'queued' ? 'submit' : 'query'
    const outcome = kind === 'submit' ? outcomeOf(next.submit) : outcomeOf(next.query)
    const { isCurrent } = await this.#recorder.submit({ work, kind, outcome, durationMs: 1 })
    if (kind === 'submit') assert.equal(isCurrent, this.#claimOf.get(work) === this.#claims, 'an overtaken submission counted')
    else
      assert.equal(
        isCurrent,
        work.submissions === this.#submissions && (await this.#state()) !== 'submitting',
        'an answer about an earlier submission counted',
      )
    if (!isCurrent) return
    this.#isLeased = false
    if (outcome.kind === 'not_found') this.#denials++
    else if (outcome.kind !== 'unknown') this.#denials = 0
  }

  async #passTime(): Promise<void> {
    await database.pool.query("update operator_work set next_at = now() - interval '1 second' where application_id = $1", [applicationId])
    this.#isLeased = false
  }

  async #force(): Promise<void> {
    const work = await takeAttemptNumber(database.pool, applicationId, this.#item.transactionId)
    assert.ok(work)
    await recordForcedQuery(database.pool, {
      applicationId,
      transactionId: this.#item.transactionId,
      number: work.number,
      outcome: 'not_found',
      httpStatus: 404,
      answer: '',
      durationMs: 1,
      isNews: true,
    })
  }

  async #state(): Promise<string | undefined> {
    const { rows } = await database.pool.query<{ state: string }>('select state from operator_work where application_id = $1', [
      applicationId,
    ])
    return rows[0]?.state
  }
}

function outcomeOf<Kind extends 'accepted' | 'pending' | 'not_found' | 'unknown'>(
  kind: Kind,
): Extract<SubmitOutcome | QueryOutcome, { kind: Kind }> {
  return { kind, detail: '', exchange } as Extract<SubmitOutcome | QueryOutcome, { kind: Kind }>
}

test('whatever the order of claims, answers, ended leases, callbacks and forced queries: sent again only after two denials', async () => {
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
})

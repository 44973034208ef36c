import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { NO_LOOPS } from '#server/transactions/wake.ts'
import { createAnswerRecorder } from './answer-recorder.ts'
import type { QueryOutcome, SubmitOutcome } from './connector.ts'
import { pauseBatch, resumeBatch, stopBatch } from './control-batch.ts'
import { type ClaimedWork, claimWork, type FreeSlots } from './operator-work-store.ts'

let database: TestDatabase
let applicationId: string
before(async () => {
  database = await createTestDatabase()
  applicationId = await makeApplication(database.pool)
})
after(() => database.drop())

const makerId = randomUUID()
const LANES: FreeSlots[] = (['COLLECT', 'DEPOSIT', 'begun'] as const).map((lane) => ({
  operator: 'MOMOCM',
  lane,
  route: null,
  slotsMax: 10,
}))

const exchange = { httpStatus: 200, answer: '{}' }
type Outcome = 'accepted' | 'unknown' | 'not_sent'
const step = fc.oneof(
  { weight: 4, arbitrary: fc.constant('claim' as const) },
  { weight: 3, arbitrary: fc.constant('pause' as const) },
  { weight: 2, arbitrary: fc.constant('resume' as const) },
  { weight: 1, arbitrary: fc.constant('stop' as const) },
  { weight: 3, arbitrary: fc.constant('pass_time' as const) },
  { weight: 6, arbitrary: fc.constantFrom<Outcome>('accepted', 'unknown', 'not_sent', 'not_sent') },
)

test('never claimed to be sent while paused or after a stop, and never stopped once it may have left, in any order of steps', async () => {
  const { pool } = database
  const maker = { kind: 'person', id: makerId, applicationId, roles: ['maker'] } as const
  const deps = { pool, wake: NO_LOOPS }
  const recorder = createAnswerRecorder({
    pool,
    random: () => 0.5,
    pollDelaysMs: [600_000],
    rules: { absenceMs: 0, acceptedAbsenceMs: 0, hintGapMs: 600_000 },
  })
  let stops = 0
  let heldAfterSend = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 35 }), async (steps) => {
      const batchId = randomUUID()
      const item = anIntakeItem(applicationId, { source: 'file', makerId, batchId, type: 'COLLECT' })
      await takeIn(pool, [item])
      const held: ClaimedWork[] = []
      let state = 'running' as 'running' | 'paused' | 'stopped'
      let mayHaveLeft = false
      let isEnded = false
      // Claimed to be sent, and neither answered nor given up.
      let isInCall = false
      for (const next of steps) {
        if (next === 'claim') {
          const claimed = await claimWork(pool, LANES, { leaseMs: 600_000, firstQueryMs: 2_000 })
          for (const work of claimed.filter((one) => one.transactionId === item.transactionId)) {
            if (work.foundState === 'queued') assert.equal(state === 'paused' || isEnded, false, `sent while ${state}`)
            if (work.foundState === 'queued' && state === 'stopped') assert.ok(mayHaveLeft, 'sent for the first time after a stop')
            if (work.foundState === 'queued') isInCall = true
            held.push(work)
          }
        } else if (next === 'pass_time') {
          await pool.query(
            "update operator_work set next_at = now() - interval '1 second', claimed_until = null where transaction_id = $1 and state <> 'paused'",
            [item.transactionId],
          )
        } else if (next === 'pause') {
          if ((await pauseBatch(deps, { applicationId, batchId, person: maker, reason: 'x' })).ok) state = 'paused'
        } else if (next === 'resume') {
          if ((await resumeBatch(deps, { applicationId, batchId, person: maker })).ok) state = 'running'
        } else if (next === 'stop') {
          const stopped = await stopBatch(deps, { applicationId, batchId, person: maker, reason: 'x' })
          if (!stopped.ok) continue
          state = 'stopped'
          if (stopped.value.count === 0) continue
          assert.ok(!mayHaveLeft, 'stopped although an operator may have it')
          assert.equal(isInCall, false, 'stopped while it was being sent')
          isEnded = true
          stops++
        } else {
          const work = held.shift()
          if (!work) continue
          const kind = work.foundState === 'queued' ? 'submit' : 'query'
          const outcome = { kind: kind === 'query' && next !== 'unknown' ? 'pending' : next, detail: '', exchange } as
            | SubmitOutcome
            | QueryOutcome
          if (outcome.kind !== 'not_sent') mayHaveLeft = true
          if (kind === 'submit') isInCall = false
          await recorder.submit({ work, kind, outcome, durationMs: 1 })
          if (outcome.kind === 'not_sent' && state === 'paused') heldAfterSend++
        }
      }
      await pool.query('delete from operator_work where transaction_id = $1', [item.transactionId])
    }),
    { numRuns: 150 },
  )
  assert.ok(stops > 5, `only ${stops} cases stopped anything`)
  assert.ok(heldAfterSend > 0, `only ${heldAfterSend} cases returned to a paused batch`)
})

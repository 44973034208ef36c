import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { systemClock } from '#server/clock.ts'
import { readPostingKinds } from '#server/ledger/testing.ts'
import { verifyDatabase } from '#server/reports/verify/verify-books.ts'
import { confirmTogether, proposeTogether } from './adjust-together.ts'
import { listChanges } from './list-changes.ts'
import { EVIDENCE, late, openAdjustmentDesk } from './testing/adjustment-desk.ts'

let desk: Awaited<ReturnType<typeof openAdjustmentDesk>>
before(async () => {
  desk = await openAdjustmentDesk()
})
after(() => desk.database.drop())

/** Exceptions about collects of partners that their operator executed after all, each in the books of another application. */
async function contradictions(count: number): Promise<{ exceptionId: string; ledger: string; transactionId: string }[]> {
  const ids: string[] = []
  for (let made = 0; made < count; made++) {
    const ledger = await desk.partner()
    const transactionId = await desk.ended(ledger, 'COLLECT', 'failed')
    await desk.database.pool.query(
      `insert into operator_contradictions (application_id, transaction_id, number, source, said, stored_status, http_status, answer, at)
         values ($1, $2, 1, 'query', 'succeeded', 'FAILED', 200, '{}', clock_timestamp())`,
      [ledger, transactionId],
    )
    ids.push(transactionId)
  }
  const { rows } = await desk.database.pool.query<{ exceptionId: string; ledger: string; transactionId: string }>(
    `select exception_id as "exceptionId", matched_application_id as ledger, transaction_id as "transactionId" from exceptions
      where transaction_id = any($1) and outcome is null`,
    [ids],
  )
  assert.equal(rows.length, count)
  return rows
}

const together = (exceptionIds: string[], actor = desk.fatou) =>
  proposeTogether(desk.database.pool, {
    applicationId: desk.installation,
    actor,
    adjustments: { kind: 'adjustment.late', exceptionIds, ...EVIDENCE, waivesFees: false },
  })
const confirmAll = (batchId: string, actor = desk.serge) =>
  confirmTogether({ pool: desk.database.pool, clock: systemClock }, { applicationId: desk.installation, batchId, actor })

test('a posting for each of three exceptions that one person proposed together and another confirmed at once; each exception is closed', async () => {
  const found = await contradictions(3)
  const proposal = await together(found.map(({ exceptionId }) => exceptionId))
  assert.ok(proposal.ok, JSON.stringify(proposal))
  const { batchId } = proposal.value
  const kinds = () => Promise.all(found.map(({ ledger }) => readPostingKinds(desk.database.pool, ledger)))
  assert.ok((await kinds()).every((posted) => !posted.includes('late')))
  assert.deepEqual(await confirmAll(batchId, desk.fatou), { ok: false, error: 'own_proposal' })
  const { changes } = await listChanges(desk.database.pool, {
    applicationId: desk.installation,
    kinds: ['adjustment.late'],
    actor: desk.serge,
  })
  assert.equal(changes.filter((change) => change.batchId === batchId && change.mayDecide === true).length, 3)
  // One of them is confirmed for itself, and the others then at once, also by two presses.
  const [one] = changes.filter((change) => change.batchId === batchId)
  assert.ok((await desk.confirm(one?.changeId ?? '')).ok)
  const both = await Promise.all([confirmAll(batchId), confirmAll(batchId)])
  assert.equal(
    both.reduce((sum, result) => sum + (result.ok ? result.value.confirmed : 0), 0),
    2,
  )
  assert.ok((await kinds()).every((posted) => posted.filter((kind) => kind === 'late').length === 1))
  const { rows } = await desk.database.pool.query('select distinct outcome from exceptions where exception_id = any($1)', [
    found.map(({ exceptionId }) => exceptionId),
  ])
  assert.deepEqual(rows, [{ outcome: 'adjusted' }])
  assert.deepEqual(await confirmAll(batchId), { ok: false, error: 'not_open' })
  const exceptionId = found[0]?.exceptionId ?? ''
  assert.deepEqual(await together([exceptionId]), { ok: false, error: { exceptionId, failure: 'no_exception' } })
  assert.deepEqual(await verifyDatabase(desk.database.pool), [])
})

test('already_proposed for one of several exceptions, and none is proposed; not_permitted without the role, not_found without an exception or a batch', async () => {
  const [first, second] = await contradictions(2)
  assert.ok(first && second)
  await desk.proposed(late(second.ledger, second.transactionId))
  assert.deepEqual(await together([first.exceptionId, second.exceptionId]), {
    ok: false,
    error: { exceptionId: second.exceptionId, failure: 'already_proposed' },
  })
  const { rows } = await desk.database.pool.query('select 1 from proposed_changes where subject like $1', [`%${first.transactionId}`])
  assert.deepEqual(rows, [])
  assert.deepEqual(await together([first.exceptionId], await desk.actorOf(desk.installation, ['engineer'])), {
    ok: false,
    error: 'not_permitted',
  })
  const unknown = randomUUID()
  assert.deepEqual(await confirmAll(unknown), { ok: false, error: 'not_found' })
  assert.deepEqual(await together([unknown]), { ok: false, error: { exceptionId: unknown, failure: 'no_exception' } })
})

test('confirmed without one that was adjusted meanwhile, which keeps waiting with its reason', async () => {
  const found = await contradictions(2)
  const proposal = await together(found.map(({ exceptionId }) => exceptionId))
  assert.ok(proposal.ok)
  // Only the owner of the tables could post it between the two people.
  const [gone] = found
  await desk.database.pool.query(
    `insert into ledger_postings (application_id, subject_id, kind, operator, currency, actor_id, reason, change_application_id, change_id, at)
       select $1, $2, 'late', 'MOMOCM', 'XAF', $3, 'x', $4, gen_random_uuid(), now()`,
    [gone?.ledger, gone?.transactionId, desk.fatou.id, desk.installation],
  )
  assert.deepEqual(await confirmAll(proposal.value.batchId), {
    ok: true,
    value: { confirmed: 1, refused: { code: 'refused', reason: 'already_adjusted' } },
  })
})

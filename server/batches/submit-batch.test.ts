import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { transactionFilterSchema } from '#lib/schemas/list-filter.ts'
import { setFeeSchedule, setTransferService } from '#server/applications/terms.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { OverloadedError } from '#server/database/batcher.ts'
import { searchTransactions } from '#server/reports/transaction-search/search-transactions.ts'
import { verifyBooks } from '#server/reports/verify/verify-books.ts'
import { inUtc } from '#server/testing/business-time.ts'
import { anIntakeItem, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { type Intake, takeIn } from '#server/transactions/intake.ts'
import { claimSubmitting } from './batch-store.ts'
import { createBatchSubmitter, startRows } from './rows/start-rows.ts'
import { submitBatch } from './submit-batch.ts'
import { BATCH_HEAD, BatchHarness, type Scene } from './testing/batch-harness.ts'
import { ALL_CONNECTED, makeBatch, snapshotOf } from './testing/make-batch.ts'

let harness: BatchHarness
before(async () => {
  harness = await BatchHarness.open()
})
after(() => harness.close())

test('submitted rows wait for a checker with the batch, the maker and the total of the whole file', async () => {
  const one = await harness.scene(['237677209341;Awa;5000;MOMOCM', '237677209342;Koffi;700;MOMOCM', '2.37E+11;No;1;MOMOCM'])
  assert.deepEqual(must(await harness.submit(one)), { rows: 2 })
  assert.deepEqual(
    (await harness.transactionsOf(one)).map(({ status, source, maker_id }) => [status, source, maker_id]),
    [
      ['PENDING_APPROVAL', 'file', one.makerId],
      ['PENDING_APPROVAL', 'file', one.makerId],
    ],
  )
  const rows = await harness.rowsOf(one)
  assert.deepEqual(
    rows.map(({ transaction_id }) => transaction_id !== null),
    [true, true, false],
  )
  assert.equal((await harness.stored(one)).started_count, 2)
  assert.deepEqual(
    (await verifyBooks(harness.pool)).filter(({ subject }) => subject.includes(one.applicationId)),
    [],
  )
})

test('the purpose of each row of the file is that of its transaction, and the list finds it', async () => {
  const owner = await harness.scene(['237677209341;Awa;5000;MOMOCM'])
  const text = 'Numéro;Nom;Montant;Opérateur;Motif\n237677209341;Awa;5000;MOMOCM;Facture 2026-118\n237677209342;Koffi;700;MOMOCM;'
  const one = { ...owner, batchId: await makeBatch(harness.pool, { ...owner, text }) }
  must(await harness.submit(one))
  const { rows } = await harness.pool.query('select purpose from transactions where batch_id = $1 order by sequence', [one.batchId])
  assert.deepEqual(
    rows.map((row) => row.purpose),
    ['Facture 2026-118', ''],
  )
  const filter = transactionFilterSchema.parse({ name: 'facture 2026-1' })
  const found = await searchTransactions(harness.pool, inUtc(one.applicationId), filter)
  assert.deepEqual(
    found.rows.map((row) => row.customerName),
    ['Awa'],
  )
})

test('the total of the whole file is weighed with each row, however many parts it is started in, and the order of the file is kept', async () => {
  const { pool } = harness
  const lines = Array.from({ length: 1_200 }, (_, index) => `237677${String(200_000 + index)};Person ${index};1000;MOMOCM`)
  const one = await harness.scene(lines)
  const rules = [
    {
      name: 'Above a million',
      sources: ['file'],
      limits: { XAF: '100000000' },
      approvals: [2],
      types: ['DEPOSIT'],
      operators: null,
      firstTimeOnly: false,
      needsCode: false,
      apiMayDecide: false,
      expiresInHours: 24,
    },
  ]
  await pool.query(
    'insert into approval_policies (application_id, version, rules, proposed_by, activated_by, activated_at) values ($1, 1, $2, $3, $4, now())',
    [one.applicationId, JSON.stringify(rules), one.makerId, await makePerson(pool, one.applicationId, ['administrator'])],
  )
  await harness.directory.refresh()
  must(await harness.submit({ ...one, application: await snapshotOf(pool, one.applicationId) }))
  const { rows } = await pool.query('select distinct steps from approval_items where application_id = $1', [one.applicationId])
  assert.deepEqual(rows, [{ steps: [2] }])
  const inFile = (await harness.rowsOf(one)).map((row) => row.external_id)
  assert.deepEqual(
    (await harness.transactionsOf(one)).map((row) => row.external_id),
    inFile,
  )
})

test('refused: the same payments in another file, until a reason is given', async () => {
  const lines = ['237677209341;Awa;5000;MOMOCM', '237677209342;Koffi;700;MOMOCM']
  const one = await harness.scene(lines)
  must(await harness.submit(one))
  const batchId = await makeBatch(harness.pool, { ...one, text: [BATCH_HEAD, lines[1], '', lines[0]].join('\n') })
  const again = { ...one, batchId }
  assert.deepEqual(await harness.submit(again), { ok: false, error: 'same_content' })
  must(await harness.submit(again, 'A second salary'))
  assert.equal((await harness.transactionsOf(again)).length, 2)
})

test('the earlier batch and the reason are stored and recorded with payments that are sent again, and no reason where none is', async () => {
  const lines = ['237677209371;Awa;5000;MOMOCM']
  const one = await harness.scene(lines)
  must(await harness.submit(one, 'Not needed'))
  const again = { ...one, batchId: await makeBatch(harness.pool, { ...one, text: [BATCH_HEAD, ...lines].join('\n') }) }
  must(await harness.submit(again, 'A second salary'))
  const { rows } = await harness.pool.query(
    `select b.batch_id, b.repeats_batch_id, b.repeat_reason, e.details ->> 'repeats' as repeats, e.details ->> 'reason' as reason
       from batches b join audit_entries e on e.application_id = b.application_id and e.subject = b.batch_id::text and e.action = 'batch.submitted'
       where b.application_id = $1 order by b.submitted_at`,
    [one.applicationId],
  )
  assert.deepEqual(rows, [
    { batch_id: one.batchId, repeats_batch_id: null, repeat_reason: null, repeats: null, reason: null },
    {
      batch_id: again.batchId,
      repeats_batch_id: one.batchId,
      repeat_reason: 'A second salary',
      repeats: one.batchId,
      reason: 'A second salary',
    },
  ])
})

test('one of two batches with equal content that are submitted at once, and same_content for the other', async () => {
  const { pool } = harness
  const lines = ['237677209351;Awa;5000;MOMOCM', '237677209352;Koffi;700;MOMOCM']
  const one = await harness.scene(lines)
  const other = { ...one, batchId: await makeBatch(pool, { ...one, text: [BATCH_HEAD, ...lines].join('\n') }) }
  const commands = await Promise.all([one, other].map((batch) => harness.command(batch)))
  const holder = await pool.connect()
  try {
    // Nobody can write the audit entry, so both are as far as they get without the other.
    await holder.query('begin; lock table audit_entries in exclusive mode')
    const submitting = Promise.all(
      commands.map((command) => submitBatch({ ...harness.deps(), wakeSubmitter: () => undefined }, { ...command, repeatReason: null })),
    )
    await waitUntil('both wait', async () => {
      const { rowCount } = await pool.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      )
      return rowCount === 2
    })
    await holder.query('commit')
    const results = await submitting
    assert.deepEqual(results.map((result) => (result.ok ? 'submitted' : result.error)).sort(), ['same_content', 'submitted'])
  } finally {
    await holder.query('rollback')
    holder.release()
  }
})

test('every row counted once and one batch.started where two processes start the rows of one batch', async () => {
  const { pool, intake } = harness
  const one = await harness.scene(Array.from({ length: 20 }, (_, index) => `2376774${String(10_000 + index)};Person ${index};1000;MOMOCM`))
  must(await submitBatch({ ...harness.deps(), wakeSubmitter: () => undefined }, { ...(await harness.command(one)), repeatReason: null }))
  let batch = await claimSubmitting(pool, 60_000)
  // Another test left one behind.
  while (batch && batch.batchId !== one.batchId) batch = await claimSubmitting(pool, 60_000)
  assert.ok(batch)
  const claimed = batch
  const run = () => startRows({ ...harness.deps(), intake }, one.application, claimed, { leaseMs: 60_000, isEnding: () => false })
  assert.deepEqual(await Promise.all([run(), run()]), [
    { ok: true, value: null },
    { ok: true, value: null },
  ])
  const { state, started_count } = await harness.stored(one)
  assert.deepEqual([state, started_count, (await harness.transactionsOf(one)).length], ['submitted', 20, 20])
  const { rows } = await pool.query<{ details: unknown }>(
    "select details from audit_entries where application_id = $1 and subject = $2 and action = 'batch.started'",
    [one.applicationId, one.batchId],
  )
  assert.deepEqual(rows, [{ details: { rows: 20, started: 20 } }])
})

test('a problem with the row of a collect whose fee is equal to its amount, and none with one that is a franc larger', async () => {
  const { pool } = harness
  const one = await harness.scene(['237677209341;Awa;100;MOMOCM'])
  const fees = { systemRatePpm: 0, systemFixedMinor: 50_000n, appRatePpm: 0, appFixedMinor: 50_000n }
  must(
    await setFeeSchedule(pool, {
      applicationId: one.applicationId,
      operator: 'MOMOCM',
      type: 'COLLECT',
      fees,
      actor: SYSTEM_ACTOR,
    }),
  )
  const lines = ['237677209341;Awa;1000;MOMOCM', '237677209342;Koffi;1001;MOMOCM']
  const batchId = await makeBatch(pool, { ...one, type: 'COLLECT', text: [BATCH_HEAD, ...lines].join('\n') })
  assert.deepEqual(
    (await harness.rowsOf({ ...one, batchId })).map(({ problems }) => problems.map(({ kind }) => kind)),
    [['amount_fees'], []],
  )
})

test('one submission of ten at once; every row started once', async () => {
  const one = await harness.scene(Array.from({ length: 40 }, (_, index) => `2376772${String(10_000 + index)};Person ${index};1000;MOMOCM`))
  const loops = [harness.submitter(), harness.submitter()]
  const input = { ...(await harness.command(one)), repeatReason: null }
  const results = await Promise.all(
    Array.from({ length: 10 }, (_, index) => submitBatch({ ...harness.deps(), wakeSubmitter: () => loops[index % 2]?.wake() }, input)),
  )
  assert.equal(results.filter(({ ok }) => ok).length, 1)
  await waitUntil('submitted', async () => (await harness.stored(one)).state === 'submitted')
  await Promise.all(loops.map((loop) => loop.drain()))
  assert.equal((await harness.transactionsOf(one)).length, 40)
})

test('continued by another process: a part that was started and not noted is found again, not started twice', async () => {
  const one = await harness.scene(Array.from({ length: 30 }, (_, index) => `2376773${String(10_000 + index)};Person ${index};1000;MOMOCM`))
  must(await submitBatch({ ...harness.deps(), wakeSubmitter: () => undefined }, { ...(await harness.command(one)), repeatReason: null }))
  const rows = await harness.rowsOf(one)
  // The state left by a process that was killed between its two database transactions.
  const started = rows.slice(0, 10).map((row, index) =>
    anIntakeItem(one.applicationId, {
      externalId: row.external_id,
      phoneNumber: row.phone_number ?? '',
      customerName: `Person ${index}`,
      amountMinor: 100_000n,
      webhookUrl: null,
      source: 'file',
      makerId: one.makerId,
      batchId: one.batchId,
      batchSumMinor: 3_000_000n,
      actor: { kind: 'person', id: one.makerId },
    }),
  )
  await takeIn(harness.pool, started)
  await harness.pool.query("update batches set leased_until = clock_timestamp() + interval '500 milliseconds' where batch_id = $1", [
    one.batchId,
  ])
  const loop = harness.submitter()
  loop.start()
  await waitUntil('submitted', async () => (await harness.stored(one)).state === 'submitted')
  await loop.drain()
  assert.equal((await harness.transactionsOf(one)).length, 30)
  assert.equal((await harness.stored(one)).started_count, 30)
  assert.ok((await harness.rowsOf(one)).every(({ transaction_id }) => transaction_id !== null))
})

test('a row whose service was switched off after submission is refused with the reason, the others are started', async () => {
  const one = await harness.scene(['237677209341;Awa;5000;MOMOCM', '237699123456;Koffi;700;OMCM'])
  must(await submitBatch({ ...harness.deps(), wakeSubmitter: () => undefined }, { ...(await harness.command(one)), repeatReason: null }))
  await switchOff(one)
  const loop = harness.submitter()
  loop.wake()
  await waitUntil('submitted', async () => (await harness.stored(one)).state === 'submitted')
  await loop.drain()
  assert.deepEqual(
    (await harness.rowsOf(one)).map(({ refusal }) => refusal),
    [null, 'service_disabled'],
  )
})

test('started later: a row that met a full queue beside one whose service was switched off', async () => {
  const one = await harness.scene(['237677209341;Awa;5000;MOMOCM', '237699123456;Koffi;700;OMCM'])
  must(await submitBatch({ ...harness.deps(), wakeSubmitter: () => undefined }, { ...(await harness.command(one)), repeatReason: null }))
  await switchOff(one)
  const { pool, directory } = harness
  let isFull = true
  const intake: Pick<Intake, 'submit'> = {
    submit(item) {
      if (!isFull) return harness.intake.submit(item)
      isFull = false
      return Promise.reject(new OverloadedError(1))
    },
  }
  const loop = createBatchSubmitter({ pool, intake, connectors: ALL_CONNECTED, directory, pollMs: 50, leaseMs: 300 })
  loop.start()
  await waitUntil('submitted', async () => (await harness.stored(one)).state === 'submitted')
  await loop.drain()
  assert.deepEqual(
    (await harness.rowsOf(one)).map(({ transaction_id, refusal }) => [transaction_id !== null, refusal]),
    [
      [true, null],
      [false, 'service_disabled'],
    ],
  )
})

test('application_disabled, and still a draft, in an application that is off', async () => {
  const one = await harness.scene(['237677209341;Awa;5000;MOMOCM'])
  const off = { ...one, application: { ...one.application, isEnabled: false } }
  assert.deepEqual(await harness.submit(off), { ok: false, error: 'application_disabled' })
  assert.equal((await harness.stored(one)).state, 'draft')
})

test('checked_again: a service was switched off since the check; the second submission is without its rows', async () => {
  const one = await harness.scene(['237677209341;Awa;5000;MOMOCM', '237699123456;Koffi;700;OMCM'])
  await switchOff(one)
  const now = { ...one, application: await snapshotOf(harness.pool, one.applicationId) }
  assert.deepEqual(await harness.submit(now), { ok: false, error: 'checked_again' })
  assert.deepEqual(must(await harness.submit(now)), { rows: 1 })
})

async function switchOff({ applicationId }: Scene): Promise<void> {
  must(
    await setTransferService(harness.pool, {
      applicationId,
      operator: 'OMCM',
      type: 'DEPOSIT',
      service: { isEnabled: false, enforcesLimits: false, minimumMinor: null, maximumMinor: null },
      actor: { kind: 'system', id: null },
    }),
  )
  await harness.directory.refresh()
}

test('differences from the recount for a row that names another payment, and for rows that were started and are not noted', async () => {
  const one = await harness.scene(['237677209341;Awa;5000;MOMOCM', '237677209342;Koffi;700;MOMOCM'])
  must(await harness.submit(one))
  const recount = async () => (await verifyBooks(harness.pool)).filter(({ subject }) => subject.includes(one.batchId))
  assert.deepEqual(await recount(), [])
  const damages = [
    'update batch_rows set amount_minor = amount_minor + 1 where batch_id = $1 and row_number = 2',
    'update batch_rows set transaction_id = null where batch_id = $1 and row_number = 3',
  ]
  for (const damage of damages) {
    await harness.pool.query(damage, [one.batchId])
    assert.ok(
      (await recount()).some(({ check }) => check === 'batches'),
      damage,
    )
  }
  await harness.pool.query('delete from batch_rows where batch_id = $1', [one.batchId])
  await harness.pool.query('update batches set started_count = 0 where batch_id = $1', [one.batchId])
})

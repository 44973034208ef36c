import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { RepairKind } from '#lib/batch-file/batch-fields.ts'
import type { Role } from '#lib/permissions.ts'
import { createDirectory, type Directory } from '#server/applications/directory.ts'
import { setTransferService } from '#server/applications/set-transfer-service.ts'
import { verifyBooks } from '#server/reports/verify/verify-books.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { createIntake, type Intake, takeIn } from '#server/transactions/intake.ts'
import { assignColumns } from './assign-columns.ts'
import { createBatchSubmitter } from './batch-submitter.ts'
import { decideRepair } from './decide-repair.ts'
import { discardBatch } from './discard-batch.ts'
import { editRow } from './edit-row.ts'
import { excludeRows } from './exclude-rows.ts'
import { submitBatch } from './submit-batch.ts'
import { ALL_CONNECTED, makeBatch, makerOf, snapshotOf } from './testing/make-batch.ts'

let database: TestDatabase
let directory: Directory
let intake: Intake
before(async () => {
  database = await createTestDatabase()
  directory = await createDirectory({ pool: database.pool })
  intake = createIntake({ pool: database.pool })
})
after(async () => {
  await intake.drain()
  await directory.close()
  await database.drop()
})

const HEAD = 'Téléphone;Nom;Montant;Opérateur'
const CHANGE = () => ({ pool: database.pool, connectors: ALL_CONNECTED })

type Scene = Awaited<ReturnType<typeof scene>>

/** An application with a maker and a batch of these lines. */
async function scene(
  lines: readonly string[],
  options: { head?: string; roles?: Role[]; transactions?: Parameters<typeof anIntakeItem>[1][] } = {},
) {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  const makerId = await makePerson(pool, applicationId, ['maker'])
  for (const overrides of options.transactions ?? []) await takeIn(pool, [anIntakeItem(applicationId, overrides)])
  const batchId = await makeBatch(pool, { applicationId, makerId, text: [options.head ?? HEAD, ...lines].join('\n') })
  const application = await snapshotOf(pool, applicationId)
  await directory.refresh()
  return { applicationId, makerId, batchId, application, actor: makerOf(applicationId, makerId) }
}

type Stored = {
  version: number
  state: string
  ready_count: number
  problem_count: number
  excluded_count: number
  started_count: number
  content_hash: Buffer | null
  maker_id: string
}

async function stored({ applicationId, batchId }: Pick<Scene, 'applicationId' | 'batchId'>): Promise<Stored> {
  const { rows } = await database.pool.query<Stored>('select * from batches where application_id = $1 and batch_id = $2', [
    applicationId,
    batchId,
  ])
  const [batch] = rows
  assert.ok(batch)
  return batch
}

type Row = {
  row_number: number
  phone_number: string | null
  problems: { kind: string }[]
  repairs: { kind: string }[]
  warnings: { kind: string }[]
  notes: { kind: string }[]
  exclusion: string | null
  transaction_id: string | null
  external_id: string
  refusal: string | null
}

async function rowsOf({ applicationId, batchId }: Pick<Scene, 'applicationId' | 'batchId'>): Promise<Row[]> {
  const { rows } = await database.pool.query<Row>(
    'select * from batch_rows where application_id = $1 and batch_id = $2 order by row_number',
    [applicationId, batchId],
  )
  return rows
}

async function command(one: Scene) {
  return { application: one.application, actor: one.actor, batchId: one.batchId, version: (await stored(one)).version }
}

function submitter() {
  return createBatchSubmitter({ pool: database.pool, intake, connectors: ALL_CONNECTED, directory, pollMs: 50, leaseMs: 300 })
}

async function submit(one: Scene, repeatReason: string | null = null) {
  const loop = submitter()
  const result = await submitBatch({ ...CHANGE(), wakeSubmitter: loop.wake }, { ...(await command(one)), repeatReason })
  if (result.ok) await waitUntil('the batch is submitted', async () => (await stored(one)).state === 'submitted')
  await loop.drain()
  return result
}

async function transactionsOf({ applicationId, batchId }: Scene) {
  const { rows } = await database.pool.query<{
    status: string
    source: string
    maker_id: string
    external_id: string
    amount_minor: bigint
  }>('select * from transactions where application_id = $1 and batch_id = $2 order by sequence', [applicationId, batchId])
  return rows
}

test('problems and sums of every row, and nothing is started', async () => {
  const one = await scene(['237677209341;Awa;5000;MOMOCM', '2.37E+11;Koffi;5000;MOMOCM', '237699123456;Awa;700;Orange Cameroun'])
  const batch = await stored(one)
  assert.deepEqual([batch.state, batch.ready_count, batch.problem_count], ['draft', 2, 1])
  assert.deepEqual(
    (await rowsOf(one)).map(({ problems }) => problems.map(({ kind }) => kind)),
    [[], ['phone_digits_lost'], []],
  )
  assert.deepEqual(await transactionsOf(one), [])
})

test('warnings from one statement: duplicates in the file, paid lately, another name than last time; spelling does not matter', async () => {
  const phoneNumber = '237677209341'
  const one = await scene(
    [
      `${phoneNumber};Clarisse Mbarga;5000;MOMOCM`,
      `${phoneNumber};Clarisse Mbarga;5000;MOMOCM`,
      '22997123456;Koffi;100;BJMTN',
      '2290197123456;Koffi;100;BJMTN',
      '237670000001;MBARGA clarissé;1;MOMOCM',
      '237670000002;Jean Talla;1;MOMOCM',
    ],
    {
      transactions: [{ phoneNumber, amountMinor: 500_000n }, { phoneNumber: '237670000001' }, { phoneNumber: '237670000002' }],
    },
  )
  await database.pool.query(
    "update transactions set status = 'SUCCESS', final_sequence = sequence where application_id = $1 and phone_number <> $2",
    [one.applicationId, phoneNumber],
  )
  await decideRepair(CHANGE(), { ...(await command(one)), repair: 'benin', isAccepted: true })
  assert.deepEqual(
    (await rowsOf(one)).map(({ warnings }) => warnings.map(({ kind }) => kind)),
    [['duplicate', 'paid'], ['duplicate', 'paid'], ['duplicate'], ['duplicate'], [], ['name']],
  )
})

test('accepted repairs of one kind change the rows; undone, the rows are as in the file', async () => {
  const one = await scene(['22997123456;Koffi;100;BJMTN', '677209341;Awa;1.500;MOMOCM'])
  const decide = async (repair: RepairKind, isAccepted: boolean) =>
    must(await decideRepair(CHANGE(), { ...(await command(one)), repair, isAccepted }))
  assert.deepEqual(
    (await rowsOf(one)).map(({ repairs }) => repairs.map(({ kind }) => kind)),
    [['benin'], ['dial_code', 'thousands']],
  )
  await decide('benin', true)
  await decide('dial_code', true)
  await decide('thousands', true)
  assert.deepEqual(
    (await rowsOf(one)).map(({ phone_number, problems }) => [phone_number, problems]),
    [
      ['2290197123456', []],
      ['237677209341', []],
    ],
  )
  const accepted = (await stored(one)).content_hash
  await decide('benin', false)
  assert.equal((await rowsOf(one))[0]?.phone_number, '22997123456')
  // The same person under both numbers: it is the same payment.
  assert.deepEqual((await stored(one)).content_hash, accepted)
})

test('an edited row is checked at once, also against the others; null returns to the cell of the file', async () => {
  const one = await scene(['2.37E+11;Awa;5000;MOMOCM', '237677209341;Awa;5000;MOMOCM'])
  must(await editRow(CHANGE(), { ...(await command(one)), rowNumber: 2, fields: { phone: '+237 677 20 93 41' } }))
  assert.deepEqual(
    (await rowsOf(one)).map(({ problems, warnings }) => [problems.length, warnings.map(({ kind }) => kind)]),
    [
      [0, ['duplicate']],
      [0, ['duplicate']],
    ],
  )
  must(await editRow(CHANGE(), { ...(await command(one)), rowNumber: 2, fields: { phone: null } }))
  assert.deepEqual(
    (await rowsOf(one)).map(({ problems, warnings }) => [problems.length, warnings.length]),
    [
      [1, 0],
      [0, 0],
    ],
  )
})

test('rows that are left out are not submitted, and can be taken in again', async () => {
  const one = await scene(['237677209341;Awa;5000;MOMOCM', '237677209342;Koffi;700;MOMOCM'])
  must(await excludeRows(CHANGE(), { ...(await command(one)), rowNumbers: [2, 3], reason: 'Left' }))
  assert.equal((await stored(one)).ready_count, 0)
  assert.deepEqual(await submit(one), { ok: false, error: 'nothing_to_submit' })
  must(await excludeRows(CHANGE(), { ...(await command(one)), rowNumbers: [3], reason: null }))
  must(await submit(one))
  assert.deepEqual(
    (await transactionsOf(one)).map(({ amount_minor }) => amount_minor),
    [70_000n],
  )
})

test('columns that a person assigned are used for the next file with the same headers', async () => {
  const lines = ['x;237677209341;5000;Awa;MOMOCM']
  const head = 'Ref;Bénéficiaire no;Paie;Qui;Via'
  const one = await scene(lines, { head })
  assert.equal((await stored(one)).state, 'checking')
  const columns = { phone: 1, amount: 2, name: 3, operator: 4 }
  assert.deepEqual(await assignColumns(CHANGE(), { ...(await command(one)), columns: { ...columns, country: 9 }, defaultOperator: null }), {
    ok: false,
    error: 'no_such_column',
  })
  must(await assignColumns(CHANGE(), { ...(await command(one)), columns, defaultOperator: null }))
  assert.deepEqual([(await stored(one)).state, (await stored(one)).ready_count], ['draft', 1])
  const again = await makeBatch(database.pool, { ...one, text: ['REF;beneficiaire no;paie;qui;via', ...lines].join('\n') })
  assert.deepEqual([(await stored({ ...one, batchId: again })).state, (await stored({ ...one, batchId: again })).ready_count], ['draft', 1])
})

test('submitted rows wait for a checker with the batch, the maker and the total of the whole file', async () => {
  const one = await scene(['237677209341;Awa;5000;MOMOCM', '237677209342;Koffi;700;MOMOCM', '2.37E+11;No;1;MOMOCM'])
  assert.deepEqual(must(await submit(one)), { rows: 2 })
  assert.deepEqual(
    (await transactionsOf(one)).map(({ status, source, maker_id }) => [status, source, maker_id]),
    [
      ['PENDING_APPROVAL', 'file', one.makerId],
      ['PENDING_APPROVAL', 'file', one.makerId],
    ],
  )
  const rows = await rowsOf(one)
  assert.deepEqual(
    rows.map(({ transaction_id }) => transaction_id !== null),
    [true, true, false],
  )
  assert.equal((await stored(one)).started_count, 2)
  assert.deepEqual(
    (await verifyBooks(database.pool)).filter(({ subject }) => subject.includes(one.applicationId)),
    [],
  )
})

test('the total of the whole file is weighed with each row, however many parts it is started in', async () => {
  const { pool } = database
  const lines = Array.from({ length: 1_200 }, (_, index) => `237677${String(200_000 + index)};Person ${index};1000;MOMOCM`)
  const one = await scene(lines)
  const rules = [
    {
      name: 'Above a million',
      sources: ['file'],
      currency: 'XAF',
      aboveMinor: '100000000',
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
  await directory.refresh()
  must(await submit({ ...one, application: await snapshotOf(pool, one.applicationId) }))
  const { rows } = await pool.query('select distinct steps from approval_items where application_id = $1', [one.applicationId])
  assert.deepEqual(rows, [{ steps: [2] }])
})

test('refused: the same payments in another file, until a reason is given', async () => {
  const lines = ['237677209341;Awa;5000;MOMOCM', '237677209342;Koffi;700;MOMOCM']
  const one = await scene(lines)
  must(await submit(one))
  const batchId = await makeBatch(database.pool, { ...one, text: [HEAD, lines[1], '', lines[0]].join('\n') })
  const again = { ...one, batchId }
  assert.deepEqual(await submit(again), { ok: false, error: 'same_content' })
  must(await submit(again, 'A second salary'))
  assert.equal((await transactionsOf(again)).length, 2)
})

test('one submission of ten at once; every row started once', async () => {
  const one = await scene(Array.from({ length: 40 }, (_, index) => `2376772${String(10_000 + index)};Person ${index};1000;MOMOCM`))
  const loops = [submitter(), submitter()]
  const input = { ...(await command(one)), repeatReason: null }
  const results = await Promise.all(
    Array.from({ length: 10 }, (_, index) => submitBatch({ ...CHANGE(), wakeSubmitter: () => loops[index % 2]?.wake() }, input)),
  )
  assert.equal(results.filter(({ ok }) => ok).length, 1)
  await waitUntil('submitted', async () => (await stored(one)).state === 'submitted')
  await Promise.all(loops.map((loop) => loop.drain()))
  assert.equal((await transactionsOf(one)).length, 40)
})

test('continued by another process: a part that was started and not noted is found again, not started twice', async () => {
  const one = await scene(Array.from({ length: 30 }, (_, index) => `2376773${String(10_000 + index)};Person ${index};1000;MOMOCM`))
  must(await submitBatch({ ...CHANGE(), wakeSubmitter: () => undefined }, { ...(await command(one)), repeatReason: null }))
  const rows = await rowsOf(one)
  // What a process has done that was killed between its two database transactions.
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
  await takeIn(database.pool, started)
  await database.pool.query("update batches set leased_until = clock_timestamp() + interval '500 milliseconds' where batch_id = $1", [
    one.batchId,
  ])
  const loop = submitter()
  loop.start()
  await waitUntil('submitted', async () => (await stored(one)).state === 'submitted')
  await loop.drain()
  assert.equal((await transactionsOf(one)).length, 30)
  assert.equal((await stored(one)).started_count, 30)
  assert.ok((await rowsOf(one)).every(({ transaction_id }) => transaction_id !== null))
})

test('a row whose service was switched off after submission is refused with the reason, the others are started', async () => {
  const one = await scene(['237677209341;Awa;5000;MOMOCM', '237699123456;Koffi;700;OMCM'])
  must(await submitBatch({ ...CHANGE(), wakeSubmitter: () => undefined }, { ...(await command(one)), repeatReason: null }))
  await switchOff(one)
  const loop = submitter()
  loop.wake()
  await waitUntil('submitted', async () => (await stored(one)).state === 'submitted')
  await loop.drain()
  assert.deepEqual(
    (await rowsOf(one)).map(({ refusal }) => refusal),
    [null, 'service_disabled'],
  )
})

test('checked_again: a service was switched off since the check; the second submission is without its rows', async () => {
  const one = await scene(['237677209341;Awa;5000;MOMOCM', '237699123456;Koffi;700;OMCM'])
  await switchOff(one)
  const now = { ...one, application: await snapshotOf(database.pool, one.applicationId) }
  assert.deepEqual(await submit(now), { ok: false, error: 'checked_again' })
  assert.deepEqual(must(await submit(now)), { rows: 1 })
})

async function switchOff({ applicationId }: Scene): Promise<void> {
  must(
    await setTransferService(database.pool, {
      applicationId,
      operator: 'OMCM',
      type: 'DEPOSIT',
      service: { isEnabled: false, enforcesLimits: false, minimumMinor: null, maximumMinor: null },
      actor: { kind: 'system', id: null },
    }),
  )
  await directory.refresh()
}

test('not_permitted, changed_meanwhile, not_a_draft and not_found from every command; nothing is changed', async () => {
  const one = await scene(['237677209341;Awa;5000;MOMOCM'])
  const place = await command(one)
  const run = async (change: Partial<typeof place>) => {
    const input = { ...place, ...change }
    const results = await Promise.all([
      editRow(CHANGE(), { ...input, rowNumber: 2, fields: { name: 'X' } }),
      excludeRows(CHANGE(), { ...input, rowNumbers: [2], reason: 'x' }),
      decideRepair(CHANGE(), { ...input, repair: 'benin', isAccepted: true }),
      assignColumns(CHANGE(), { ...input, columns: { phone: 0, name: 1, amount: 2 }, defaultOperator: null }),
      submitBatch({ ...CHANGE(), wakeSubmitter: () => undefined }, { ...input, repeatReason: null }),
      discardBatch(CHANGE(), input),
    ])
    return [...new Set(results.map((result) => (result.ok ? 'ok' : result.error)))]
  }
  const checker = {
    kind: 'person' as const,
    id: await makePerson(database.pool, one.applicationId, ['checker']),
    applicationId: one.applicationId,
    roles: ['checker' as const],
  }
  assert.deepEqual(await run({ actor: checker }), ['not_permitted'])
  assert.deepEqual(await run({ version: place.version - 1 }), ['changed_meanwhile'])
  assert.deepEqual(await run({ batchId: randomUUID() }), ['not_found'])
  assert.deepEqual(await stored(one), { ...(await stored(one)), version: place.version, state: 'draft' })
  must(await submit(one))
  assert.deepEqual(await run({ version: (await stored(one)).version }), ['not_a_draft'])
})

test('another maker continues a batch and becomes its maker', async () => {
  const one = await scene(['237677209341;Awa;5000;MOMOCM'])
  const other = await makePerson(database.pool, one.applicationId, ['maker'])
  must(await submit({ ...one, actor: makerOf(one.applicationId, other) }))
  assert.deepEqual(
    (await transactionsOf(one)).map(({ maker_id }) => maker_id),
    [other],
  )
})

test('a discarded batch keeps no row and cannot be changed', async () => {
  const one = await scene(['237677209341;Awa;5000;MOMOCM'])
  must(await discardBatch(CHANGE(), await command(one)))
  assert.deepEqual([(await stored(one)).state, (await rowsOf(one)).length], ['discarded', 0])
})

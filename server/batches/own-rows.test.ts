import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { makeApplication } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { assignColumns, decideRepair, discardBatch, excludeRows } from './edit-batch.ts'
import { editRows } from './rows/edit-rows.ts'
import { BatchHarness, type Scene } from './testing/batch-harness.ts'

let harness: BatchHarness
before(async () => {
  harness = await BatchHarness.open()
})
after(() => harness.close())

type Place = Pick<Scene, 'applicationId' | 'batchId'>

/** Copies a batch with its rows: into another batch of its application, or into the batch with the same id of another application. */
async function copy(from: Place, to: Place): Promise<Place> {
  for (const table of ['batches', 'batch_rows']) {
    const { rows } = await harness.pool.query<{ columns: string }>(
      `select string_agg(attname, ', ') as columns from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped
         and attname not in ('application_id', 'batch_id', 'external_id')`,
      [table],
    )
    const columns = rows[0]?.columns
    const [name, value] = table === 'batch_rows' ? [', external_id', ', gen_random_uuid()'] : ['', '']
    await harness.pool.query(
      `insert into ${table} (application_id, batch_id, ${columns}${name}) select $3, $4, ${columns}${value} from ${table} where application_id = $1 and batch_id = $2`,
      [from.applicationId, from.batchId, to.applicationId, to.batchId],
    )
  }
  return to
}

async function readAll({ applicationId, batchId }: Place): Promise<unknown> {
  const { rows } = await harness.pool.query(
    `select (select to_jsonb(b) from batches b where b.application_id = $1 and b.batch_id = $2) as batch,
       (select jsonb_agg(r order by r.row_number) from batch_rows r where r.application_id = $1 and r.batch_id = $2) as rows`,
    [applicationId, batchId],
  )
  return rows[0]
}

/** A batch as it is shown, without what differs between two batches of the same lines. */
async function describe(one: Scene): Promise<unknown> {
  const { version, state, ready_count, problem_count, excluded_count, started_count, content_hash } = await harness.stored(one)
  const rows = await harness.rowsOf(one)
  return {
    batch: [version, state, ready_count, problem_count, excluded_count, started_count, content_hash?.toString('hex')],
    rows: rows.map(({ row_number, phone_number, problems, repairs, warnings, notes, exclusion, transaction_id, refusal }) => [
      row_number,
      phone_number,
      ...[problems, repairs, warnings, notes].map((findings) => findings.map(({ kind }) => kind).join()),
      exclusion,
      transaction_id !== null,
      refusal,
    ]),
    transactions: (await harness.transactionsOf(one)).map(({ amount_minor, status }) => `${amount_minor} ${status}`),
  }
}

const LINES = [
  '237677209341;Awa;5000;MOMOCM',
  '237677209341;Awa;5000;MOMOCM',
  '677209342;Koffi;700;MOMOCM',
  '237677209343;Ama;900;MOMOCM',
  '2.37E+11;Yao;100;MOMOCM',
]

const COMMANDS: [name: string, run: (one: Scene) => Promise<unknown>][] = [
  [
    'accept a repair',
    async (one) => decideRepair(harness.deps(), { ...(await harness.command(one)), repair: 'dial_code', isAccepted: true }),
  ],
  [
    'edit rows',
    async (one) =>
      editRows(harness.deps(), { ...(await harness.command(one)), rows: [{ rowNumber: 6, fields: { phoneNumber: '237677209344' } }] }),
  ],
  ['leave out rows', async (one) => excludeRows(harness.deps(), { ...(await harness.command(one)), rowNumbers: [3, 5], reason: 'Paid' })],
  ['take one in again', async (one) => excludeRows(harness.deps(), { ...(await harness.command(one)), rowNumbers: [5], reason: null })],
  [
    'assign columns',
    async (one) =>
      assignColumns(harness.deps(), {
        ...(await harness.command(one)),
        columns: { phoneNumber: 0, customerName: 1, amount: 2, operator: 3 },
        defaultOperator: 'OMCM',
      }),
  ],
  ['submit it', (one) => harness.submit(one)],
]

test('each command reads and changes its own batch only, beside one of its application and one with its id in another application', async () => {
  const [one, alone] = [await harness.scene(LINES), await harness.scene(LINES)]
  const twins = [
    await copy(one, { applicationId: one.applicationId, batchId: randomUUID() }),
    await copy(one, { applicationId: await makeApplication(harness.pool), batchId: one.batchId }),
  ]
  const before = await Promise.all(twins.map(readAll))
  for (const [name, run] of COMMANDS) {
    for (const batch of [one, alone]) must((await run(batch)) as { ok: true; value: unknown })
    assert.deepEqual(await describe(one), await describe(alone), name)
    assert.deepEqual(await Promise.all(twins.map(readAll)), before, name)
  }
})

test('the rows of a discarded batch are removed, and those of no other one', async () => {
  const one = await harness.scene(LINES)
  const twins = [
    await copy(one, { applicationId: one.applicationId, batchId: randomUUID() }),
    await copy(one, { applicationId: await makeApplication(harness.pool), batchId: one.batchId }),
  ]
  const before = await Promise.all(twins.map(readAll))
  must(await discardBatch(harness.deps(), await harness.command(one)))
  assert.deepEqual(await harness.rowsOf(one), [])
  assert.deepEqual(await Promise.all(twins.map(readAll)), before)
})

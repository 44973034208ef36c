import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { PIECE_BYTES } from '#lib/uploads.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { createDesk, type Desk } from '../testing/reconciliation-desk.ts'
import { AIRTEL_HEADER, csv, xlsx } from '../testing/statements.ts'
import { importStatement, withdrawStatement } from './decide-statement.ts'
import { listBadRows } from './statement-store.ts'
import { type Rests, workOnce } from './statement-worker.ts'
import { beginUpload, finishUpload, storePiece } from './upload-statement.ts'

let database: TestDatabase
let desk: Desk
before(async () => {
  database = await createTestDatabase()
  desk = await createDesk(database.pool)
})
after(() => database.drop())

const WALLET = 'UGAIRTEL-collect'
const row = (id: number, day = '05') => [String(id), `${day}-11-2026 08:00:00`, 'from 0751234567', 'Success', '100', 'Credit', '0', '']
const file = (...ids: number[]) => csv([AIRTEL_HEADER, ...ids.map((id) => row(id))])

async function countLines(): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>('select count(*)::integer as count from statement_lines')
  return rows[0]?.count ?? 0
}

test('counts before anything is imported, then the lines; imported twice changes nothing', async () => {
  const { fileId } = await desk.upload(WALLET, csv([AIRTEL_HEADER, row(1), row(2), ['3', 'soon', 'x', 'Success', '1', 'Credit', '0', '']]))
  await desk.work()
  const ready = await desk.read(fileId)
  assert.deepEqual([ready.state, ready.format, ready.lineCount, ready.knownCount, ready.badCount], ['ready', 'airtel', 2, 0, 1])
  assert.deepEqual([ready.firstDay, ready.lastDay, ready.inMinor, await countLines()], ['2026-11-05', '2026-11-05', 20_000n, 0])
  const bad = await Array.fromAsync(listBadRows(database.pool, desk.applicationId, fileId))
  assert.deepEqual(
    bad.flat().map(({ rowNumber, problem }) => [rowNumber, problem]),
    [[4, 'time']],
  )
  for (let times = 0; times < 2; times++) {
    must(await importStatement(database.pool, { applicationId: desk.applicationId, fileId, actor: desk.actor }))
    await desk.work()
  }
  assert.deepEqual([(await desk.read(fileId)).state, await countLines()], ['imported', 2])
})

test('only new lines: the same content under another name, saved as a workbook, and a file that overlaps by half', async () => {
  const before = await countLines()
  const first = await desk.bring(WALLET, file(11, 12))
  const again = await desk.upload(WALLET, file(11, 12), 'another name.csv')
  assert.deepEqual(again, { fileId: first.fileId, isKnown: true })
  const workbook = await desk.bring(WALLET, await xlsx([AIRTEL_HEADER, row(11), row(12)]))
  const overlapping = await desk.bring(WALLET, file(12, 13))
  assert.deepEqual([workbook.knownCount, overlapping.knownCount, await countLines()], [2, 1, before + 3])
})

test('one import of one file that ten people upload at once', async () => {
  const before = await countLines()
  const uploads = await Promise.all(
    Array.from({ length: 10 }, async (_, place) => {
      const id = await makePerson(database.pool, desk.applicationId, ['finance'])
      const [actor, applicationId] = [{ ...desk.actor, id }, desk.applicationId]
      const bytes = Buffer.from(file(21, 22))
      const upload = { applicationId, actor, wallet: WALLET, fileName: `copy ${place}.csv`, bytes: bytes.length, modifiedMs: 1 }
      const { fileId } = must(await beginUpload(database.pool, upload))
      must(await storePiece(database.pool, { applicationId, actor, fileId, number: 0, bytes }))
      return must(await finishUpload(database.pool, { applicationId, actor, fileId }))
    }),
  )
  assert.equal(new Set(uploads.map(({ fileId }) => fileId)).size, 1)
  assert.equal(uploads.filter(({ isKnown }) => !isKnown).length, 1)
  await desk.work()
  const [{ fileId } = { fileId: '' }] = uploads
  await Promise.all(
    Array.from({ length: 10 }, () => importStatement(database.pool, { applicationId: desk.applicationId, fileId, actor: desk.actor })),
  )
  await Promise.all([desk.work(), desk.work(), desk.work()])
  assert.equal(await countLines(), before + 2)
})

test('an upload that was interrupted continues with the pieces that are missing', async () => {
  const [actor, applicationId] = [desk.actor, desk.applicationId]
  const bytes = Buffer.from(csv([AIRTEL_HEADER, ...Array.from({ length: 30_000 }, (_, id) => row(100_000 + id))]))
  const upload = { applicationId, actor, wallet: WALLET, fileName: 'large.csv', bytes: bytes.length, modifiedMs: 7 }
  const first = must(await beginUpload(database.pool, upload))
  const send = (number: number) =>
    storePiece(database.pool, {
      applicationId,
      actor,
      fileId: first.fileId,
      number,
      bytes: bytes.subarray(number * PIECE_BYTES, (number + 1) * PIECE_BYTES),
    })
  must(await send(1))
  assert.deepEqual(await finishUpload(database.pool, { applicationId, actor, fileId: first.fileId }), { ok: false, error: 'incomplete' })
  assert.deepEqual(must(await beginUpload(database.pool, upload)), { fileId: first.fileId, pieces: [1] })
  must(await send(0))
  must(await send(0))
  for (let number = 2; number * PIECE_BYTES < bytes.length; number++) must(await send(number))
  must(await finishUpload(database.pool, { applicationId, actor, fileId: first.fileId }))
  await desk.work()
  assert.deepEqual([(await desk.read(first.fileId)).state, (await desk.read(first.fileId)).lineCount], ['ready', 30_000])
  must(await withdrawStatement(database.pool, { applicationId, fileId: first.fileId, actor }))
  assert.equal((await desk.read(first.fileId)).state, 'withdrawn')
})

test('a refused file stores no line and can be uploaded again', async () => {
  const broken = csv([[...AIRTEL_HEADER, 'Tax'], row(1)])
  const { fileId } = await desk.upload(WALLET, broken)
  await desk.work()
  const refused = await desk.read(fileId)
  assert.deepEqual([refused.state, refused.problem?.kind], ['refused', 'columns_moved'])
  assert.equal((await desk.upload(WALLET, broken)).isKnown, false)
})

test('checked again as a new file: the content of one that was withdrawn', async () => {
  const content = file(31, 32)
  const { fileId } = await desk.upload(WALLET, content)
  await desk.work()
  must(await withdrawStatement(database.pool, { applicationId: desk.applicationId, fileId, actor: desk.actor }))
  const again = await desk.upload(WALLET, content)
  await desk.work()
  assert.deepEqual([again.isKnown, again.fileId === fileId, (await desk.read(again.fileId)).state], [false, false, 'ready'])
})

test('not_found for a piece of the upload of another person and for its end', async () => {
  const [actor, applicationId] = [desk.actor, desk.applicationId]
  const bytes = Buffer.from(file(41, 42))
  const { fileId } = must(
    await beginUpload(database.pool, { applicationId, actor, wallet: WALLET, fileName: 'own.csv', bytes: bytes.length, modifiedMs: 1 }),
  )
  const other = { ...actor, id: await makePerson(database.pool, applicationId, ['finance']) }
  const piece = { applicationId, fileId, number: 0, bytes }
  assert.deepEqual(await storePiece(database.pool, { ...piece, actor: other }), { ok: false, error: 'not_found' })
  must(await storePiece(database.pool, { ...piece, actor }))
  assert.deepEqual(await finishUpload(database.pool, { applicationId, fileId, actor: other }), { ok: false, error: 'not_found' })
  must(await finishUpload(database.pool, { applicationId, fileId, actor }))
})

test('read and imported: a file with NUL, half characters and numbers beyond any amount, and the files behind it', async () => {
  const before = await countLines()
  // The text of a cell is cut at 500 and of a type at 120 characters: in the middle of a character.
  const [long, shorter] = [`${'x'.repeat(499)}😀`, `from 0751234567 ${'y'.repeat(103)}😀`]
  const strange = (id: number, text: string, amount = '100') => [
    String(id),
    '05-11-2026 08:00:00',
    text,
    'Success',
    amount,
    'Credit',
    '0',
    '',
  ]
  const filler = Array.from({ length: 3_000 }, (_, id) => row(300_000 + id))
  const rows = [
    strange(31, long),
    strange(32, shorter),
    strange(33, 'a\0b'),
    strange(34, 'x', '9'.repeat(30)),
    strange(35, 'x', '9'.repeat(13)),
  ]
  const { fileId } = await desk.upload(WALLET, csv([AIRTEL_HEADER, ...filler, ...rows]))
  const behind = await desk.upload(WALLET, file(36))
  await desk.work()
  assert.deepEqual([(await desk.read(fileId)).state, (await desk.read(fileId)).badCount], ['ready', 1])
  assert.equal((await desk.read(behind.fileId)).state, 'ready')
  must(await importStatement(database.pool, { applicationId: desk.applicationId, fileId, actor: desk.actor }))
  await desk.work()
  assert.deepEqual([(await desk.read(fileId)).state, await countLines()], ['imported', before + 3_004])
})

test('refused with a sentence: amounts whose sum the database cannot store', async () => {
  const before = await countLines()
  const rows = Array.from({ length: 9_300 }, (_, id) => [
    String(400_000 + id),
    '05-11-2026 08:00:00',
    'x',
    'Success',
    '9'.repeat(13),
    'Credit',
    '0',
    '',
  ])
  const { fileId } = await desk.upload(WALLET, csv([AIRTEL_HEADER, ...rows]))
  await desk.work()
  const refused = await desk.read(fileId)
  assert.deepEqual([refused.state, refused.problem, await countLines()], ['refused', { kind: 'not_storable' }, before])
})

test('files go on while one whose step fails rests, a minute at most; then it is tried again', async () => {
  const { fileId } = await desk.upload(WALLET, file(41))
  const behind = await desk.upload(WALLET, file(42))
  const setWallet = (wallet: string) => database.pool.query('update statement_files set wallet = $2 where file_id = $1', [fileId, wallet])
  await setWallet('a wallet of a later release')
  const [rests, clock] = [new Map(), { now: () => new Date(nowMs) }]
  let nowMs = Date.now()
  const work = () => workOnce({ pool: database.pool, clock, rests })
  assert.deepEqual([await work(), await work(), await work()], [true, true, false])
  assert.deepEqual([(await desk.read(fileId)).state, (await desk.read(behind.fileId)).state], ['checking', 'ready'])
  for (let failures = 0; failures < 12; failures++) {
    nowMs += 70_000
    assert.deepEqual([await work(), await work()], [true, false])
  }
  await setWallet(WALLET)
  nowMs += 70_000
  await work()
  assert.deepEqual([(await desk.read(fileId)).state, rests.size], ['ready', 0])
})

test('whole or absent: a file whose worker loses its connection again and again while it checks and imports', async () => {
  const ids = Array.from({ length: 12_000 }, (_, id) => 200_000 + id)
  const { fileId } = await desk.upload(WALLET, file(...ids))
  const before = await countLines()
  for (const from of ['checking', 'importing'] as const) {
    for (let kills = 0; kills < 10; ) {
      const rests: Rests = new Map()
      const work = workOnce({ pool: database.pool, clock: { now: () => new Date() }, rests }).then(
        () => (rests.size === 0 ? 'ended' : 'killed'),
        () => 'killed',
      )
      let ended: string | undefined
      void work.then((how) => {
        ended = how
      })
      while (ended === undefined) await killWorker()
      if (ended === 'ended') break
      kills++
      assert.deepEqual([(await desk.read(fileId)).state, await countLines()], [from, before])
    }
    await desk.work()
    if (from === 'checking') must(await importStatement(database.pool, { applicationId: desk.applicationId, fileId, actor: desk.actor }))
  }
  assert.deepEqual([(await desk.read(fileId)).state, await countLines()], ['imported', before + ids.length])
})

/** Ends the connection on which a worker is in the middle of a file, if there is one. */
async function killWorker(): Promise<void> {
  await database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
        and query ~ 'insert into (statement_lines|line_matches)|select_statement_piece|from statement_pieces'`,
  )
}

test('refused: an application that does not run the installation, and a person without the permission', async () => {
  const upload = { applicationId: desk.applicationId, wallet: WALLET, fileName: 'x', bytes: 1, modifiedMs: 1 }
  const administrator = { ...desk.actor, roles: ['administrator' as const] }
  assert.deepEqual(await beginUpload(database.pool, { ...upload, actor: administrator }), { ok: false, error: 'not_permitted' })
  const actor = { ...desk.actor, applicationId: '00000000-0000-4000-8000-000000000000' }
  const other = await beginUpload(database.pool, { ...upload, applicationId: actor.applicationId, actor })
  assert.deepEqual(other, { ok: false, error: 'not_the_installation' })
})

test('refused by the database: a line that is changed, removed or added twice', async () => {
  for (const statement of [
    'update statement_lines set net_minor = 0, gross_minor = 0',
    'delete from statement_lines',
    'truncate statement_lines',
  ])
    await assert.rejects(database.pool.query(statement), /never changed or removed/)
})

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { readBooks } from '#e2e/crash/checks.ts'
import { PartnerProgram } from '#e2e/crash/partner.ts'
import { Receiver } from '#e2e/crash/receiver.ts'
import { shortenWaits } from '#e2e/crash/settle.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#server/database/embedded/embedded.ts'
import { createPool, type Pool } from '#server/database/pool.ts'
import { verifyDatabase } from '#server/reports/verify/verify-books.ts'
import { addFiles, copyPostgres } from '#server/testing/copy-postgres.ts'
import { type Sandbox, startSandbox } from '#server/testing/service/start-sandbox.ts'
import { ROOT, startService } from '#server/testing/service/start-service.ts'
import { waitUntil } from '#server/testing/wait-until.ts'

const run = promisify(execFile)
/** The sandbox's rule holds back what the program of the second application sends above this amount. */
const HELD_AMOUNT = 400_000

let folder: string
let archive: string
let server: EmbeddedPostgres
let sandbox: Sandbox
let receiver: Receiver
let pool: Pool

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-restore-'))
  await chmod(folder, 0o755)
  archive = path.join(folder, 'archive')
  await mkdir(archive)
  await chmod(archive, 0o777)
  server = await startEmbeddedPostgres({
    dataDirectory: path.join(folder, 'lost'),
    settings: { archive_mode: 'on', archive_command: `cp %p ${archive}/%f`, shared_buffers: '128MB' },
  })
  receiver = await Receiver.start()
  sandbox = await startSandbox({ environment: { DATABASE_URL: server.url } })
  pool = openPool()
})
after(async () => {
  await pool.end()
  await sandbox.stop()
  await receiver.close()
  await server.stop()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

function openPool(): Pool {
  return createPool({ databaseUrl: server.url, connectionsMax: 2, applicationName: 'restore test' })
}

async function signIn(baseUrl: string): Promise<PartnerProgram> {
  const application = sandbox.readSandbox().applications[1] ?? assert.fail('the sandbox has two applications')
  const partner = new PartnerProgram(baseUrl, application)
  await partner.signIn()
  return partner
}

/** Sends a deposit and returns its id. */
async function deposit(partner: PartnerProgram, amount: number, receives: 'ok' | 'refusing'): Promise<string> {
  const answer = await partner.post('deposit', {
    body: {
      transferMethod: 'SNWAVE',
      customerName: 'Aminata Diop',
      externalId: randomUUID(),
      phoneNumber: '221771234567',
      amount,
      webhookUrl: receiver.url(receives),
      countryName: 'SENEGAL',
    },
  })
  assert.equal(answer?.status, 200, JSON.stringify(answer))
  return (answer.body as { transactionId: string }).transactionId
}

async function approve(partner: PartnerProgram, transactionId: string): Promise<void> {
  const checkerId = partner.application.people.find((person) => person.roles.includes('checker'))?.id ?? ''
  const answer = await partner.post('validateTransaction', { query: { checkerId, transactionId, payeeNote: 'restore' } })
  assert.equal(answer?.status, 200, JSON.stringify(answer))
}

async function readStatuses(ids: readonly string[]): Promise<(string | undefined)[]> {
  const { rows } = await pool.query<{ transaction_id: string; status: string }>(
    'select transaction_id, status from transactions where transaction_id = any ($1)',
    [ids],
  )
  return ids.map((id) => rows.find((row) => row.transaction_id === id)?.status)
}

function untilSuccess(ids: readonly string[]): Promise<true> {
  return waitUntil('all are SUCCESS', async () => {
    await shortenWaits(pool, new Date(0))
    return (await readStatuses(ids)).every((status) => status === 'SUCCESS')
  })
}

/** Everything that the server has written so far is in the archive. */
async function archiveAll(): Promise<void> {
  const { rows } = await pool.query<{ name: string }>('select pg_walfile_name(pg_switch_wal()) as name')
  await waitUntil('the log is archived', async () => {
    const archived = await pool.query('select 1 from pg_stat_archiver where last_archived_wal >= $1', [rows[0]?.name])
    return archived.rows.length === 1
  })
}

/** The steps of server/deploy/RESTORE.md: stop the service, restore the server to that second, prepare the database. */
async function restore(restored: string, second: Date): Promise<void> {
  await pool.end()
  assert.equal(await sandbox.stop({ keepsFolder: true }), 0)
  await server.stop()
  await addFiles(restored, {
    'postgresql.auto.conf': `restore_command = 'cp ${archive}/%f %p'\nrecovery_target_time = '${second.toISOString().replace('Z', '+00')}'\nrecovery_target_action = 'promote'\n`,
    'recovery.signal': '',
  })
  server = await startEmbeddedPostgres({ dataDirectory: restored, settings: { shared_buffers: '128MB' } })
  pool = openPool()
  await waitUntil('the server was promoted', async () => {
    const { rows } = await pool.query<{ recovering: boolean }>('select pg_is_in_recovery() as recovering')
    return rows[0]?.recovering === false
  })
}

function admin(...words: string[]): Promise<{ stdout: string }> {
  return run(process.execPath, ['--disable-warning=ExperimentalWarning', path.join(ROOT, 'server/admin.ts'), ...words], {
    cwd: ROOT,
    env: { ...process.env, SANDBOX: '1', DATABASE_URL: server.url },
  })
}

test('exactly what existed at that second after a restore; what operators then paid is paid once, and no webhook is sent again', async () => {
  const restored = path.join(folder, 'restored')
  const early = await signIn(sandbox.baseUrl)
  const ended = [await deposit(early, 1_000, 'ok'), await deposit(early, 2_000, 'ok')]
  const undelivered = await deposit(early, 3_000, 'refusing')
  const waiting = await deposit(early, HELD_AMOUNT, 'ok')
  await copyPostgres(server, restored)
  await untilSuccess([...ended, undelivered])
  const second = new Date((await pool.query<{ at: Date }>('select clock_timestamp() as at')).rows[0]?.at ?? 0)

  const lost = await deposit(early, HELD_AMOUNT, 'ok')
  for (const id of [waiting, lost]) await approve(early, id)
  await untilSuccess([waiting, lost])
  await archiveAll()
  await early.close()
  await restore(restored, second)

  assert.deepEqual(await readStatuses([...ended, undelivered, waiting, lost]), [
    'SUCCESS',
    'SUCCESS',
    'SUCCESS',
    'PENDING_APPROVAL',
    undefined,
  ])
  assert.deepEqual(await verifyDatabase(pool), [])
  assert.match((await admin('after-restore')).stdout, /heldWebhooks/)
  const arrivals = receiver.arrivals.get(undelivered)?.length

  const service = await startService({
    environment: {
      NODE_ENV: 'production',
      SANDBOX: '1',
      LOG_LEVEL: 'fatal',
      SIMULATOR_DELAY_MS: '100',
      DATA_DIR: sandbox.folder,
      DATABASE_URL: server.url,
    },
  })
  try {
    await assert.rejects(admin('after-restore'), /stop all of them first/)
    const late = await signIn(service.baseUrl)
    const fresh = await deposit(late, HELD_AMOUNT, 'ok')
    for (const id of [waiting, fresh]) await approve(late, id)
    await untilSuccess([waiting, fresh])
    await late.close()
    const { books } = readBooks(sandbox.folder)
    for (const id of [...ended, undelivered, waiting, fresh])
      assert.deepEqual(books.get(id), { executed: 1, duplicates: 0 }, `${id} was executed once and sent once`)
    assert.equal(receiver.arrivals.get(undelivered)?.length, arrivals)
    assert.deepEqual(await verifyDatabase(pool), [])
  } finally {
    await service.stop()
  }
})

import assert from 'node:assert/strict'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { pipeToNodeResponse } from 'next/dist/server/pipe-readable.js'
import { createTranslate } from '#lib/i18n/translate.ts'
import { transactionFilterSchema } from '#lib/schemas/list-filter.ts'
import { toFileResponse } from '#server/back-office/file-response.ts'
import { createLogger } from '#server/logger.ts'
import { MESSAGES } from '#server/messages.ts'
import { setProcessLogger } from '#server/report-unexpected.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication, makePerson } from '#server/testing/factories.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { FileExpiredError, type FileLimits, type FilePieces, takeExportSlot } from './export-file.ts'
import { type ExportRequest, exportTransactions } from './export-transactions.ts'

const t = createTranslate('en', MESSAGES.en)
const ROWS = 4_500

let database: TestDatabase
let applicationId: string
let personId: string
before(async () => {
  database = await createTestDatabase()
  applicationId = await makeApplication(database.pool)
  personId = await makePerson(database.pool, applicationId, ['finance'])
  for (let n = 0; n < ROWS; n += 500) {
    await takeIn(
      database.pool,
      Array.from({ length: 500 }, () => anIntakeItem(applicationId, { type: 'COLLECT' })),
    )
  }
  setProcessLogger(createLogger('silent'))
})
after(() => database.drop())

const PATIENT: FileLimits = { stallMs: 60_000, durationMs: 60_000 }

function exportFor(overrides: Partial<ExportRequest> = {}, limits = PATIENT) {
  return exportTransactions(
    { pool: database.pool, reportPool: database.pool, limits },
    {
      applicationId,
      businessZone: 'UTC',
      applicationName: 'Kora Stores',
      person: { id: personId, name: 'Test person', roles: ['finance'] },
      format: 'csv',
      filter: transactionFilterSchema.parse({}),
      transactionIds: null,
      columns: null,
      t,
      ...overrides,
    },
  )
}

async function open(overrides: Partial<ExportRequest> = {}, limits = PATIENT): Promise<FilePieces> {
  const exported = await exportFor(overrides, limits)
  assert.ok(exported.ok)
  return exported.value.file
}

const heldConnections = () => database.pool.totalCount - database.pool.idleCount

test('busy for an application that has two files in progress, while the others still get theirs', async () => {
  assert.equal(database.pool.options.max, 10)
  const slots = [1, 2].map(() => takeExportSlot('one', 16))
  assert.equal(takeExportSlot('one', 16), undefined)
  slots.push(takeExportSlot('two', 16), takeExportSlot('two', 16))
  assert.equal(takeExportSlot('three', 16), undefined, 'four in all')
  for (const slot of slots) slot?.release()
  slots[0]?.release()
  const again = takeExportSlot('three', 16)
  assert.ok(again)
  again.release()
  const onSmallPool = takeExportSlot('one', 1)
  assert.ok(onSmallPool, 'one also with a single connection')
  assert.equal(takeExportSlot('two', 1), undefined)
  onSmallPool.release()
})

test('an error and a free slot after a reader stopped reading', async () => {
  const file = await open({}, { stallMs: 50, durationMs: 60_000 })
  await file.next()
  assert.equal(heldConnections(), 1)
  await waitUntil('no connection is held', () => heldConnections() === 0)
  await assert.rejects(file.next(), FileExpiredError)
  await assert.rejects(file.next(), FileExpiredError, 'not an end, however often it is asked')
  const next = await open()
  await next.return()
})

test('an error for a file that takes too long in total, and no read after its snapshot was closed', async () => {
  const file = await open({}, { stallMs: 60_000, durationMs: 60 })
  const started = performance.now()
  await assert.rejects(async () => {
    for (;;) {
      const step = await file.next()
      assert.ok(!step.done, 'the file must not look whole')
      await pause(25)
    }
  }, FileExpiredError)
  assert.ok(performance.now() - started < 5_000)
  assert.equal(heldConnections(), 0)
})

test('not one byte of a list that cannot be read', async () => {
  for (const format of ['csv', 'xlsx'] as const) {
    const file = await open({ format, filter: { ...transactionFilterSchema.parse({}), name: 'a\0b' } })
    await assert.rejects(
      toFileResponse(file, { type: 'text/csv', fileName: 'x.csv' }, new AbortController().signal),
      /invalid byte sequence/,
    )
    assert.equal(heldConnections(), 0)
  }
})

/** Serves a file as Next pipes it: whether a client gets the end of it, and whether it gets anything. */
async function fetchOver(file: FilePieces): Promise<{ isWhole: boolean; isEmpty: boolean }> {
  const server = createServer((_incoming, outgoing) => {
    void toFileResponse(file, { type: 'text/csv', fileName: 'x.csv' }, new AbortController().signal).then(async ({ body, headers }) => {
      outgoing.writeHead(200, Object.fromEntries(headers))
      assert.ok(body)
      await pipeToNodeResponse(body, outgoing).catch(() => undefined)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  try {
    return await new Promise((resolve, reject) => {
      let isEmpty = true
      const outgoing = request({ port, host: '127.0.0.1' }, (response) => {
        response.on('data', () => {
          isEmpty = false
        })
        response.on('error', () => undefined)
        response.on('close', () => resolve({ isWhole: response.complete, isEmpty }))
      })
      outgoing.on('error', reject)
      outgoing.end()
    })
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

/** The same file, whose database goes away after its first pieces. */
async function* cutOff(file: FilePieces): FilePieces {
  try {
    for (let place = 0; ; place++) {
      const step = await file.next()
      if (step.done) return
      yield step.value
      if (place === 1)
        await database.pool.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`,
        )
    }
  } finally {
    await file.return()
  }
}

test('an aborted transfer for a file that fails in the middle', async () => {
  for (const format of ['csv', 'xlsx'] as const) {
    assert.deepEqual(await fetchOver(await open({ format })), { isWhole: true, isEmpty: false })
    assert.deepEqual(await fetchOver(cutOff(await open({ format }))), { isWhole: false, isEmpty: false })
  }
  await waitUntil('no connection is held', () => heldConnections() === 0)
})

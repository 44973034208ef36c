import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { createTestDatabase } from '#server/testing/database.ts'
import { runPayDay } from './run-pay-day.ts'

const DEPOSITS = 400

test('SUCCESS for every deposit of a pay-day, once and in order, although the account covers a third and is topped up three times', async () => {
  const { pool, url, drop } = await createTestDatabase()
  const folder = await mkdtemp(path.join(tmpdir(), 'countersign-pay-day-'))
  try {
    const say = () => undefined
    await runPayDay({ pool, databaseUrl: url, folder, deposits: DEPOSITS, pollsAtOnce: true, say }, ({ verdicts, visits }) => {
      for (const { promise, looked, broken } of verdicts) {
        assert.deepEqual(broken.slice(0, 3), [], promise)
        assert.ok(looked > 0, promise)
      }
      assert.deepEqual([...visits.keys()], ['overview, page', 'overview, data', 'transactions, page', 'transactions, data'])
    })
  } finally {
    await drop()
    await rm(folder, { recursive: true, force: true })
  }
})

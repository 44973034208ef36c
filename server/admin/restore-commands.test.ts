import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readAll } from '#server/reports/installation/read-installation.ts'
import { type AdminHarness, createAdminHarness } from './testing.ts'

let harness: AdminHarness
before(async () => {
  harness = await createAdminHarness()
})
after(() => harness.close())

test('the last backup and the last restore test, as they were noted, each in the audit record', async () => {
  const { backup: none } = await readAll(harness.database.pool)
  assert.equal(none, null)
  await harness.facts('note-backup', '--at', '2026-11-21T02:00:00+01:00', '--note', 'weekly')
  await harness.facts('note-backup', '--at', '2026-11-22T02:00:00Z')
  await harness.facts('note-restore-test', '--at', '2026-11-22T09:00:00Z', '--note', '38 minutes')
  const { backup, restoreTest } = await readAll(harness.database.pool)
  assert.deepEqual(backup, { happenedAt: '2026-11-22T02:00:00.000Z', note: '' })
  assert.deepEqual(restoreTest, { happenedAt: '2026-11-22T09:00:00.000Z', note: '38 minutes' })
  const { rows } = await harness.database.pool.query<{ action: string; subject: string }>(
    "select action, subject from audit_entries where action like 'installation.%' order by sequence",
  )
  assert.deepEqual(
    rows.map(({ action, subject }) => `${action} ${subject}`),
    [
      'installation.backup_noted 2026-11-21T01:00:00.000Z',
      'installation.backup_noted 2026-11-22T02:00:00.000Z',
      'installation.restore_test_noted 2026-11-22T09:00:00.000Z',
    ],
  )
})

test('refused: a backup before the one that is noted, one in the future, a note that is too long, an instant without its zone', async () => {
  const refusal = async (...args: string[]) => (await harness.admin(['note-backup', ...args])).problem
  assert.match(await refusal('--at', '2026-11-01T02:00:00Z'), /A later one is noted already/)
  assert.match(await refusal('--at', '2999-01-01T00:00:00Z'), /in the future/)
  assert.match(await refusal('--note', 'x'.repeat(501)), /at most 500 characters/)
  assert.match(await refusal('--at', '2026-11-22 02:00'), /--at takes an instant with its zone/)
})

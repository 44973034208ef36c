import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Pair } from '#e2e/crash/failover/pair.ts'
import { migrate } from '#server/database/migrate.ts'
import { createPool, type Pool } from '#server/database/pool.ts'
import { readAll } from '#server/reports/installation/read-installation.ts'
import { waitUntil } from '#server/testing/wait-until.ts'

let pair: Pair
let pool: Pool
before(async () => {
  pair = await Pair.start()
  pool = createPool({ databaseUrl: pair.primary.server.url, connectionsMax: 4, applicationName: 'replication test' })
  await migrate(pool)
})
after(async () => {
  await pool.end()
  await pair.stop()
})

test('the synchronous standby of a pair on the page Installation, and none as soon as it is lost, when no commit ends', async () => {
  const { replication } = await readAll(pool)
  assert.equal(replication.required, true)
  const [standby, ...others] = replication.standbys ?? []
  assert.deepEqual([standby?.name, standby?.state, standby?.isSynchronous, others], ['node-2', 'streaming', true, []])
  pair.kill(pair.standby)
  await waitUntil('the standby is gone', async () => (await readAll(pool)).replication.standbys?.length === 0)
  assert.equal((await readAll(pool)).replication.required, true)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freePort } from '#server/database/embedded/embedded.ts'
import { createPool } from '#server/database/pool.ts'
import { createMetrics } from '#server/http/api/metrics.ts'
import { measureInstallation } from './measure-installation.ts'

test('all metrics of the process itself while the database is away, and none of the installation', async () => {
  const pool = createPool({
    databaseUrl: `postgres://nobody@127.0.0.1:${await freePort()}/none`,
    connectionsMax: 1,
    applicationName: 'test',
  })
  const metrics = createMetrics()
  measureInstallation({ metrics, pool })
  metrics.countOutcome('webhook', 'delivered')
  const { body } = await metrics.write()
  assert.match(body, /^countersign_outcomes_total\{kind="webhook",outcome="delivered"\} 1$/m)
  assert.doesNotMatch(body, /^countersign_(oldest_waiting_seconds|failing_tasks|standbys|backup_age_seconds)\{/m)
  await pool.end()
})

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { loadConfig } from '#server/config.ts'
import { freePort } from '#server/database/embedded/embedded.ts'
import { createLogger } from '#server/logger.ts'
import { createRuntime, type Runtime } from '#server/runtime.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { get } from '#server/testing/service/start-service.ts'
import { type Monitoring, startMonitoring } from './start-monitoring.ts'

let database: TestDatabase
let runtime: Runtime
let monitoring: Monitoring
let port: number

before(async () => {
  database = await createTestDatabase()
  port = await freePort()
  const config = loadConfig({ ROLE: 'worker', MONITORING_PORT: String(port) })
  runtime = await createRuntime({ config, databaseUrl: database.url, logger: createLogger('silent'), operatorDefaults: [] })
  monitoring = await startMonitoring(runtime, port)
})
after(async () => {
  await monitoring.drain()
  await runtime.close()
  await database.drop()
})

for (const address of ['/health', '/health/live', '/health/ready']) {
  test(`200 for ${address}`, async () => {
    assert.deepEqual(await get(`http://127.0.0.1:${port}${address}`), { status: 200, text: '{"status":"up"}' })
  })
}

test('200 for /metrics with what this process has counted', async () => {
  runtime.metrics.countOutcome('webhook', 'delivered', 3)
  const { status, text } = await get(`http://127.0.0.1:${port}/metrics`)
  assert.equal(status, 200)
  assert.match(text, /^countersign_outcomes_total\{kind="webhook",outcome="delivered"\} 3$/m)
})

for (const address of ['/', '/sign-in', '/api/v1/transaction/collect', '/public/access_token', '/metrics/']) {
  test(`404 for ${address}: pages and the partner API are not served on this port`, async () => {
    assert.equal((await get(`http://127.0.0.1:${port}${address}`)).status, 404)
  })
}

test('403 for /metrics through a proxy that is not trusted', async () => {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { 'x-forwarded-for': '198.51.100.7' } })
  await answer.body?.cancel()
  assert.equal(answer.status, 403)
})

test('EADDRINUSE when the port is taken', async () => {
  await assert.rejects(startMonitoring(runtime, port), { code: 'EADDRINUSE' })
})

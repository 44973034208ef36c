import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMetrics } from './metrics.ts'

/** The samples of a metric of this service, in the order in which they are written. */
async function samples(metrics: ReturnType<typeof createMetrics>, name: string): Promise<string[]> {
  const { body } = await metrics.write()
  return body.split('\n').filter((line) => line.startsWith(`countersign_${name}`))
}

test('each request under its endpoint and status, and its seconds in the first bucket that holds them', async () => {
  const metrics = createMetrics()
  metrics.countRequest('collect', 200, 5)
  metrics.countRequest('collect', 200, 6)
  metrics.countRequest('collect', 400, 20_000)
  metrics.countRequest('health', 200, 1)
  const requests = ['collect",status="200"} 2', 'collect",status="400"} 1', 'health",status="200"} 1']
  const expected = requests.map((each) => `countersign_http_requests_total{endpoint="${each}`)
  assert.deepEqual(await samples(metrics, 'http_requests_total'), expected)
  assert.deepEqual(await samples(metrics, 'http_requests_total'), expected, 'a second look counts nothing twice')
  const seconds = await samples(metrics, 'http_request_seconds')
  const bucket = (le: string) =>
    seconds
      .find((line) => line.includes(`le="${le}",endpoint="collect"`))
      ?.split(' ')
      .at(-1)
  assert.deepEqual(['0.0025', '0.005', '0.01', '10', '+Inf'].map(bucket), ['0', '1', '2', '2', '3'])
  assert.ok(seconds.includes('countersign_http_request_seconds_sum{endpoint="collect"} 20.011'))
})

test('outcomes one by one or many at once, sizes of batches, and values that are read when they are asked for', async () => {
  const metrics = createMetrics()
  metrics.countOutcome('webhook', 'delivered')
  metrics.countOutcome('webhook', 'delivered', 4)
  metrics.observeBatch('intake', 3)
  let depth = 1
  metrics.addGauge('queue_depth', 'Depth', () => depth)
  depth = 7
  assert.deepEqual(await samples(metrics, 'outcomes_total'), ['countersign_outcomes_total{kind="webhook",outcome="delivered"} 5'])
  assert.deepEqual(await samples(metrics, 'queue_depth'), ['countersign_queue_depth 7'])
  const batches = await samples(metrics, 'batch_size_bucket')
  assert.deepEqual(
    batches.slice(1, 3).map((line) => line.split(' ').at(-1)),
    ['0', '1'],
  )
})

test('crashes by process, also where the service itself never crashed', async () => {
  const metrics = createMetrics()
  metrics.addCrashes({ simulator: 2 })
  assert.deepEqual(await samples(metrics, 'crashes_total'), [
    'countersign_crashes_total{process="service"} 0',
    'countersign_crashes_total{process="simulator"} 2',
  ])
})

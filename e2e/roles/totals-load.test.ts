import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { ServiceProcess } from '#e2e/processes/start-process.ts'
import { ROLES } from '#lib/permissions.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { createTestPartner } from '#server/testing/partner.ts'
import { newPerson } from './callers.ts'
import { type Sent, sendRequest } from './send-request.ts'
import { startService } from './start-service.ts'

const WIDEST = 'from=0001-01-01&to=9999-12-31'
const PARALLEL = 12
const DATA_BYTES_MAX = 64 * 1024
const PAGE_BYTES_MAX = 1024 * 1024
const BLOCKED_MAX_MS = 250
/** On a machine that others load too, twelve of the lightest pages can take longer than that; the widest range may take twice what they take. */
const LIGHTEST = '/forty-years/settings'
/** And the machine may itself stand still for that long, once. */
const ROUNDS_MAX = 4

let database: TestDatabase
let service: ServiceProcess
let cookie: string

before(async () => {
  database = await createTestDatabase()
  const { applicationId } = await createTestPartner(database.pool, { name: 'Forty years' })
  await database.pool.query(
    `insert into transaction_days (application_id, day, operator, type, status, transaction_count, amount_minor)
       select $1, current_date - n, o.operator, 'COLLECT', s.status, 5, 123456789
         from generate_series(0, 40 * 365) as n, unnest(array['OMCM', 'BFOM', 'UGMTN']) as o (operator), unnest(array['SUCCESS', 'FAILED']) as s (status)`,
    [applicationId],
  )
  // The heap that the launcher gives a process.
  const heap = { NODE_OPTIONS: '--max-old-space-size=256 --max-semi-space-size=32' }
  service = await startService(database, heap)
  cookie = (await newPerson(service.baseUrl, database.pool, applicationId, ROLES)).cookie
})
after(async () => {
  await service.end()
  await database.drop()
})

/** Twelve at once, and how long a health request, sent every 20 ms meanwhile, waited at most. */
async function load(path: string): Promise<{ answers: Sent[]; blockedMs: number }> {
  let isOver = false
  let blockedMs = 0
  const watch = async () => {
    while (!isOver) {
      const sentAtMs = performance.now()
      await sendRequest(service.baseUrl, { path: '/health/live' })
      blockedMs = Math.max(blockedMs, performance.now() - sentAtMs)
      await delay(20)
    }
  }
  const watching = watch()
  const answers = await Promise.all(Array.from({ length: PARALLEL }, () => sendRequest(service.baseUrl, { path, headers: { cookie } })))
  isOver = true
  await watching
  return { answers, blockedMs }
}

for (const [path, bytesMax] of [
  [`/api/back-office/forty-years/totals?${WIDEST}`, DATA_BYTES_MAX],
  [`/api/back-office/forty-years/totals?${WIDEST}&status=ALL`, DATA_BYTES_MAX],
  [`/api/back-office/forty-years/totals/export?${WIDEST}`, DATA_BYTES_MAX],
  [`/forty-years/totals?${WIDEST}`, PAGE_BYTES_MAX],
] as const) {
  test(`200 in a bounded response, without holding up anybody else: ${path} twelve times at once`, async () => {
    let least = Number.POSITIVE_INFINITY
    let limitMs = BLOCKED_MAX_MS
    for (let round = 0; round < ROUNDS_MAX && least > limitMs; round++) {
      const { answers, blockedMs } = await load(path)
      limitMs = Math.max(BLOCKED_MAX_MS, 2 * (await load(LIGHTEST)).blockedMs)
      for (const { status, body } of answers) {
        assert.equal(status, 200)
        assert.ok(Buffer.byteLength(body) < bytesMax, `${Buffer.byteLength(body)} bytes`)
      }
      least = Math.min(least, blockedMs)
    }
    assert.ok(least <= limitMs, `a health request waited ${Math.round(least)} ms, more than ${Math.round(limitMs)} ms`)
  })
}

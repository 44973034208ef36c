import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Agent } from 'undici'
import { type Partner, signIn } from '#e2e/contract/service.ts'
import { revokeApiKey } from '#server/applications/access/api-keys.ts'
import { allowAddress, denyAddress } from '#server/applications/access/change-networks.ts'
import { changeApplication, setTransferService } from '#server/applications/terms.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { blockApiUser } from '#server/partner-auth/api-users.ts'
import { verifyBooks } from '#server/reports/verify/verify-books.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { createTestPartner, must } from '#server/testing/partner.ts'
import { PRODUCTION, type Service, startService } from '#server/testing/service/start-service.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { aCollect, openConnections, post } from './requests.ts'

const actor = SYSTEM_ACTOR
/** An operator that is in service and never answers: accepted transactions stay PENDING. */
const OPERATOR = { OPERATOR_MTN_MOMO_BASE_URL: 'http://127.0.0.1:9', OPERATOR_MTN_MOMO_SECRET: 'shared with the operator' }
let database: TestDatabase
let environment: Record<string, string>
let processes: Service[]
let partner: Partner
let agent: Agent

before(async () => {
  database = await createTestDatabase({ mode: 'production' })
  agent = openConnections(64)
  environment = { ...PRODUCTION, ROLE: 'all', DATABASE_URL: database.url, ...OPERATOR }
  processes = await Promise.all([startService({ environment }), startService({ environment })])
  partner = await newPartner()
})
after(async () => {
  await agent.destroy()
  await Promise.all(processes.map((one) => one.stop()))
  await database.drop()
})

async function newPartner(): Promise<Partner> {
  const created = await createTestPartner(database.pool)
  const signedIn = await signIn(processes[0]?.baseUrl ?? '', created)
  await Promise.all(processes.map((one) => untilAccepted(one.baseUrl, signedIn)))
  return signedIn
}

async function untilAccepted(baseUrl: string, who: Partner): Promise<void> {
  await waitUntil('a new partner is accepted', async () => (await post(agent, baseUrl, 'collect', who.headers, aCollect())).status === 200)
}

async function countOf(externalId: unknown): Promise<number> {
  const { rows } = await database.pool.query('select 1 from transactions where application_id = $1 and external_id = $2', [
    partner.applicationId,
    externalId,
  ])
  return rows.length
}

test('200 with one id for fifty equal requests at once over both processes', async () => {
  for (let round = 0; round < 5; round++) {
    const request = aCollect()
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => post(agent, processes[index % 2]?.baseUrl ?? '', 'collect', partner.headers, request)),
    )
    assert.deepEqual([...new Set(answers.map((answer) => answer.status))], [200])
    assert.equal(new Set(answers.map((answer) => answer.body['transactionId'])).size, 1)
    assert.equal(await countOf(request['externalId']), 1)
  }
})

test('200 for one and 400 for the other of two contents under one externalId at once', async () => {
  for (let round = 0; round < 5; round++) {
    const request = aCollect()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        post(agent, processes[index % 2]?.baseUrl ?? '', 'collect', partner.headers, { ...request, amount: 100 + (index % 4 < 2 ? 0 : 1) }),
      ),
    )
    assert.equal(answers.filter((answer) => answer.status === 200).length, 10)
    assert.equal(answers.filter((answer) => answer.status === 400).length, 10)
    assert.equal(await countOf(request['externalId']), 1)
  }
})

const CHANGES: { what: string; status: number; change(who: Partner): Promise<unknown>; undo(who: Partner): Promise<unknown> }[] = [
  {
    what: 'a transfer service that is switched off',
    status: 403,
    change: async ({ applicationId }) =>
      must(
        await setTransferService(database.pool, {
          applicationId,
          operator: 'MOMOCM',
          type: 'COLLECT',
          service: serviceThatIs(false),
          actor,
        }),
      ),
    undo: async ({ applicationId }) =>
      must(
        await setTransferService(database.pool, {
          applicationId,
          operator: 'MOMOCM',
          type: 'COLLECT',
          service: serviceThatIs(true),
          actor,
        }),
      ),
  },
  {
    what: 'an API user who is blocked',
    status: 403,
    change: async ({ applicationId, apiUserId }) =>
      must(await blockApiUser(database.pool, { applicationId, apiUserId, isBlocked: true, actor })),
    undo: async ({ applicationId, apiUserId }) =>
      must(await blockApiUser(database.pool, { applicationId, apiUserId, isBlocked: false, actor })),
  },
  {
    what: 'an address that is taken off the allow list',
    status: 403,
    change: async ({ applicationId }) => must(await denyAddress(database.pool, { applicationId, network: '127.0.0.0/8', actor })),
    undo: async ({ applicationId }) => must(await allowAddress(database.pool, { applicationId, network: '127.0.0.0/8', actor })),
  },
  {
    what: 'an application that is disabled',
    status: 403,
    change: async ({ applicationId }) =>
      must(await changeApplication(database.pool, { applicationId, change: { isEnabled: false }, actor })),
    undo: async ({ applicationId }) => must(await changeApplication(database.pool, { applicationId, change: { isEnabled: true }, actor })),
  },
  {
    what: 'an API key that is revoked',
    status: 401,
    change: async ({ applicationId, apiKeyId }) => must(await revokeApiKey(database.pool, { applicationId, apiKeyId, actor })),
    undo: async () => undefined,
  },
]

const CHANGE_LIMIT_MS = 20_000

function serviceThatIs(isEnabled: boolean) {
  return { isEnabled, enforcesLimits: false, minimumMinor: null, maximumMinor: null }
}

for (const { what, status, change, undo } of CHANGES) {
  test(`${status} from both processes soon after the change: ${what}`, async () => {
    const who = await newPartner()
    await change(who)
    const changedMs = performance.now()
    await Promise.all(processes.map((one) => untilAnswered(one.baseUrl, who, status, changedMs)))
    await undo(who)
    const undoneMs = performance.now()
    if (status === 403) await Promise.all(processes.map((one) => untilAnswered(one.baseUrl, who, 200, undoneMs)))
  })
}

/** A request that is sent after the limit is answered as the change demands. How soon it is on a calm machine: server/applications/directory.test.ts. */
async function untilAnswered(baseUrl: string, who: Partner, status: number, changedMs: number): Promise<void> {
  for (;;) {
    const sentMs = performance.now()
    const answer = await post(agent, baseUrl, 'collect', who.headers, aCollect())
    if (answer.status === status) return
    assert.ok(
      sentMs - changedMs < CHANGE_LIMIT_MS,
      `${baseUrl} still answered ${answer.status} to a request that was sent ${Math.round(sentMs - changedMs)} ms after the change`,
    )
    await delay(10)
  }
}

test('200 for every request that was sent before a SIGTERM under load, and each is stored', async () => {
  for (let round = 0; round < 3; round++) {
    const ended = processes[1]
    assert.ok(ended)
    const outcome = await endUnderLoad(ended)
    assert.equal(outcome.exitCode, 0)
    assert.deepEqual(outcome.lostBefore, [])
    assert.ok(outcome.accepted.length > 100, `only ${outcome.accepted.length} requests were accepted`)
    const { rows } = await database.pool.query('select 1 from transactions where application_id = $1 and transaction_id = any ($2)', [
      partner.applicationId,
      outcome.accepted,
    ])
    assert.equal(rows.length, outcome.accepted.length)
    processes[1] = await startService({ port: ended.port, environment })
  }
  assert.deepEqual(await verifyBooks(database.pool), [])
})

type Outcome = { exitCode: number | null; accepted: unknown[]; lostBefore: string[] }

/** Keeps 32 connections busy, asks the process to end, and tells what became of what was sent before. */
async function endUnderLoad(ended: Service): Promise<Outcome> {
  const connections = openConnections(32)
  const accepted: unknown[] = []
  const lostBefore: string[] = []
  let askedMs = Number.POSITIVE_INFINITY
  const busy = Array.from({ length: 32 }, async () => {
    for (;;) {
      const sentMs = performance.now()
      try {
        const answer = await post(connections, ended.baseUrl, 'collect', partner.headers, aCollect())
        if (answer.status === 200) accepted.push(answer.body['transactionId'])
        else lostBefore.push(`status ${answer.status}`)
      } catch (error) {
        // A process that is shutting down may refuse connections; nothing was started then.
        if (sentMs < askedMs) lostBefore.push(String(error))
        return
      }
    }
  })
  await waitUntil('200 requests are accepted', () => accepted.length >= 200)
  askedMs = performance.now()
  const exitCode = await ended.stop()
  await Promise.all(busy)
  await connections.destroy()
  return { exitCode, accepted, lostBefore }
}

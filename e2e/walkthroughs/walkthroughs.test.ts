import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { traceCalls } from './trace-calls.ts'

// Only what is imported after this call is followed.
const follow = traceCalls()
const { loadConfig, publishForNext } = await import('#server/config.ts')
const { freePort } = await import('#server/database/embedded/embedded.ts')
const { createLogger } = await import('#server/logger.ts')
const { gatewaysOf } = await import('#server/operators/sandbox-protocol/sandbox-connector.ts')
const { startLoops } = await import('#server/process/start/start-loops.ts')
const { startWeb } = await import('#server/process/start/start-web.ts')
const { createRuntime } = await import('#server/runtime.ts')
const { takeIn } = await import('#server/transactions/intake.ts')
const { createTestDatabase } = await import('#server/testing/database.ts')
const { aBand, anIntakeItem, fund } = await import('#server/testing/factories.ts')
const { createTestPartner } = await import('#server/testing/partner.ts')
const { buildPages } = await import('#server/testing/service/build-pages.ts')
const { PRODUCTION } = await import('#server/testing/service/start-service.ts')
const { signIn } = await import('#e2e/contract/service.ts')
const { aCollect } = await import('#e2e/processes/requests.ts')
const { newPerson } = await import('#e2e/roles/callers.ts')
const { readBuiltActions } = await import('#e2e/roles/find-endpoints.ts')

const APPLICATION = 'walkthroughs'
const ACTION = 'app/(back-office)/[application]/approvals/actions.ts decideTransactions'
const README = readFileSync('server/README.md', 'utf8')
let baseUrl: string
let pool: Awaited<ReturnType<typeof createTestDatabase>>['pool']
let partner: Awaited<ReturnType<typeof signIn>>
let cookie: string
const closing: (() => Promise<unknown>)[] = []

// The whole service in this process, with its pages as they are built.
before(async () => {
  await buildPages()
  const database = await createTestDatabase({ mode: 'production' })
  pool = database.pool
  const port = await freePort()
  baseUrl = `http://127.0.0.1:${port}`
  const operator = { OPERATOR_MOMOCM_BASE_URL: 'http://127.0.0.1:9', OPERATOR_MOMOCM_SECRET: 'a secret that no operator knows' }
  const address = { HOST: '127.0.0.1', PORT: String(port), PUBLIC_URL: baseUrl }
  const config = loadConfig({ ...PRODUCTION, ...operator, ...address, DATABASE_URL: database.url, LOG_LEVEL: 'error' })
  publishForNext(config)
  const operatorDefaults = gatewaysOf(config.operators)
  const runtime = await createRuntime({ config, databaseUrl: database.url, logger: createLogger('silent'), operatorDefaults })
  const loops = startLoops(runtime)
  const web = await startWeb(runtime, { sharesPort: false })
  closing.push(
    () => web.drain(),
    () => loops.drain(),
    () => runtime.close(),
    () => database.drop(),
  )
  await web.pagesReady
  partner = await signIn(baseUrl, await createTestPartner(pool, { name: 'Walkthroughs' }))
  await fund(pool, partner.applicationId, 'MOMOCM', 100_000_000n)
  cookie = (await newPerson(baseUrl, pool, partner.applicationId, ['checker'])).cookie
})
after(async () => {
  for (const close of closing) await close()
})

async function sendDeposit(): Promise<void> {
  const body = JSON.stringify(aCollect({ amount: 100 }))
  const answer = await fetch(`${baseUrl}/api/v1/transaction/deposit`, { method: 'POST', headers: partner.headers, body })
  assert.equal(answer.status, 200, await answer.text())
}

async function openList(): Promise<void> {
  const answer = await fetch(`${baseUrl}/${APPLICATION}/transactions`, { headers: { cookie } })
  assert.equal(answer.status, 200)
  await answer.text()
}

/** A collect that waits, and the content that its checker was shown. */
async function readWaiting(): Promise<{ transactionId: string; contentHash: string }> {
  const { transactionId } = anIntakeItem(partner.applicationId)
  await takeIn(pool, [anIntakeItem(partner.applicationId, { transactionId, type: 'COLLECT', bands: [aBand()] })])
  const answer = await fetch(`${baseUrl}/api/back-office/${APPLICATION}/approvals?queue=mine`, { headers: { cookie } })
  const { rows } = (await answer.json()) as { rows: { transactionId: string; contentHash: string }[] }
  return rows.find((row) => row.transactionId === transactionId) ?? assert.fail('the checker sees it')
}

async function approve({ transactionId, contentHash }: { transactionId: string; contentHash: string }): Promise<void> {
  const id = (await readBuiltActions()).find(({ name }) => name === ACTION)?.id ?? assert.fail('the build has no such action')
  const answer = await fetch(`${baseUrl}/${APPLICATION}/approvals`, {
    method: 'POST',
    headers: { cookie, 'next-action': id, accept: 'text/x-component', 'content-type': 'text/plain;charset=UTF-8', origin: baseUrl },
    body: JSON.stringify([APPLICATION, { decision: 'validated', note: 'fine', items: [{ transactionId, contentHash }] }]),
  })
  const text = await answer.text()
  assert.match(text, /"ok":true/)
  const { rows } = await pool.query('select status from transactions where transaction_id = $1', [transactionId])
  assert.deepEqual(rows, [{ status: 'PENDING' }])
}

/** The source files that a walkthrough names in its steps, in the order in which they are named first, and those that it names at all. */
function readWalkthrough(title: string): { steps: string[]; all: string[] } {
  const [, text = ''] = new RegExp(`^### ${title}$(.*?)^##`, 'ms').exec(README) ?? assert.fail(`no walkthrough ${title}`)
  const filesIn = (part: string) => [
    ...new Set([...part.matchAll(/`([^`\s]+\.tsx?)`/g)].map((match) => path.posix.join('server', match[1] ?? ''))),
  ]
  const steps = [...text.matchAll(/^\d+\. .*(?:\n {3,}.*)*/gm)].map(([step]) => step).join('\n')
  return { steps: filesIn(steps), all: filesIn(text) }
}

const REQUESTS: [title: string, target: RegExp, prepare: () => Promise<() => Promise<void>>][] = [
  ['A deposit', /\/deposit$/, async () => sendDeposit],
  ['A list', /\/transactions$/, async () => openList],
  ['An approval', /\/approvals$/, async () => approve.bind(undefined, await readWaiting())],
]
for (const [title, target, prepare] of REQUESTS) {
  test(`${title}: the files in the order in which a real request enters them, and every file of SQL that it enters`, async () => {
    // The first request loads modules and fills caches.
    await (await prepare())()
    const traced = await follow((request) => target.test(request.url ?? ''), await prepare())
    const { steps, all } = readWalkthrough(title)
    assert.ok(steps.length > 10, `${steps.length} files`)
    assert.deepEqual(
      steps,
      traced.filter((file) => steps.includes(file)),
    )
    const stores = traced.filter((file) => file.endsWith('-store.ts'))
    assert.deepEqual(
      stores.filter((file) => !all.includes(file)),
      [],
    )
  })
}

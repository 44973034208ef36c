import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { listBehindWebhooks } from '#lib/finance/finance-address.ts'
import { addDecimals } from '#lib/money/money.ts'
import { toQuery } from '#lib/pages/paths.ts'
import { WEBHOOK_STATES, type WebhookState } from '#lib/payments/transactions/transaction-status.ts'
import { type TransactionFilter, transactionFilterSchema } from '#lib/schemas/list-filter.ts'
import { inUtc } from '#server/testing/business-time.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication, makePerson } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { readTransactionList, searchTransactions } from '../transaction-search/search-transactions.ts'
import { readOverview } from './read-overview.ts'

type Delivery = { sequence: bigint; amountMinor: bigint; status: string; target: string; state: WebhookState; finishedAt: Date | null }

/** The same receiver with two passwords is one receiver to people. */
const URLS = [
  'https://one.example/hook',
  'https://kora:first@two.example:8443/hook',
  'https://kora:second@two.example:8443/hook',
  'http://three.example/a,b',
]
const TARGETS = ['https://one.example', 'https://two.example:8443', 'http://three.example']
const HOUR_MS = 3_600_000

let database: TestDatabase
let applicationId: string
let deliveries: Delivery[]
before(async () => {
  database = await createTestDatabase()
  applicationId = await makeApplication(database.pool)
  await seed()
  deliveries = await readDeliveries()
})
after(() => database.drop())

/** 150 transactions, two of three final; their webhooks stand anywhere between just now and three days ago. */
async function seed(): Promise<void> {
  for (let n = 0; n < 150; n++) {
    const item = anIntakeItem(applicationId, { type: 'COLLECT', amountMinor: BigInt(100 + n * 7), webhookUrl: URLS[n % 4] ?? '' })
    await takeIn(database.pool, [item])
    if (n % 3 === 0) continue
    const event = n % 5 === 0 ? ('failed' as const) : ('succeeded' as const)
    await transition(database.pool, [{ applicationId, transactionId: item.transactionId, event, actor: SYSTEM_ACTOR }])
    const state = n % 11 === 0 ? 'exhausted' : n % 7 === 0 ? 'due' : 'delivered'
    const hoursAgo = (n * 37) % 72
    await database.pool.query(
      `update webhook_deliveries set state = $3, created_at = now() - $4 * interval '1 hour',
         finished_at = case when $3 <> 'due' then now() - $4 * interval '1 hour' end where application_id = $1 and transaction_id = $2`,
      [applicationId, item.transactionId, state, hoursAgo],
    )
  }
}

async function readDeliveries(): Promise<Delivery[]> {
  const { rows } = await database.pool.query<Delivery>(
    `select t.sequence, t.amount_minor as "amountMinor", t.status, d.target, d.state, d.finished_at as "finishedAt"
     from webhook_deliveries d join transactions t using (application_id, transaction_id) where application_id = $1 order by t.sequence desc`,
    [applicationId],
  )
  return rows.map((row) => ({ ...row, target: row.target.replace(/\/\/.*@/, '//') }))
}

const parse = (query: Record<string, string>) => transactionFilterSchema.parse(query)
const listOf = (address: string) =>
  readTransactionList(database.pool, inUtc(applicationId), parse(Object.fromEntries(new URLSearchParams(address))))

test('every webhook figure, in total and per receiver, equals the number of transactions in its list', async () => {
  const id = await makePerson(database.pool, applicationId, ['administrator'])
  const reader = { applicationId, id, hasSecondFactor: true, roles: ['administrator' as const] }
  const { administrator } = await readOverview(database.pool, { ...reader, businessZone: 'UTC' }, 30, new Date())
  assert.ok(administrator)
  const { webhooks } = administrator
  assert.equal(Date.parse(webhooks.before) - Date.parse(webhooks.after), 24 * HOUR_MS)
  assert.deepEqual(webhooks.worst.map((target) => target.target).toSorted(), TARGETS.toSorted())
  for (const state of WEBHOOK_STATES) {
    const isShown = (one: Delivery) => one.state === state && (state === 'due' || isWithin(one, webhooks.after, webhooks.before))
    const expected = deliveries.filter(isShown)
    assert.ok(expected.length > 0 && (state === 'due' || expected.length < deliveries.filter((one) => one.state === state).length))
    assert.equal(webhooks[state], expected.length)
    assert.equal((await listOf(toQuery(listBehindWebhooks(webhooks, state)))).total, expected.length)
    for (const target of webhooks.worst) {
      const own = expected.filter((one) => one.target === target.target)
      assert.equal(target[state], own.length)
      const found = await listOf(toQuery(listBehindWebhooks(webhooks, state, target.target)))
      assert.equal(found.total, own.length)
      assert.equal(
        found.sums.map((sum) => sum.amount).reduce(addDecimals, '0'),
        own.length === 0 ? '0' : String(Number(own.reduce((sum, one) => sum + one.amountMinor, 0n)) / 100),
      )
    }
  }
})

function isWithin({ finishedAt }: Delivery, after: string | null, before: string | null): boolean {
  if (after === null && before === null) return true
  if (finishedAt === null) return false
  return (after === null || finishedAt.getTime() >= Date.parse(after)) && (before === null || finishedAt.getTime() < Date.parse(before))
}

function oracle(filter: TransactionFilter): Delivery[] {
  const fitting = deliveries.filter(
    (one) =>
      one.state === filter.webhook &&
      (filter.webhookTarget === null || one.target === filter.webhookTarget) &&
      isWithin(one, filter.webhookAfter, filter.webhookBefore) &&
      (filter.status.length === 0 || filter.status.some((status) => status === one.status)) &&
      (filter.min === null || one.amountMinor >= filter.min),
  )
  return filter.sort === 'oldest' ? fitting.toReversed() : fitting
}

const instant = fc.integer({ min: 0, max: 80 * 60 }).map((minutes) => new Date(Date.now() - minutes * 60_000).toISOString())
const address = fc.record(
  {
    webhook: fc.constantFrom(...WEBHOOK_STATES),
    webhookTarget: fc.constantFrom(...TARGETS, 'https://nobody.example', 'https://kora:first@two.example:8443'),
    webhookAfter: instant,
    webhookBefore: instant,
    status: fc.constantFrom('SUCCESS', 'FAILED', 'SUCCESS,FAILED', 'PENDING'),
    min: fc.constantFrom('3', '9'),
    sort: fc.constantFrom('newest', 'oldest'),
    page: fc.constantFrom('1', '2', '3'),
    size: fc.constantFrom('25', '50'),
  },
  { requiredKeys: ['webhook'] },
)

test('rows and total equal a selection by hand for any webhook filter combined with any other', async () => {
  await fc.assert(
    fc.asyncProperty(address, async (query) => {
      const filter = parse(query)
      const expected = oracle(filter)
      const found = await searchTransactions(database.pool, inUtc(applicationId), filter)
      const begin = filter.page * filter.size
      assert.equal(found.total, BigInt(expected.length))
      assert.deepEqual(
        found.rows.map((row) => row.sequence),
        expected.slice(begin, begin + filter.size).map((row) => row.sequence),
      )
      assert.equal(
        found.sums.reduce((sum, one) => sum + one.amountMinor, 0n),
        expected.reduce((sum, one) => sum + one.amountMinor, 0n),
      )
    }),
    { numRuns: 200 },
  )
})

test('searchedBackTo for delivered webhooks beyond the budget of rows, null for due and exhausted ones', async () => {
  const narrow = { webhookAfter: new Date(Date.now() - 24 * HOUR_MS).toISOString(), webhookBefore: new Date().toISOString() }
  for (const state of WEBHOOK_STATES) {
    const filter = parse({ webhook: state, status: 'SUCCESS,FAILED', ...(state === 'delivered' ? narrow : {}) })
    const found = await searchTransactions(database.pool, inUtc(applicationId), filter, 1n)
    assert.deepEqual([found.total, found.searchedBackTo], [BigInt(oracle(filter).length), null])
  }
})

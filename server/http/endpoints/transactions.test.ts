import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { transactionListSchema } from '#lib/schemas/api/transaction-responses.ts'
import { anIntakeItem, makeApplication } from '#server/testing/factories.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { type HttpHarness, openHttpHarness } from '../testing/http-harness.ts'

const PATH = '/api/v2/transactions'

let harness: HttpHarness
const items: IntakeItem[] = []
before(async () => {
  harness = await openHttpHarness()
  for (let count = 0; count < 7; count++) await add()
})
after(() => harness.close())

async function add(): Promise<void> {
  const item = anIntakeItem(harness.partner.applicationId)
  await takeIn(harness.database.pool, [item])
  items.unshift(item)
}

const get = (search: string, headers: Record<string, string> = harness.headers) => fetch(`${harness.baseUrl}${PATH}${search}`, { headers })

async function list(search: string) {
  const response = await get(search)
  assert.equal(response.status, 200)
  return transactionListSchema.parse(await response.json())
}

test('each transaction once, newest first, although new ones are started while the pages are read', async () => {
  const expected = items.map(({ transactionId }) => transactionId)
  const read: string[] = []
  let cursor: string | null = ''
  for (let pages = 0; cursor !== null; pages++) {
    const page: Awaited<ReturnType<typeof list>> = await list(`?limit=3${cursor && `&cursor=${cursor}`}`)
    read.push(...page.transactions.map(({ transactionId }) => transactionId))
    assert.equal(page.transactions.length, pages < 2 ? 3 : 1)
    cursor = page.nextCursor
    await add()
  }
  assert.deepEqual(read, expected)
  const exact = await list(`?limit=${items.length}`)
  assert.deepEqual([exact.transactions.length, exact.nextCursor], [items.length, null])
})

test('the one transaction with an externalId, with its result and both times; none for that of another application', async () => {
  const [item] = items
  assert.ok(item)
  await transition(harness.database.pool, [{ ...item, event: 'failed', message: 'Compte non inscrit', actor: SYSTEM_ACTOR }])
  const { transactions, nextCursor } = await list(`?externalId=${item.externalId.toUpperCase()}`)
  const [found] = transactions
  assert.deepEqual([transactions.length, nextCursor, found?.transactionId], [1, null, item.transactionId])
  assert.deepEqual([found?.status, found?.message, typeof found?.completedAt], ['FAILED', 'Compte non inscrit', 'string'])
  const other = anIntakeItem(await makeApplication(harness.database.pool))
  await takeIn(harness.database.pool, [other])
  assert.deepEqual((await list(`?externalId=${other.externalId}`)).transactions, [])
  assert.deepEqual((await list(`?externalId=${randomUUID()}`)).transactions, [])
})

test('400 for a limit, an externalId or a cursor that is none; 401 without credentials', async () => {
  for (const search of ['?limit=0', '?limit=1001', '?limit=x', '?externalId=7', '?cursor=abc', `?cursor=${'a'.repeat(101)}`, '?cursor='])
    assert.equal((await get(search)).status, 400, search)
  assert.equal((await get('', {})).status, 401)
})

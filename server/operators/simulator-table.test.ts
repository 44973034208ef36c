import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'

let room: OperatorHarness
before(async () => {
  room = await OperatorHarness.open()
  room.startDispatcher()
})
after(() => room.close())

function withDigits(digits: string): Partial<IntakeItem> {
  return { phoneNumber: `237677209${digits}` }
}

const FAILURES = [
  ['901', 'Solde insuffisant'],
  ['902', 'Numéro invalide'],
  ['903', 'Transaction annulée par le client'],
  ['904', 'Timeout opérateur'],
  ['905', 'Compte non inscrit'],
] as const

for (const [digits, message] of FAILURES) {
  for (const type of ['COLLECT', 'DEPOSIT'] as const) {
    test(`${digits}: a ${type} fails with the operator's own words`, async () => {
      const transaction = await room.untilFinal(await room.make({ ...withDigits(digits), type }))
      assert.deepEqual([transaction.status, transaction.message], ['FAILED', message])
      await room.compareBooks()
    })
  }
}

test('any other number succeeds, through a callback that leads to a query', async () => {
  const item = await room.make(withDigits('341'))
  const transaction = await room.untilFinal(item)
  assert.deepEqual([transaction.status, transaction.message], ['SUCCESS', 'Transaction réussie'])
  assert.deepEqual(await room.attemptsOf(item), ['submit accepted', 'callback succeeded', 'query succeeded'])
  assert.equal(await room.workOf(item), undefined)
  await room.compareBooks()
})

test('906: without a callback the result is found by polling', async () => {
  const item = await room.make(withDigits('906'))
  assert.equal((await room.untilFinal(item)).status, 'SUCCESS')
  assert.equal(
    (await room.attemptsOf(item)).some((attempt) => attempt.startsWith('callback')),
    false,
  )
  await room.compareBooks()
})

test('907: an answer that never comes is not a failure, and the money that moved is found', async () => {
  const item = await room.make(withDigits('907'))
  assert.equal((await room.untilFinal(item)).status, 'SUCCESS')
  assert.equal((await room.attemptsOf(item))[0], 'submit unknown')
  assert.equal((await room.books()).get(item.transactionId)?.submissions, 1)
  await room.compareBooks()
})

test('908: a submission that vanished is sent again only after the operator twice said that it does not know it', async () => {
  const item = await room.make(withDigits('908'))
  const transaction = await room.untilFinal(item)
  assert.deepEqual([transaction.status, transaction.message], ['FAILED', 'Timeout opérateur'])
  const attempts = await room.attemptsOf(item)
  assert.deepEqual(attempts.slice(0, 4), ['submit unknown', 'query not_found', 'query not_found', 'submit accepted'])
  assert.equal((await room.books()).get(item.transactionId)?.submissions, 2)
  await room.compareBooks()
})

test('909: three callbacks settle once', async () => {
  const before = room.callbacks
  const item = await room.make(withDigits('909'))
  assert.equal((await room.untilFinal(item)).version, 2)
  await waitUntil('all three callbacks arrive', async () => room.callbacks >= before + 3)
  assert.equal((await room.read(item)).version, 2)
  await room.compareBooks()
})

test('910: a callback that overtakes the answer to the submission is heeded once the answer is there', async () => {
  const item = await room.make(withDigits('910'))
  assert.equal((await room.untilFinal(item)).status, 'SUCCESS')
  assert.deepEqual(await room.attemptsOf(item), ['submit accepted', 'callback succeeded', 'query succeeded'])
  await room.compareBooks()
})

test('911: two HTTP 500 are unknown outcomes; the third submission is accepted and executed once', async () => {
  const item = await room.make(withDigits('911'))
  assert.equal((await room.untilFinal(item)).status, 'SUCCESS')
  const attempts = await room.attemptsOf(item)
  assert.deepEqual(
    attempts.filter((attempt) => attempt.startsWith('submit')),
    ['submit unknown', 'submit unknown', 'submit accepted'],
  )
  assert.equal((await room.books()).get(item.transactionId)?.submissions, 3)
  await room.compareBooks()
})

test('912: what the operator leaves open stays PENDING and is asked about again and again', async () => {
  const item = await room.make(withDigits('912'))
  await waitUntil('three queries', async () => (await room.attemptsOf(item)).filter((attempt) => attempt === 'query pending').length >= 3)
  assert.equal((await room.read(item)).status, 'PENDING')
  const work = await room.workOf(item)
  assert.deepEqual([work?.['state'], work?.['unconfirmed_since']], ['submitted', null])
  await room.compareBooks()
})

test('913: the query is right when the callback says SUCCESS and the query FAILED', async () => {
  const item = await room.make(withDigits('913'))
  assert.equal((await room.untilFinal(item)).status, 'FAILED')
  const attempts = await room.attemptsOf(item)
  assert.deepEqual([attempts.includes('callback succeeded'), attempts.at(-1)], [true, 'query failed'])
  await room.compareBooks()
})

test('914: a slow operator is waited for', async () => {
  const item = await room.make(withDigits('914'))
  assert.equal((await room.untilFinal(item)).status, 'SUCCESS')
  assert.equal((await room.attemptsOf(item)).includes('query pending'), true)
  await room.compareBooks()
})

test('a deposit that the balance does not cover ends with Solde insuffisant and never reaches the operator', async () => {
  const item = await room.make({ ...withDigits('341'), amountMinor: 999_999_999_900n })
  const transaction = await room.untilFinal(item)
  assert.deepEqual([transaction.status, transaction.message], ['FAILED', 'Solde insuffisant'])
  assert.deepEqual(await room.attemptsOf(item), [])
  assert.equal((await room.books()).has(item.transactionId), false)
})

test('three hundred transactions over all rows of the table end as the table says, and the books agree', async () => {
  // Longer deadlines than above: with so many at once, a busy machine must not make answers late.
  const many = await OperatorHarness.open({ callTimeoutMs: 2_500, dispatcher: { absenceMs: 500, leaseMs: 10_000 } })
  many.startDispatcher()
  const rows = ['341', '342', '343', '901', '902', '903', '904', '905', '906', '907', '908', '909', '910', '911', '913', '914']
  const items = await Promise.all(Array.from({ length: 304 }, (_, index) => many.make(withDigits(rows[index % rows.length] ?? '341'))))
  for (const item of items) {
    const isFailing = /90[1-58]$|913$/.test(item.phoneNumber)
    assert.equal((await many.untilFinal(item)).status, isFailing ? 'FAILED' : 'SUCCESS', item.phoneNumber)
  }
  await many.compareBooks()
  await many.close()
})

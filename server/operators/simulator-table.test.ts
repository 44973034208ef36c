import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'

let harness: OperatorHarness
before(async () => {
  harness = await OperatorHarness.open()
  harness.startDispatcher()
})
after(() => harness.close())

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
    test(`FAILED with the operator's message for ${digits}, a ${type}`, async () => {
      const transaction = await harness.untilFinal(await harness.make({ ...withDigits(digits), type }))
      assert.deepEqual([transaction.status, transaction.message], ['FAILED', message])
      await harness.compareBooks()
    })
  }
}

test('SUCCESS for any other number, through a callback that leads to a query', async () => {
  // Without polling, only the callback can be what leads to the query.
  const unpolled = await OperatorHarness.open({ dispatcher: { pollDelaysMs: [60_000] } })
  try {
    unpolled.startDispatcher()
    const item = await unpolled.make(withDigits('341'))
    const transaction = await unpolled.untilFinal(item)
    assert.deepEqual([transaction.status, transaction.message], ['SUCCESS', 'Transaction réussie'])
    assert.deepEqual(await unpolled.attemptsOf(item), ['submit accepted', 'callback succeeded', 'query succeeded'])
    assert.equal(await unpolled.workOf(item), undefined)
    await unpolled.compareBooks()
  } finally {
    await unpolled.close()
  }
})

test('SUCCESS for 906, which sends no callback: polling finds the result', async () => {
  const item = await harness.make(withDigits('906'))
  assert.equal((await harness.untilFinal(item)).status, 'SUCCESS')
  assert.equal(
    (await harness.attemptsOf(item)).some((attempt) => attempt.startsWith('callback')),
    false,
  )
  await harness.compareBooks()
})

test('SUCCESS for 907, whose submission is never answered', async () => {
  const item = await harness.make(withDigits('907'))
  assert.equal((await harness.untilFinal(item)).status, 'SUCCESS')
  assert.equal((await harness.attemptsOf(item))[0], 'submit unknown')
  assert.equal((await harness.books()).get(item.transactionId)?.submissions, 1)
  await harness.compareBooks()
})

test('two submissions for 908, whose first one is lost: the second follows two denials', async () => {
  const item = await harness.make(withDigits('908'))
  const transaction = await harness.untilFinal(item)
  assert.deepEqual([transaction.status, transaction.message], ['FAILED', 'Timeout opérateur'])
  const attempts = await harness.attemptsOf(item)
  assert.deepEqual(attempts.slice(0, 4), ['submit unknown', 'query not_found', 'query not_found', 'submit accepted'])
  assert.equal((await harness.books()).get(item.transactionId)?.submissions, 2)
  await harness.compareBooks()
})

test('one settlement for 909, which sends three callbacks', async () => {
  const before = harness.callbacks
  const item = await harness.make(withDigits('909'))
  assert.equal((await harness.untilFinal(item)).version, 2)
  await waitUntil('all three callbacks arrive', async () => harness.callbacks >= before + 3)
  assert.equal((await harness.read(item)).version, 2)
  await harness.compareBooks()
})

test('SUCCESS for 910, whose callback overtakes the answer to the submission', async () => {
  const item = await harness.make(withDigits('910'))
  assert.equal((await harness.untilFinal(item)).status, 'SUCCESS')
  assert.deepEqual(await harness.attemptsOf(item), ['submit accepted', 'callback succeeded', 'query succeeded'])
  await harness.compareBooks()
})

test('one execution for 911, whose first two submissions get HTTP 500', async () => {
  const item = await harness.make(withDigits('911'))
  assert.equal((await harness.untilFinal(item)).status, 'SUCCESS')
  const attempts = await harness.attemptsOf(item)
  assert.deepEqual(
    attempts.filter((attempt) => attempt.startsWith('submit')),
    ['submit unknown', 'submit unknown', 'submit accepted'],
  )
  assert.equal((await harness.books()).get(item.transactionId)?.submissions, 3)
  await harness.compareBooks()
})

test('PENDING for 912, which the operator leaves open', async () => {
  const item = await harness.make(withDigits('912'))
  await waitUntil(
    'three queries',
    async () => (await harness.attemptsOf(item)).filter((attempt) => attempt === 'query pending').length >= 3,
  )
  assert.equal((await harness.read(item)).status, 'PENDING')
  const work = await harness.workOf(item)
  assert.deepEqual([work?.['state'], work?.['unconfirmed_since']], ['submitted', null])
  await harness.compareBooks()
})

test('FAILED for 913, whose callback says SUCCESS and whose query says FAILED', async () => {
  const item = await harness.make(withDigits('913'))
  assert.equal((await harness.untilFinal(item)).status, 'FAILED')
  // It may arrive after a query that the schedule made.
  await waitUntil('the callback arrives', async () => (await harness.attemptsOf(item)).includes('callback succeeded'))
  assert.equal((await harness.attemptsOf(item)).includes('query failed'), true)
  assert.equal((await harness.read(item)).status, 'FAILED')
  await harness.compareBooks()
})

test('SUCCESS for 914, whose operator is slow', async () => {
  const item = await harness.make(withDigits('914'))
  assert.equal((await harness.untilFinal(item)).status, 'SUCCESS')
  assert.equal((await harness.attemptsOf(item)).includes('query pending'), true)
  await harness.compareBooks()
})

test('FAILED with Solde insuffisant, without a submission, for a deposit that the balance does not cover', async () => {
  const item = await harness.make({ ...withDigits('341'), amountMinor: 999_999_999_900n })
  const transaction = await harness.untilFinal(item)
  assert.deepEqual([transaction.status, transaction.message], ['FAILED', 'Solde insuffisant'])
  assert.deepEqual(await harness.attemptsOf(item), [])
  assert.equal((await harness.books()).has(item.transactionId), false)
})

test('the books agree after 160 transactions over all rows of the table', async () => {
  // Longer deadlines than above: with this many at once, a busy machine must not make answers late.
  const many = await OperatorHarness.open({ callTimeoutMs: 2_000, dispatcher: { absenceMs: 500, leaseMs: 10_000 } })
  many.startDispatcher()
  const rows = ['341', '342', '343', '901', '902', '903', '904', '905', '906', '907', '908', '909', '910', '911', '913', '914']
  const items = await Promise.all(Array.from({ length: 160 }, (_, index) => many.make(withDigits(rows[index % rows.length] ?? '341'))))
  for (const item of items) {
    const isFailing = /90[1-58]$|913$/.test(item.phoneNumber)
    assert.equal((await many.untilFinal(item)).status, isFailing ? 'FAILED' : 'SUCCESS', item.phoneNumber)
  }
  await many.compareBooks()
  await many.close()
})

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { awaitCode, holdNumber, releaseNumber, storeRefusedCode, takeCode } from './customer-code-store.ts'
import { findCustomerPayment } from './customer-link-store.ts'
import { enterCode, forgetCodeNumbers } from './enter-code.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.drop())

let numbers = 0
/** A number that no other test uses. */
const aNumber = () => `2267612${String(++numbers).padStart(4, '0')}`

/** A collect that awaits a code, in an application of its own. */
async function collect(phoneNumber: string) {
  const { pool } = database
  const applicationId = await makeApplication(pool)
  const item = anIntakeItem(applicationId, { type: 'COLLECT', operator: 'BFOM', phoneNumber })
  await takeIn(pool, [item])
  const { transactionId, payToken = '' } = item
  await setWork(transactionId, `state = 'awaiting_code', code_until = now() + interval '30 minutes', submissions = 1`)
  return { applicationId, transactionId, payToken: payToken ?? '', phoneNumber, operator: 'BFOM' as const, submissions: 1, number: 1 }
}

async function setWork(transactionId: string, values: string): Promise<void> {
  const { rowCount } = await database.pool.query(`update operator_work set ${values} where transaction_id = $1`, [transactionId])
  assert.equal(rowCount, 1)
}

/** The operator refuses codes of the number, each of another payment of another application. */
async function refuseCodes(phoneNumber: string, count: number): Promise<void> {
  for (let refused = 0; refused < count; refused++)
    await storeRefusedCode(database.pool, { ...(await collect(phoneNumber)), transactionId: randomUUID() })
}

test('blocked for the number whose six codes were refused, however many applications the payments belong to', async () => {
  const { pool } = database
  const phoneNumber = aNumber()
  await refuseCodes(phoneNumber, 5)
  assert.equal(await holdNumber(pool, await collect(phoneNumber)), undefined)
  await pool.query('update customer_code_numbers set held_until = now()')
  await refuseCodes(phoneNumber, 1)
  assert.equal(await holdNumber(pool, await collect(phoneNumber)), 'blocked')
})

test('blocked until 24 hours after the refusals, also after the numbers of days before were forgotten', async () => {
  const { pool } = database
  const phoneNumber = aNumber()
  await refuseCodes(phoneNumber, 6)
  const age = (hours: number) =>
    pool.query(
      `update customer_code_numbers set held_until = held_until - make_interval(hours => $2),
         refused_at = array(select r - make_interval(hours => $2) from unnest(refused_at) r) where phone_number = $1`,
      [phoneNumber, hours],
    )
  await age(23)
  await forgetCodeNumbers(pool, new Date())
  assert.equal(await holdNumber(pool, await collect(phoneNumber)), 'blocked')
  await age(1)
  assert.equal(await holdNumber(pool, await collect(phoneNumber)), undefined)
})

test('occupied until the payment that asked for the code has released its number; another payment releases nothing', async () => {
  const { pool } = database
  const phoneNumber = aNumber()
  const [first, second] = [await collect(phoneNumber), await collect(phoneNumber)]
  assert.equal(await holdNumber(pool, first), undefined)
  await releaseNumber(pool, second)
  assert.equal(await holdNumber(pool, second), 'occupied')
  await releaseNumber(pool, first)
  assert.equal(await holdNumber(pool, second), undefined)
  assert.equal(await holdNumber(pool, first), 'occupied')
})

test('never sent: a code that was entered before the sixth code of its number was refused', async () => {
  const { pool } = database
  const phoneNumber = aNumber()
  const [one, other] = [await collect(phoneNumber), await collect(aNumber())]
  for (const work of [one, other]) {
    assert.ok((await enterCode(pool, work.payToken, '123456', 6)).ok)
    await setWork(work.transactionId, `state = 'submitting'`)
  }
  await refuseCodes(phoneNumber, 6)
  assert.equal(await takeCode(pool, one), undefined)
  assert.deepEqual(await takeCode(pool, other), { customerCode: '123456' })
})

test('not_awaited for a code after the time that a customer has', async () => {
  const { transactionId, payToken } = await collect(aNumber())
  await setWork(transactionId, `code_until = now() - interval '1 second'`)
  assert.deepEqual(await enterCode(database.pool, payToken, '123456', 6), { ok: false, error: 'not_awaited' })
})

test('2 tries left of a payment whose number has 4 refused codes, in every spelling of the number', async () => {
  const phoneNumber = aNumber()
  await refuseCodes(phoneNumber, 4)
  for (const spelling of [phoneNumber, phoneNumber.replace(/^226/, '2260')])
    assert.equal((await findCustomerPayment(database.pool, (await collect(spelling)).payToken))?.triesLeft, 2)
})

for (const [entered, length, expected] of [
  ['123456', 6, true],
  [' 12 34 56 ', 6, true],
  ['1234', undefined, true],
  ['12345678', undefined, true],
  ['12345', 6, false],
  ['1234567', 6, false],
  ['123', undefined, false],
  ['123456789', undefined, false],
  ['12a456', 6, false],
  ['', undefined, false],
] as const)
  test(`${expected ? 'stored' : 'malformed'}: "${entered}" where codes have ${length ?? 'any number of'} digits`, async () => {
    const { payToken } = await collect(aNumber())
    assert.deepEqual(
      await enterCode(database.pool, payToken, entered, length),
      expected ? { ok: true, value: undefined } : { ok: false, error: 'malformed' },
    )
  })

test('awaited for 30 minutes, and its number is held as long, from the first time that the page shows the field', async () => {
  const { pool } = database
  const work = await collect(aNumber())
  await setWork(work.transactionId, `state = 'submitting', code_until = null, claimed_at = now()`)
  assert.equal(await awaitCode(pool, work, undefined), 'awaiting')
  const { rows } = await pool.query<{ code: number; number: number }>(
    `select round(extract(epoch from w.code_until - clock_timestamp()) / 60)::integer as code,
            round(extract(epoch from n.held_until - clock_timestamp()) / 60)::integer as number
       from operator_work w join customer_code_numbers n on n.transaction_id = w.transaction_id where w.transaction_id = $1`,
    [work.transactionId],
  )
  assert.deepEqual(rows, [{ code: 30, number: 30 }])
  assert.ok((await enterCode(pool, work.payToken, '123456', 6)).ok)
  assert.deepEqual(await enterCode(pool, work.payToken, '123456', 6), { ok: false, error: 'not_awaited' })
})

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { walletOf } from '#lib/reconciliation/wallets.ts'
import { addDays, utcDayOf } from '#lib/time/time.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { confirmChange } from '#server/changes/decide-change.ts'
import { proposeChange } from '#server/changes/propose-change.ts'
import { systemClock } from '#server/clock.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { readInstants } from '../certificates/day-facts-store.ts'
import { createDesk, type Desk } from '../testing/reconciliation-desk.ts'
import { csv, MTN_HEADER, mtnRow } from '../testing/statements.ts'
import { readWallet } from '../wallets/wallet-store.ts'
import { readDays } from './read-days.ts'

let database: TestDatabase
let desk: Desk
before(async () => {
  database = await createTestDatabase()
  desk = await createDesk(database.pool)
})
after(() => database.drop())

const readDay = async (id: string, day: string) => {
  const wallet = (await readWallet(desk.pool, desk.applicationId, id)) ?? assert.fail('it exists')
  const scope = { applicationId: desk.applicationId, wallet, from: day, to: day }
  const [read] = await readDays(desk.pool, scope)
  return { ...(read ?? assert.fail('it is read')), ...(await readInstants(desk.pool, scope)) }
}

for (const [city, operator, offset] of [
  ['Douala', 'MOMOCM', '+01:00'],
  ['Kampala', 'UGAIRTEL', '+03:00'],
  ['Dakar', 'SNWAVE', '+00:00'],
  ['Porto-Novo', 'BJMOOV', '+01:00'],
] as const) {
  test(`on the operator's day in ${city}: a payment at 23:59:59.999, and the next day: one at 00:00`, async () => {
    const day = addDays(utcDayOf(new Date()), -20)
    const post = (amount: number, at: string) =>
      desk.pool.query(
        `insert into ledger_postings (application_id, subject_id, kind, operator, currency, collect_minor, clearing_minor, at)
           values ($1, gen_random_uuid(), 'settle', $2, 'XOF', $3, -$3::bigint, $4)`,
        [desk.applicationId, operator, amount, at],
      )
    await post(100, `${day}T23:59:59.999${offset}`)
    await post(200, `${addDays(day, 1)}T00:00:00${offset}`)
    const wallet = walletOf(operator, 'COLLECT')
    const [own, next] = [await readDay(wallet, day), await readDay(wallet, addDays(day, 1))]
    assert.deepEqual([own.difference, next.difference], ['-1', '-2'])
    assert.equal(own.endsAt.toISOString(), new Date(`${addDays(day, 1)}T00:00:00${offset}`).toISOString())
    assert.deepEqual(own.endsAt, next.startsAt)
  })
}

test('0 of difference after a collect, the line that paid it, the reversal of the operator and the reversal of two people; fees and revenue return', async () => {
  const today = utcDayOf(new Date(Date.now() + 3_600_000))
  const serge: PersonCommandActor = {
    kind: 'person',
    id: await makePerson(desk.pool, desk.applicationId, ['administrator']),
    applicationId: desk.applicationId,
    roles: ['administrator'],
  }
  const balances = async () => {
    const { rows } = await desk.pool.query<Record<string, bigint>>(
      `select collect_minor, fees_minor, clearing_minor, revenue_minor from ledger_balances where application_id = $1 and operator = 'MOMOCM'`,
      [desk.applicationId],
    )
    return Object.values(rows[0] ?? {})
  }
  const before = await balances()
  const payment = await desk.pay({ operator: 'MOMOCM', type: 'COLLECT', amountMinor: 500_000n })
  const now = new Date(Date.now() + 3_600_000).toISOString().slice(0, 19).replace('T', ' ')
  const row = (id: string, amount: string, more: Record<string, string>) =>
    mtnRow({
      Id: id,
      Date: now,
      Status: 'Successful',
      From: 'FRI:237670000123/MSISDN',
      To: 'FRI:237670000009/MSISDN',
      Amount: amount,
      ...more,
    })
  const ourId = { 'External id': `${payment.transactionId}.${desk.applicationId}` }
  await desk.bring(
    'MOMOCM-collect',
    csv([MTN_HEADER, row('R1', '5000', { Type: 'Transfer', ...ourId }), row('R2', '-5000', { Type: 'Reversal' })]),
  )
  assert.equal((await readDay('MOMOCM-collect', today)).difference, '-5000')
  const input = { ledger: desk.applicationId, transactionId: payment.transactionId, evidence: 'Line R2', note: '' }
  const { applicationId } = desk
  const { changeId } = must(await proposeChange(desk.pool, { applicationId, kind: 'adjustment.reverse', input, actor: desk.actor }))
  must(await confirmChange({ pool: desk.pool, clock: systemClock }, { applicationId, changeId, actor: serge }))
  assert.deepEqual(await balances(), before)
  const { difference, unexplained, terms } = await readDay('MOMOCM-collect', today)
  assert.deepEqual([difference, unexplained], ['0', '0'])
  assert.deepEqual(
    terms.map(({ class: name, amount }) => [name, amount]),
    [
      ['reversal', '-5000'],
      ['matched', '0'],
      ['adjusted', '5000'],
    ],
  )
})

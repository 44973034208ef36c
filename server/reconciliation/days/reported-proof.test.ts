import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { walletOf } from '#lib/reconciliation/wallets.ts'
import { addDays, utcDayOf } from '#lib/time/time.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { createDesk, type Desk } from '../testing/reconciliation-desk.ts'
import { csv, MTN_HEADER, mtnRow } from '../testing/statements.ts'
import { readWallet } from '../wallets/wallet-store.ts'
import { readDays } from './read-days.ts'
import { readReportedProof } from './reported-proof.ts'

const DAY = addDays(utcDayOf(new Date()), -3)
const WALLET = walletOf('MOMOCM', 'COLLECT')

let database: TestDatabase
let desk: Desk
before(async () => {
  database = await createTestDatabase()
  desk = await createDesk(database.pool)
  const row = (id: string, amount: string, at: string) =>
    mtnRow({
      Id: id,
      Date: `${DAY} ${at}`,
      Status: 'Successful',
      Type: 'Transfer',
      From: 'FRI:237670000123/MSISDN',
      To: 'FRI:237670000009/MSISDN',
      Amount: amount,
    })
  await desk.bring(WALLET, csv([MTN_HEADER, row('R1', '5000', '09:00:00'), row('R2', '2500', '17:30:00')]))
})
after(() => database.drop())

/** A balance that the operator reported, on the clock of Douala. */
async function report(at: string, collectMinor: number, depositMinor = 0): Promise<void> {
  await desk.pool.query(
    `insert into operator_balance_polls (application_id, operator, checked_at, collect_minor, deposit_minor, reported_minor, ledger_minor)
       values ($1, 'MOMOCM', $2::timestamp at time zone 'Africa/Douala', $3, $4, $3::bigint + $4::bigint, 0)`,
    [desk.applicationId, at, collectMinor, depositMinor],
  )
}

async function proofOf(day: string) {
  const wallet = (await readWallet(desk.pool, desk.applicationId, WALLET)) ?? assert.fail('it exists')
  const [compared] = await readDays(desk.pool, { applicationId: desk.applicationId, wallet, from: day, to: day })
  return readReportedProof(desk.pool, desk.applicationId, { wallet, compared: compared ?? assert.fail('it is read') })
}

test('nothing without a balance shortly before both ends of the day; then what the lines lack of the balances that the operator reported', async () => {
  assert.equal(await proofOf(DAY), null)
  // Of the deposit account, which is not this wallet, and too early for either end.
  await report(`${DAY} 23:40:00`, 1_750_000, 900)
  await report(`${addDays(DAY, -1)} 23:58:10`, 1_000_000, 100)
  assert.equal(await proofOf(DAY), null)
  await report(`${DAY} 23:55:00`, 1_750_000, 900)
  await report(`${addDays(DAY, 1)} 00:01:00`, 9_999_999)
  const proof = await proofOf(DAY)
  assert.equal(proof?.difference, '0')
  assert.deepEqual([proof.openedAt, proof.closedAt], [`${addDays(DAY, -1)}T22:58:10.000Z`, `${DAY}T22:55:00.000Z`])
  await report(`${DAY} 23:59:30`, 1_650_000)
  assert.equal((await proofOf(DAY))?.difference, '-1000')
})

test('nothing for a day that no statement covers', async () => {
  const next = addDays(DAY, 1)
  await report(`${next} 23:59:00`, 1_650_000)
  assert.equal(await proofOf(next), null)
})

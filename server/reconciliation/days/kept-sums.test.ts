import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { addDays, utcDayOf } from '#lib/time/time.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { must } from '#server/testing/partner.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { examineDays } from '../exceptions/examine-days.ts'
import { matchByHand, undoMatch } from '../matching/match-by-hand.ts'
import { createDesk, type Desk } from '../testing/reconciliation-desk.ts'
import { csv, MTN_HEADER, mtnRow } from '../testing/statements.ts'
import { readWallet, upsertWallet } from '../wallets/wallet-store.ts'
import { readKeptSums } from './kept-sums.ts'
import { listDayItems } from './list-items.ts'
import { readDays } from './read-days.ts'

let database: TestDatabase
let desk: Desk
before(async () => {
  database = await createTestDatabase()
  desk = await createDesk(database.pool)
})
after(() => database.drop())

const WALLET = 'MOMOCM-collect'
/** A day that is over on the operator's clock, an hour ahead of UTC. */
const day = addDays(utcDayOf(new Date(Date.now() + 3_600_000)), -2)

const bring = (id: string, ourId: string, amount: number) =>
  desk.bring(
    WALLET,
    csv([
      MTN_HEADER,
      mtnRow({
        ...{ Id: id, 'External id': ourId, Date: `${day} 10:00:00`, Status: 'Successful', Type: 'Debit', Amount: String(amount) },
        ...{ From: 'FRI:237677000001/MSISDN', To: 'FRI:237670000009/MSISDN', 'To / Fee': '5' },
      }),
    ]),
  )

async function scope() {
  const wallet = await readWallet(desk.pool, desk.applicationId, WALLET)
  assert.ok(wallet)
  return { applicationId: desk.applicationId, wallet, from: day, to: day }
}

/** The classes of the day from kept sums, which have to be those of the rows. */
async function classes(): Promise<Record<string, number>> {
  const [kept] = await readDays(desk.pool, await scope(), readKeptSums)
  const [live] = await readDays(desk.pool, await scope())
  assert.deepEqual(kept, live)
  // An operator's fees are booked by its lines, and belongs to another test.
  const terms = (kept?.terms ?? []).filter(({ class: name }) => !name.startsWith('book_'))
  return Object.fromEntries(terms.map(({ class: name, count }) => [name, count]))
}

async function isKept(): Promise<boolean> {
  const { rows } = await desk.pool.query('select 1 from wallet_days where wallet = $1 and local_day = $2 and sums is not null', [
    WALLET,
    day,
  ])
  return rows.length === 1
}

/** Lists a day as an import does that changes it. */
async function change(of: string): Promise<void> {
  await desk.pool.query(
    `insert into days_to_examine (application_id, wallet, local_day) values ($1, $2, $3)
     on conflict (application_id, wallet, local_day) do update set local_day = excluded.local_day`,
    [desk.applicationId, WALLET, of],
  )
}

test('kept once computed, and computed again after an import, a match by hand, its undoing and another fee', async () => {
  await bring('K1', '', 500)
  assert.equal(await isKept(), false)
  assert.deepEqual(await classes(), { unknown_payment: 1 })
  assert.equal(await isKept(), true)
  await bring('K2', '', 700)
  assert.equal(await isKept(), false)
  assert.deepEqual(await classes(), { unknown_payment: 2 })
  const item = await desk.pay({ operator: 'MOMOCM', type: 'COLLECT', amountMinor: 50_000n, phoneNumber: '237677000055' })
  const [line] = await listDayItems(desk.pool, await scope(), 'unknown_payment', 1)
  const by = { applicationId: desk.applicationId, actor: desk.actor, lineId: BigInt(line?.lineId ?? 0), note: 'by his brother' }
  must(await matchByHand(desk.pool, { ...by, transactionId: item.transactionId }))
  assert.deepEqual(await classes(), { unknown_payment: 1, settled_other_day: 1 })
  const { wallet } = await scope()
  const changedBy = desk.actor.id
  await upsertWallet(desk.pool, {
    applicationId: desk.applicationId,
    wallet: WALLET,
    settings: { ...wallet, feePpm: 20_000, feeFixedMinor: 0n },
    changedBy,
  })
  assert.deepEqual(await classes(), { unknown_payment: 1, fee_differs: 1 })
  await upsertWallet(desk.pool, { applicationId: desk.applicationId, wallet: WALLET, settings: wallet, changedBy })
  must(await undoMatch(desk.pool, { ...by, note: 'not his brother' }))
  assert.deepEqual(await classes(), { unknown_payment: 2 })
})

test('computed again once a transaction of its lines that was open has a result', async () => {
  const item = await desk.pay({ operator: 'MOMOCM', type: 'COLLECT', amountMinor: 90_000n, phoneNumber: '237677000066', event: null })
  await bring('K3', item.transactionId, 900)
  assert.deepEqual(await classes(), { unknown_payment: 2, paid_open_here: 1 })
  assert.equal(await isKept(), true)
  await transition(desk.pool, [{ ...item, event: 'failed', message: 'x', operatorReference: undefined, actor: SYSTEM_ACTOR }])
  assert.deepEqual(await classes(), { unknown_payment: 2, paid_failed_here: 1 })
})

test('not kept: sums that were computed while the day changed, and a day that is not over', async () => {
  await change(day)
  const pool = Object.create(desk.pool)
  let isChanged = false
  pool.query = async (...args: Parameters<typeof desk.pool.query>) => {
    const text = String(args[0])
    // Another import commits between the reading of the rows and the keeping of their sums.
    if (!isChanged && text.includes('update wallet_days')) {
      isChanged = true
      await bring(`K-${randomUUID()}`, '', 40)
    }
    return desk.pool.query(...args)
  }
  await readKeptSums(pool, await scope())
  assert.deepEqual([isChanged, await isKept()], [true, false])
  const today = utcDayOf(new Date(Date.now() + 3_600_000))
  await change(today)
  await readKeptSums(desk.pool, { ...(await scope()), from: today, to: today })
  const { rows } = await desk.pool.query('select sums from wallet_days where wallet = $1 and local_day = $2', [WALLET, today])
  assert.deepEqual(rows, [{ sums: null }])
})

test('kept after the examination of its exceptions, before somebody opens its page', async () => {
  await change(day)
  await examineDays(desk.pool)
  assert.equal(await isKept(), true)
})

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTranslate } from '#lib/i18n/translate.ts'
import type { WalletSettings } from '#lib/reconciliation/wallets.ts'
import { utcDayOf } from '#lib/time/time.ts'
import { MESSAGES } from '#server/messages.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { createDesk, type Desk } from '../testing/reconciliation-desk.ts'
import { csv, MTN_HEADER, mtnRow } from '../testing/statements.ts'
import { readWallet, type SetWallet, upsertWallet } from '../wallets/wallet-store.ts'
import { claimHeads, claimRows } from './fee-claim.ts'
import { readWalletFees } from './read-fees.ts'

let database: TestDatabase
let desk: Desk
before(async () => {
  database = await createTestDatabase()
  desk = await createDesk(database.pool)
})
after(() => database.drop())

const WALLET = 'MOMOCM-collect'
const now = () => new Date(Date.now() + 3_600_000).toISOString().slice(0, 19).replace('T', ' ')
const today = utcDayOf(new Date(Date.now() + 3_600_000))
let ids = 0

/** A line of MTN with a payment of this amount and its fee beside it, or a fee of its own. */
const line = (cells: { Id?: string; Amount: string; fee?: string; Type?: string; Status?: string }) =>
  mtnRow({
    Id: cells.Id ?? `fee-${ids++}`,
    Date: now(),
    Status: cells.Status ?? 'Successful',
    Type: cells.Type ?? 'Debit',
    From: 'FRI:237677000001/MSISDN',
    To: 'FRI:237670000009/MSISDN',
    'To / Fee': cells.fee ?? '',
    Amount: cells.Amount,
  })
const file = (...lines: string[][]) => csv([MTN_HEADER, ...lines])

/** A desk whose wallet has this agreement and no line of another test. */
async function agreed(settings: Partial<WalletSettings>): Promise<SetWallet> {
  await database.drop()
  database = await createTestDatabase()
  desk = await createDesk(database.pool)
  const wallet = (await readWallet(database.pool, desk.applicationId, WALLET)) ?? assert.fail()
  const changed = { ...wallet, feePpm: 10_000, feeFixedMinor: 0n, ...settings }
  await upsertWallet(database.pool, { applicationId: desk.applicationId, wallet: WALLET, settings: changed, changedBy: desk.actor.id })
  return (await readWallet(database.pool, desk.applicationId, WALLET)) ?? assert.fail()
}

const range = { from: today, to: today }
const feesOf = async (wallet: SetWallet) => (await readWalletFees(database.pool, desk.applicationId, wallet, range)).total

async function claimOf(wallet: SetWallet, language: 'en' | 'fr' = 'en'): Promise<string[][]> {
  const t = createTranslate(language, MESSAGES[language])
  const claim = { applicationId: desk.applicationId, wallet, ...range, t, locale: language }
  const rows: string[][] = [claimHeads(claim)]
  for await (const batch of claimRows(database.pool, claim)) rows.push(...batch.map((row) => row.map(textOf)))
  return rows
}
const textOf = (cell: object) => String(Object.values(cell)[0] ?? '')

test('a fee of 1 % that was billed as 1.5 % is the difference of the day and of the claim, exactly, and well billed payments are in neither', async () => {
  const wallet = await agreed({})
  await desk.bring(
    WALLET,
    file(
      line({ Id: 'right', Amount: '10000', fee: '100' }),
      line({ Id: 'half-up', Amount: '250', fee: '3' }),
      line({ Id: 'wrong', Amount: '10000', fee: '150' }),
      line({ Id: 'odd', Amount: '3333', fee: '50' }),
      line({ Id: 'failed', Amount: '5000', fee: '75', Status: 'Failed' }),
    ),
  )
  assert.deepEqual(await feesOf(wallet), { payments: 4, amount: '23583', agreed: '236', billed: '303', difference: '67' })
  const [, ...rows] = await claimOf(wallet)
  assert.deepEqual(
    rows.slice(0, 3).map((row) => [row[2], ...row.slice(5, 9)]),
    [
      ['wrong', '10000', '100', '150', '50'],
      ['odd', '3333', '33', '50', '17'],
      ['', '13333', '133', '200', '67'],
    ],
  )
})

test('the claim is in the language of the operator and says the account, the period and the agreement', async () => {
  const wallet = await agreed({ number: '670000009', feeTaxPpm: 192_500 })
  await desk.bring(WALLET, file(line({ Amount: '10000', fee: '150' })))
  const texts = (await claimOf(wallet, 'fr')).flat().join('\n')
  assert.match(texts, /Facturé en trop/)
  assert.match(texts, /numéro 670000009/)
  assert.match(texts, /Convenu\u00a0: 1\u00a0% du montant \+ 0 XAF par paiement, taxe sur les frais 19,25\u00a0%/)
  assert.match((await claimOf(wallet, 'en')).flat().join('\n'), /Too much billed/)
})

test('the agreed fee follows the rounding, the fixed part and the tax of the wallet', async () => {
  const of = async (settings: Partial<WalletSettings>) => {
    const wallet = await agreed(settings)
    await desk.bring(WALLET, file(line({ Amount: '1250', fee: '13' })))
    return (await feesOf(wallet)).agreed
  }
  assert.equal(await of({ feeRounding: 'half_up' }), '13')
  assert.equal(await of({ feeRounding: 'down' }), '12')
  assert.equal(await of({ feePpm: 9_000, feeRounding: 'up' }), '12')
  assert.equal(await of({ feeFixedMinor: 2_500n }), '38')
  // 12.5 + 25 = 38; 19.25 % of 38 = 7.3.
  assert.equal(await of({ feeFixedMinor: 2_500n, feeTaxPpm: 192_500 }), '45')
  assert.equal(await of({ feeFixedMinor: 2_500n, feeTaxPpm: 192_500, feeRounding: 'up' }), '46')
})

test('a fee in a line of its own belongs to the payment that it names; one that names none is a position of the claim', async () => {
  const wallet = await agreed({ feeForm: 'own_line' })
  await desk.bring(
    WALLET,
    file(
      line({ Id: 'a', Amount: '10000' }),
      line({ Id: 'a', Amount: '-100', Type: 'Fee' }),
      line({ Id: 'b', Amount: '10000' }),
      line({ Id: 'b', Amount: '-150', Type: 'Fee' }),
      line({ Id: 'c', Amount: '10000' }),
      line({ Id: 'alone', Amount: '-7', Type: 'Fee' }),
    ),
  )
  assert.deepEqual(await feesOf(wallet), { payments: 3, amount: '30000', agreed: '300', billed: '257', difference: '-43' })
  const [, ...rows] = await claimOf(wallet)
  const named = rows.slice(0, 4).map((row) => [row[2], row[6], row[7], row[8]])
  assert.deepEqual(named.slice(0, 3).sort(), [
    ['alone', '0', '7', '7'],
    ['b', '100', '150', '50'],
    ['c', '100', '0', '-100'],
  ])
  assert.deepEqual(named[3], ['', '200', '157', '-43'])
})

test('a fee line is in one position of the claim: that of the first of two payments with the reference that it names', async () => {
  const wallet = await agreed({ feeForm: 'own_line' })
  const twice = [line({ Id: 'a', Amount: '10000' }), line({ Id: 'a', Amount: '20000' })]
  await desk.bring(WALLET, file(...twice, line({ Id: 'a', Amount: '-150', Type: 'Fee' })))
  const [, ...rows] = await claimOf(wallet)
  assert.deepEqual(
    rows.slice(0, 3).map((row) => [row[2], row[8]]),
    [
      ['a', '50'],
      ['a', '-200'],
      ['', '-150'],
    ],
  )
})

test('an operator that bills monthly is claimed by day: all payments of a day together beside the lines that bill them', async () => {
  const wallet = await agreed({ feeForm: 'monthly' })
  await desk.bring(
    WALLET,
    file(line({ Id: 'a', Amount: '10000' }), line({ Id: 'b', Amount: '5000' }), line({ Id: 'bill', Amount: '-225', Type: 'Fee' })),
  )
  assert.deepEqual(await feesOf(wallet), { payments: 2, amount: '15000', agreed: '150', billed: '225', difference: '75' })
  const [, ...rows] = await claimOf(wallet)
  const figures = rows.slice(0, 3).map((row) => row.slice(6, 9))
  assert.deepEqual(figures.slice(0, 2).sort(), [
    ['0', '225', '225'],
    ['150', '0', '-150'],
  ])
  assert.deepEqual(figures[2], ['150', '225', '75'])
})

test('without an agreement nothing is agreed and nothing differs', async () => {
  const wallet = await agreed({ feePpm: null, feeFixedMinor: null })
  await desk.bring(WALLET, file(line({ Amount: '10000', fee: '150' })))
  assert.deepEqual(await feesOf(wallet), { payments: 1, amount: '10000', agreed: null, billed: '150', difference: null })
})

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { createTranslate } from '#lib/i18n/translate.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { transactionFilterSchema } from '#lib/schemas/list-filter.ts'
import { listAudit, verifyAuditChain } from '#server/audit/read-audit.ts'
import { fundBalance } from '#server/ledger/fundings.ts'
import { sealLedgerDays } from '#server/ledger/seal-ledger-days.ts'
import { readBalances, readPostingKinds } from '#server/ledger/testing.ts'
import { MESSAGES } from '#server/messages.ts'
import { readAdjustable, readFees } from '#server/reconciliation/adjustments/read-adjustable.ts'
import { suggestMatches } from '#server/reports/customers/customers.ts'
import { exportTransactions } from '#server/reports/export/export-transactions.ts'
import { readBalances as readCards } from '#server/reports/statements/read-balances.ts'
import { readStatement } from '#server/reports/statements/read-statement.ts'
import { readStatementLines } from '#server/reports/statements/read-statement-lines.ts'
import { readTransactionList } from '#server/reports/transaction-search/search-transactions.ts'
import { verifyDatabase } from '#server/reports/verify/verify-books.ts'
import { anIntakeItem, fund } from '#server/testing/factories.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { findTransaction } from '#server/transactions/transaction-store.ts'
import { listChanges } from './list-changes.ts'
import { concede, feesOut, late, openAdjustmentDesk, reverse } from './testing/adjustment-desk.ts'

let desk: Awaited<ReturnType<typeof openAdjustmentDesk>>
before(async () => {
  desk = await openAdjustmentDesk()
})
after(() => desk.database.drop())

const refusedFor = (reason: string) => ({ ok: false, error: { code: 'refused', reason } })

test('nothing posted until the second person confirms a reversal; then everything that the settlement of the collect entered is back', async () => {
  const ledger = await desk.partner()
  const before = await readBalances(desk.database.pool, ledger)
  const transactionId = await desk.ended(ledger, 'COLLECT', 'succeeded')
  const settled = await readBalances(desk.database.pool, ledger)
  const changeId = await desk.proposed(reverse(ledger, transactionId))
  assert.deepEqual(await readBalances(desk.database.pool, ledger), settled)
  assert.deepEqual(await desk.confirm(changeId, desk.fatou), { ok: false, error: 'own_proposal' })
  assert.ok((await desk.confirm(changeId)).ok)
  assert.deepEqual(await readBalances(desk.database.pool, ledger), before)
  assert.equal((await findTransaction(desk.database.pool, ledger, transactionId))?.status, 'SUCCESS')
  assert.deepEqual(await desk.confirm(changeId), { ok: false, error: 'not_open' })
  assert.deepEqual(await desk.propose(reverse(ledger, transactionId)), refusedFor('already_adjusted'))
})

test('an entry in both audit chains: that of the books and that of the people', async () => {
  const ledger = await desk.partner()
  const transactionId = await desk.ended(ledger, 'DEPOSIT', 'succeeded')
  await desk.make(reverse(ledger, transactionId))
  for (const applicationId of [ledger, desk.installation]) {
    const [entry] = (await listAudit(desk.database.pool, applicationId, { size: 10 })).filter(({ action }) => action === 'ledger.adjusted')
    assert.deepEqual([entry?.subject, entry?.actor.id, entry?.details['proposedBy']], [transactionId, desk.serge.id, desk.fatou.id])
    assert.ok((await verifyAuditChain(desk.database.pool, applicationId)).ok)
  }
  assert.deepEqual(await readBalances(desk.database.pool, ledger), [0n, 2_000_000n, 0n, 0n, -2_000_000n, 0n])
})

test('one posting when two proposals of one reversal are confirmed at once', async () => {
  const ledger = await desk.partner()
  const transactionId = await desk.ended(ledger, 'COLLECT', 'succeeded')
  const [one, other] = [await desk.proposed(reverse(ledger, transactionId)), await desk.propose(reverse(ledger, transactionId))]
  assert.deepEqual(other, { ok: false, error: 'already_proposed' })
  const results = await Promise.all([desk.confirm(one), desk.confirm(one), desk.confirm(one)])
  assert.equal(results.filter(({ ok }) => ok).length, 1)
  assert.deepEqual(
    (await readPostingKinds(desk.database.pool, ledger)).filter((kind) => kind === 'reverse'),
    ['reverse'],
  )
})

test('the balances on record with an adjustment are those that it met: of the books, after a posting that it waited for', async () => {
  const ledger = await desk.partner()
  const changeId = await desk.proposed(reverse(ledger, await desk.ended(ledger, 'DEPOSIT', 'succeeded')))
  const other = await desk.database.pool.connect()
  try {
    await other.query('begin')
    await fundBalance(other, {
      applicationId: ledger,
      operator: 'MOMOCM',
      amountMinor: 100_000n,
      fundingId: randomUUID(),
      actorId: null,
      reason: '',
    })
    const confirming = desk.confirm(changeId)
    await waitUntil('it waits for the books', async () => {
      const { rowCount } = await desk.database.pool.query('select from pg_stat_activity where cardinality(pg_blocking_pids(pid)) > 0')
      return (rowCount ?? 0) > 0
    })
    await other.query('commit')
    assert.ok((await confirming).ok)
  } finally {
    other.release()
  }
  const { rows } = await desk.database.pool.query<{ before: string; after: string }>(
    `select before ->> 'depositMinor' as before, after ->> 'depositMinor' as after from proposed_changes where change_id = $1`,
    [changeId],
  )
  assert.deepEqual(rows, [{ before: '1592500', after: '2100000' }])
})

test('a late deposit takes the deposit balance and stays FAILED; it is refused while the balance does not cover it, and fees may be waived', async () => {
  const ledger = await desk.partner(507_500n)
  const [first, second, free] = [
    await desk.ended(ledger, 'DEPOSIT', 'failed'),
    await desk.ended(ledger, 'DEPOSIT', 'failed'),
    await desk.ended(ledger, 'DEPOSIT', 'failed'),
  ]
  await desk.make(late(ledger, first))
  assert.deepEqual(await readBalances(desk.database.pool, ledger), [0n, 0n, 0n, 2_500n, -7_500n, 5_000n])
  assert.equal((await findTransaction(desk.database.pool, ledger, first))?.status, 'FAILED')
  assert.deepEqual(await desk.propose(late(ledger, second)), refusedFor('balance_too_low'))
  await fund(desk.database.pool, ledger, 'MOMOCM', 500_000n)
  await desk.make(late(ledger, free, true))
  assert.deepEqual(await readBalances(desk.database.pool, ledger), [0n, 0n, 0n, 2_500n, -7_500n, 5_000n])
})

test('goodwill moves no money at the operator, and fees that are taken out become collected money, as far as there are any', async () => {
  const ledger = await desk.partner()
  const transactionId = await desk.ended(ledger, 'COLLECT', 'succeeded')
  const [collect = 0n, deposit = 0n, , , clearing = 0n] = await readBalances(desk.database.pool, ledger)
  await desk.make(concede(ledger, transactionId, 'collect', '1000'))
  await desk.make(feesOut(ledger, '2000'))
  assert.deepEqual(await readBalances(desk.database.pool, ledger), [collect + 3_000n, deposit, 0n, 500n, clearing, 4_000n])
  assert.deepEqual(await desk.propose(feesOut(ledger, '501')), refusedFor('balance_too_low'))
})

test('shown to the person who proposes: a transaction of any application, and the fees that may be taken out; the second sees whose books change', async () => {
  const { pool } = desk.database
  const ledger = await desk.partner()
  const transactionId = await desk.ended(ledger, 'COLLECT', 'succeeded')
  await desk.ended(await desk.partner(), 'COLLECT', 'succeeded')
  const found = await readAdjustable(pool, transactionId)
  const name = found?.application ?? ''
  assert.deepEqual([found?.ledger, found?.amountMinor, found?.status, found?.adjustments], [ledger, 500_000n, 'SUCCESS', []])
  for (const wrong of ['', 'x', randomUUID()]) assert.equal(await readAdjustable(pool, wrong), undefined)

  const fees = await readFees(pool, ledger)
  assert.deepEqual(fees.rows, [{ ledger, application: name, operator: 'MOMOCM', feesMinor: 2_500n }])
  assert.ok(fees.ledgers.some((each) => each.ledger === ledger))
  assert.ok((await readFees(pool, null)).rows.length > 1)
  // The application's own people see them among its balances.
  const shown = async () =>
    (await readCards(pool, { applicationId: ledger, businessZone: 'UTC' }, new Date())).cards.find((card) => card.operator === 'MOMOCM')
  assert.equal((await shown())?.fees, '25')
  const changeId = await desk.proposed(feesOut(ledger, '2500'))
  const { changes } = await listChanges(pool, { applicationId: desk.installation, kinds: ['adjustment.fees_out'], actor: desk.serge })
  assert.equal(changes.find((change) => change.changeId === changeId)?.after['ledger'], name)
  assert.ok((await desk.confirm(changeId)).ok)
  assert.deepEqual([(await readFees(pool, ledger)).rows, (await shown())?.fees], [[], '0'])
  await desk.make(concede(ledger, transactionId, 'collect', '1000'))
  assert.deepEqual((await readAdjustable(pool, transactionId))?.adjustments, ['concede'])
})

test('named, beside a status that stays, wherever a transaction is shown: lists, search, details, statement lines and exports', async () => {
  const ledger = await desk.partner()
  const adjusted = await desk.ended(ledger, 'COLLECT', 'succeeded')
  const untouched = await desk.ended(ledger, 'COLLECT', 'succeeded')
  await desk.make(concede(ledger, adjusted, 'collect', '1000'))
  await desk.make(reverse(ledger, adjusted))
  await desk.make(feesOut(ledger, '100'))
  const { pool } = desk.database
  const time = { applicationId: ledger, businessZone: 'UTC' }
  const said = { status: 'SUCCESS', adjustments: ['concede', 'reverse'] }
  const shown = ({ status, adjustments }: { status: string; adjustments: readonly string[] }) => ({ status, adjustments })

  const list = await readTransactionList(pool, time, transactionFilterSchema.parse({}))
  const inList = (id: string) => list.rows.filter(({ transactionId }) => transactionId === id).map(shown)
  assert.deepEqual(inList(adjusted), [said])
  assert.deepEqual(inList(untouched), [{ status: 'SUCCESS', adjustments: [] }])

  const found = (await suggestMatches(pool, ledger, adjusted, 5)).flatMap((match) => (match.kind === 'transaction' ? [shown(match)] : []))
  assert.deepEqual(found, [said])

  const asked = {
    ...time,
    operator: 'MOMOCM',
    filter: { dates: 'always', from: null, to: null },
    now: new Date(),
    kind: null,
    page: 0,
  } as const
  const { lines } = await readStatementLines(pool, asked)
  const ofLines = lines.filter(({ transactionId }) => transactionId === adjusted).map(({ adjustments }) => adjustments)
  assert.deepEqual(ofLines, [said.adjustments, said.adjustments, said.adjustments])
  assert.deepEqual(lines.find(({ kind }) => kind === 'fees_out')?.adjustments, [])

  const filter = transactionFilterSchema.parse({})
  const person = { id: desk.fatou.id, name: 'Fatou', roles: ['finance'] as const }
  const t = createTranslate('en', MESSAGES.en)
  const wanted = { format: 'csv', filter, transactionIds: null, columns: ['status'] } as const
  const request = { ...time, applicationName: 'P', person, t, ...wanted }
  const file = await exportTransactions({ pool, reportPool: pool }, request)
  assert.ok(file.ok)
  const text = Buffer.concat(await Array.fromAsync(file.value.file)).toString()
  assert.ok(text.includes(`${adjusted},SUCCESS,concede reverse`), text)
  assert.ok(text.includes(`${untouched},SUCCESS,`))
})

test('refused: what has not ended, ended otherwise or does not exist, and people of any other application', async () => {
  const ledger = await desk.partner()
  const [paid, failed] = [await desk.ended(ledger, 'COLLECT', 'succeeded'), await desk.ended(ledger, 'COLLECT', 'failed')]
  const open = anIntakeItem(ledger, { type: 'COLLECT', operator: 'MOMOCM' })
  await takeIn(desk.database.pool, [open])
  for (const [adjustment, reason] of [
    [reverse(ledger, failed), 'not_a_success'],
    [late(ledger, paid), 'not_a_failure'],
    [reverse(ledger, open.transactionId), 'not_final'],
    [reverse(ledger, randomUUID()), 'unknown_transaction'],
    [reverse(desk.installation, paid), 'unknown_transaction'],
    [concede(ledger, paid, 'collect', '-9000000'), 'balance_too_low'],
    [concede(ledger, open.transactionId, 'collect', '100'), 'not_final'],
    [concede(ledger, randomUUID(), 'deposit', '100'), 'unknown_transaction'],
    [late(ledger, randomUUID()), 'unknown_transaction'],
  ] as const)
    assert.deepEqual(await desk.propose(adjustment), refusedFor(reason))
  const own = await desk.actorOf(ledger, ['finance'])
  await desk.actorOf(ledger, ['administrator'])
  assert.deepEqual(await desk.propose(reverse(ledger, paid), own), refusedFor('not_the_installation'))
  assert.deepEqual(await desk.propose(reverse(ledger, paid), desk.serge), { ok: false, error: 'not_permitted' })
})

test('posted although the collect balance falls below zero: the reversal of a collect whose money was taken away since', async () => {
  const ledger = await desk.partner(50_000_000n)
  const transactionId = await desk.ended(ledger, 'COLLECT', 'succeeded', 100_000n)
  await desk.make(concede(ledger, transactionId, 'collect', '-92500'))
  await desk.make(reverse(ledger, transactionId))
  const [collectMinor] = await readBalances(desk.database.pool, ledger)
  assert.equal(collectMinor, -92_500n)
})

test('posted although the collect balance stays below zero: a late collect, which raises it; balance_too_low for what lowers it again', async () => {
  const ledger = await desk.partner(50_000_000n)
  const transactionId = await desk.ended(ledger, 'COLLECT', 'succeeded', 100_000n)
  const failed = await desk.ended(ledger, 'COLLECT', 'failed', 30_000n)
  await desk.make(concede(ledger, transactionId, 'collect', '-92500'))
  await desk.make(reverse(ledger, transactionId))
  await desk.make(late(ledger, failed))
  const [collectMinor] = await readBalances(desk.database.pool, ledger)
  assert.equal(collectMinor, -70_000n)
  const next = await desk.ended(ledger, 'COLLECT', 'succeeded', 10_000n)
  assert.deepEqual(await desk.propose(concede(ledger, next, 'collect', '-10000')), refusedFor('balance_too_low'))
})

const accounts = ['collect', 'deposit'] as const
const step = fc.record({
  type: fc.constantFrom('COLLECT' as const, 'DEPOSIT' as const),
  event: fc.constantFrom('succeeded' as const, 'failed' as const),
  amountMinor: fc.bigInt(20_000n, 400_000n),
  adjustment: fc.constantFrom('none', 'settling', 'concede', 'fees_out'),
  account: fc.constantFrom(...accounts),
  waivesFees: fc.boolean(),
  moreMinor: fc.bigInt(1n, 3_000n),
})

test('balances as an independent calculation has them, statements that add up and a clean verify, after any adjustments', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const ledger = await desk.partner(50_000_000n)
      const model = { collect: 0n, deposit: 50_000_000n, fees: 0n, clearing: -50_000_000n, revenue: 0n }
      const enter = (type: TransactionType, amountMinor: bigint, [system, app]: readonly [bigint, bigint], sign: bigint) => {
        if (type === 'COLLECT') model.collect += sign * (amountMinor - system - app)
        else model.deposit -= sign * (amountMinor + system + app)
        model.clearing += sign * (type === 'COLLECT' ? -amountMinor : amountMinor)
        model.fees += sign * app
        model.revenue += sign * system
      }
      for (const { type, event, amountMinor, adjustment, account, waivesFees, moreMinor } of steps) {
        const transactionId = await desk.ended(ledger, type, event, amountMinor)
        const isPaid = event === 'succeeded'
        if (isPaid) enter(type, amountMinor, [5_000n, 2_500n], 1n)
        if (adjustment === 'settling') {
          await desk.make(isPaid ? reverse(ledger, transactionId) : late(ledger, transactionId, waivesFees))
          enter(type, amountMinor, !isPaid && waivesFees ? [0n, 0n] : [5_000n, 2_500n], isPaid ? -1n : 1n)
        }
        if (adjustment === 'concede') {
          await desk.make(concede(ledger, transactionId, account, String(moreMinor)))
          model[account] += moreMinor
          model.revenue -= moreMinor
        }
        if (adjustment === 'fees_out' && model.fees >= moreMinor) {
          await desk.make(feesOut(ledger, String(moreMinor)))
          model.collect += moreMinor
          model.fees -= moreMinor
        }
      }
      const expected = [model.collect, model.deposit, 0n, model.fees, model.clearing, model.revenue]
      assert.deepEqual(await readBalances(desk.database.pool, ledger), expected)
      await sealLedgerDays(desk.database.pool, 0)
      const asked = {
        applicationId: ledger,
        businessZone: 'UTC',
        operator: 'MOMOCM',
        filter: { dates: 'always', from: null, to: null },
      } as const
      const statement = await readStatement(desk.database.pool, { ...asked, now: new Date() })
      assert.equal(statement.agrees, true)
      const { sum } = await readStatementLines(desk.database.pool, { ...asked, now: new Date(), kind: 'adjust', page: 0 })
      assert.equal(sum, statement.movements.adjusted)
    }),
    { numRuns: 12 },
  )
  assert.deepEqual(await verifyDatabase(desk.database.pool), [])
})

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import type { ChangeKindName } from '#lib/approvals/proposed-change.ts'
import { createTranslate } from '#lib/i18n/translate.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { Role } from '#lib/people/permissions.ts'
import { transactionFilterSchema } from '#lib/schemas/list-filter.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { listAudit, verifyAuditChain } from '#server/audit/read-audit.ts'
import { systemClock } from '#server/clock.ts'
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
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { findTransaction } from '#server/transactions/transaction-store.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { confirmTogether, proposeTogether } from './adjust-together.ts'
import { confirmChange } from './decide-change.ts'
import { listChanges } from './list-changes.ts'
import { proposeChange } from './propose-change.ts'

let database: TestDatabase
/** The application that runs the installation, and its people. */
let installation: string
let fatou: PersonCommandActor
let serge: PersonCommandActor
before(async () => {
  database = await createTestDatabase()
  installation = await makeApplication(database.pool)
  await database.pool.query('update applications set runs_installation = true where application_id = $1', [installation])
  fatou = await actorOf(installation, ['finance'])
  serge = await actorOf(installation, ['administrator'])
})
after(() => database.drop())

async function actorOf(applicationId: string, roles: Role[]): Promise<PersonCommandActor> {
  return { kind: 'person', id: await makePerson(database.pool, applicationId, roles), applicationId, roles }
}

type Adjustment = readonly [kind: ChangeKindName, input: Record<string, unknown>]
const EVIDENCE = { evidence: 'Line 4711 of the statement', note: '' }
const reverse = (ledger: string, transactionId: string): Adjustment => ['adjustment.reverse', { ...EVIDENCE, ledger, transactionId }]
const late = (ledger: string, transactionId: string, waivesFees = false): Adjustment => [
  'adjustment.late',
  { ...EVIDENCE, ledger, transactionId, waivesFees },
]
const concede = (ledger: string, transactionId: string, account: string, amountMinor: string): Adjustment => [
  'adjustment.concede',
  { ...EVIDENCE, ledger, transactionId, account, amountMinor },
]
const feesOut = (ledger: string, amountMinor: string): Adjustment => [
  'adjustment.fees_out',
  { ...EVIDENCE, ledger, operator: 'MOMOCM', amountMinor },
]

const propose = ([kind, input]: Adjustment, actor = fatou) =>
  proposeChange(database.pool, { applicationId: actor.applicationId, kind, input, actor })
const confirm = (changeId: string, actor = serge) =>
  confirmChange({ pool: database.pool, clock: systemClock }, { applicationId: actor.applicationId, changeId, actor })

async function proposed(adjustment: Adjustment): Promise<string> {
  const value = await propose(adjustment)
  assert.ok(value.ok, JSON.stringify(value))
  return value.value.changeId
}

async function make(adjustment: Adjustment): Promise<void> {
  assert.deepEqual(await confirm(await proposed(adjustment)), { ok: true, value: { secret: null } })
}

const refusedFor = (reason: string) => ({ ok: false, error: { code: 'refused', reason } })

/** A partner's application with money in its deposit balance. */
async function partner(depositMinor = 2_000_000n): Promise<string> {
  const applicationId = await makeApplication(database.pool)
  await fund(database.pool, applicationId, 'MOMOCM', depositMinor)
  return applicationId
}

/** A transaction of 5,000 with fees of 50 and 25 that ended. */
async function ended(applicationId: string, type: TransactionType, event: 'succeeded' | 'failed', amountMinor = 500_000n): Promise<string> {
  const item = anIntakeItem(applicationId, { type, operator: 'MOMOCM', amountMinor, feeSystemMinor: 5_000n, feeAppMinor: 2_500n })
  await takeIn(database.pool, [item])
  await transition(database.pool, [{ ...item, event, message: 'x', actor: SYSTEM_ACTOR }])
  return item.transactionId
}

test('nothing posted until the second person confirms a reversal; then everything that the settlement of the collect entered is back', async () => {
  const ledger = await partner()
  const before = await readBalances(database.pool, ledger)
  const transactionId = await ended(ledger, 'COLLECT', 'succeeded')
  const settled = await readBalances(database.pool, ledger)
  const changeId = await proposed(reverse(ledger, transactionId))
  assert.deepEqual(await readBalances(database.pool, ledger), settled)
  assert.deepEqual(await confirm(changeId, fatou), { ok: false, error: 'own_proposal' })
  assert.ok((await confirm(changeId)).ok)
  assert.deepEqual(await readBalances(database.pool, ledger), before)
  assert.equal((await findTransaction(database.pool, ledger, transactionId))?.status, 'SUCCESS')
  assert.deepEqual(await confirm(changeId), { ok: false, error: 'not_open' })
  assert.deepEqual(await propose(reverse(ledger, transactionId)), refusedFor('already_adjusted'))
})

test('an entry in both audit chains: that of the books and that of the people', async () => {
  const ledger = await partner()
  const transactionId = await ended(ledger, 'DEPOSIT', 'succeeded')
  await make(reverse(ledger, transactionId))
  for (const applicationId of [ledger, installation]) {
    const [entry] = (await listAudit(database.pool, applicationId, { size: 10 })).filter(({ action }) => action === 'ledger.adjusted')
    assert.deepEqual([entry?.subject, entry?.actor.id, entry?.details['proposedBy']], [transactionId, serge.id, fatou.id])
    assert.ok((await verifyAuditChain(database.pool, applicationId)).ok)
  }
  assert.deepEqual(await readBalances(database.pool, ledger), [0n, 2_000_000n, 0n, 0n, -2_000_000n, 0n])
})

test('one posting when two proposals of one reversal are confirmed at once', async () => {
  const ledger = await partner()
  const transactionId = await ended(ledger, 'COLLECT', 'succeeded')
  const [one, other] = [await proposed(reverse(ledger, transactionId)), await propose(reverse(ledger, transactionId))]
  assert.deepEqual(other, { ok: false, error: 'already_proposed' })
  const results = await Promise.all([confirm(one), confirm(one), confirm(one)])
  assert.equal(results.filter(({ ok }) => ok).length, 1)
  assert.deepEqual(
    (await readPostingKinds(database.pool, ledger)).filter((kind) => kind === 'reverse'),
    ['reverse'],
  )
})

test('the balances on record with an adjustment are those that it met: of the books, after a posting that it waited for', async () => {
  const ledger = await partner()
  const changeId = await proposed(reverse(ledger, await ended(ledger, 'DEPOSIT', 'succeeded')))
  const other = await database.pool.connect()
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
    const confirming = confirm(changeId)
    await waitUntil('it waits for the books', async () => {
      const { rowCount } = await database.pool.query('select from pg_stat_activity where cardinality(pg_blocking_pids(pid)) > 0')
      return (rowCount ?? 0) > 0
    })
    await other.query('commit')
    assert.ok((await confirming).ok)
  } finally {
    other.release()
  }
  const { rows } = await database.pool.query<{ before: string; after: string }>(
    `select before ->> 'depositMinor' as before, after ->> 'depositMinor' as after from proposed_changes where change_id = $1`,
    [changeId],
  )
  assert.deepEqual(rows, [{ before: '1592500', after: '2100000' }])
})

test('a late deposit takes the deposit balance and stays FAILED; it is refused while the balance does not cover it, and fees may be waived', async () => {
  const ledger = await partner(507_500n)
  const [first, second, free] = [
    await ended(ledger, 'DEPOSIT', 'failed'),
    await ended(ledger, 'DEPOSIT', 'failed'),
    await ended(ledger, 'DEPOSIT', 'failed'),
  ]
  await make(late(ledger, first))
  assert.deepEqual(await readBalances(database.pool, ledger), [0n, 0n, 0n, 2_500n, -7_500n, 5_000n])
  assert.equal((await findTransaction(database.pool, ledger, first))?.status, 'FAILED')
  assert.deepEqual(await propose(late(ledger, second)), refusedFor('balance_too_low'))
  await fund(database.pool, ledger, 'MOMOCM', 500_000n)
  await make(late(ledger, free, true))
  assert.deepEqual(await readBalances(database.pool, ledger), [0n, 0n, 0n, 2_500n, -7_500n, 5_000n])
})

test('goodwill moves no money at the operator, and fees that are taken out become collected money, as far as there are any', async () => {
  const ledger = await partner()
  const transactionId = await ended(ledger, 'COLLECT', 'succeeded')
  const [collect = 0n, deposit = 0n, , , clearing = 0n] = await readBalances(database.pool, ledger)
  await make(concede(ledger, transactionId, 'collect', '1000'))
  await make(feesOut(ledger, '2000'))
  assert.deepEqual(await readBalances(database.pool, ledger), [collect + 3_000n, deposit, 0n, 500n, clearing, 4_000n])
  assert.deepEqual(await propose(feesOut(ledger, '501')), refusedFor('balance_too_low'))
})

test('shown to the person who proposes: a transaction of any application, and the fees that may be taken out; the second sees whose books change', async () => {
  const { pool } = database
  const ledger = await partner()
  const transactionId = await ended(ledger, 'COLLECT', 'succeeded')
  await ended(await partner(), 'COLLECT', 'succeeded')
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
  const changeId = await proposed(feesOut(ledger, '2500'))
  const { changes } = await listChanges(pool, { applicationId: installation, kinds: ['adjustment.fees_out'], actor: serge })
  assert.equal(changes.find((change) => change.changeId === changeId)?.after['ledger'], name)
  assert.ok((await confirm(changeId)).ok)
  assert.deepEqual([(await readFees(pool, ledger)).rows, (await shown())?.fees], [[], '0'])
  await make(concede(ledger, transactionId, 'collect', '1000'))
  assert.deepEqual((await readAdjustable(pool, transactionId))?.adjustments, ['concede'])
})

test('named, beside a status that stays, wherever a transaction is shown: lists, search, details, statement lines and exports', async () => {
  const ledger = await partner()
  const adjusted = await ended(ledger, 'COLLECT', 'succeeded')
  const untouched = await ended(ledger, 'COLLECT', 'succeeded')
  await make(concede(ledger, adjusted, 'collect', '1000'))
  await make(reverse(ledger, adjusted))
  await make(feesOut(ledger, '100'))
  const { pool } = database
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
  const person = { id: fatou.id, name: 'Fatou', roles: ['finance'] as const }
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
  const ledger = await partner()
  const [paid, failed] = [await ended(ledger, 'COLLECT', 'succeeded'), await ended(ledger, 'COLLECT', 'failed')]
  const open = anIntakeItem(ledger, { type: 'COLLECT', operator: 'MOMOCM' })
  await takeIn(database.pool, [open])
  for (const [adjustment, reason] of [
    [reverse(ledger, failed), 'not_a_success'],
    [late(ledger, paid), 'not_a_failure'],
    [reverse(ledger, open.transactionId), 'not_final'],
    [reverse(ledger, randomUUID()), 'unknown_transaction'],
    [reverse(installation, paid), 'unknown_transaction'],
    [concede(ledger, paid, 'collect', '-9000000'), 'balance_too_low'],
    [concede(ledger, open.transactionId, 'collect', '100'), 'not_final'],
    [concede(ledger, randomUUID(), 'deposit', '100'), 'unknown_transaction'],
    [late(ledger, randomUUID()), 'unknown_transaction'],
  ] as const)
    assert.deepEqual(await propose(adjustment), refusedFor(reason))
  const own = await actorOf(ledger, ['finance'])
  await actorOf(ledger, ['administrator'])
  assert.deepEqual(await propose(reverse(ledger, paid), own), refusedFor('not_the_installation'))
  assert.deepEqual(await propose(reverse(ledger, paid), serge), { ok: false, error: 'not_permitted' })
})

test('posted although the collect balance falls below zero: the reversal of a collect whose money was taken away since', async () => {
  const ledger = await partner(50_000_000n)
  const transactionId = await ended(ledger, 'COLLECT', 'succeeded', 100_000n)
  await make(concede(ledger, transactionId, 'collect', '-92500'))
  await make(reverse(ledger, transactionId))
  const [collectMinor] = await readBalances(database.pool, ledger)
  assert.equal(collectMinor, -92_500n)
})

test('posted although the collect balance stays below zero: a late collect, which raises it; balance_too_low for what lowers it again', async () => {
  const ledger = await partner(50_000_000n)
  const transactionId = await ended(ledger, 'COLLECT', 'succeeded', 100_000n)
  const failed = await ended(ledger, 'COLLECT', 'failed', 30_000n)
  await make(concede(ledger, transactionId, 'collect', '-92500'))
  await make(reverse(ledger, transactionId))
  await make(late(ledger, failed))
  const [collectMinor] = await readBalances(database.pool, ledger)
  assert.equal(collectMinor, -70_000n)
  const next = await ended(ledger, 'COLLECT', 'succeeded', 10_000n)
  assert.deepEqual(await propose(concede(ledger, next, 'collect', '-10000')), refusedFor('balance_too_low'))
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
      const ledger = await partner(50_000_000n)
      const model = { collect: 0n, deposit: 50_000_000n, fees: 0n, clearing: -50_000_000n, revenue: 0n }
      const enter = (type: TransactionType, amountMinor: bigint, [system, app]: readonly [bigint, bigint], sign: bigint) => {
        if (type === 'COLLECT') model.collect += sign * (amountMinor - system - app)
        else model.deposit -= sign * (amountMinor + system + app)
        model.clearing += sign * (type === 'COLLECT' ? -amountMinor : amountMinor)
        model.fees += sign * app
        model.revenue += sign * system
      }
      for (const { type, event, amountMinor, adjustment, account, waivesFees, moreMinor } of steps) {
        const transactionId = await ended(ledger, type, event, amountMinor)
        const isPaid = event === 'succeeded'
        if (isPaid) enter(type, amountMinor, [5_000n, 2_500n], 1n)
        if (adjustment === 'settling') {
          await make(isPaid ? reverse(ledger, transactionId) : late(ledger, transactionId, waivesFees))
          enter(type, amountMinor, !isPaid && waivesFees ? [0n, 0n] : [5_000n, 2_500n], isPaid ? -1n : 1n)
        }
        if (adjustment === 'concede') {
          await make(concede(ledger, transactionId, account, String(moreMinor)))
          model[account] += moreMinor
          model.revenue -= moreMinor
        }
        if (adjustment === 'fees_out' && model.fees >= moreMinor) {
          await make(feesOut(ledger, String(moreMinor)))
          model.collect += moreMinor
          model.fees -= moreMinor
        }
      }
      const expected = [model.collect, model.deposit, 0n, model.fees, model.clearing, model.revenue]
      assert.deepEqual(await readBalances(database.pool, ledger), expected)
      await sealLedgerDays(database.pool, 0)
      const asked = {
        applicationId: ledger,
        businessZone: 'UTC',
        operator: 'MOMOCM',
        filter: { dates: 'always', from: null, to: null },
      } as const
      const statement = await readStatement(database.pool, { ...asked, now: new Date() })
      assert.equal(statement.agrees, true)
      const { sum } = await readStatementLines(database.pool, { ...asked, now: new Date(), kind: 'adjust', page: 0 })
      assert.equal(sum, statement.movements.adjusted)
    }),
    { numRuns: 12 },
  )
  assert.deepEqual(await verifyDatabase(database.pool), [])
})

/** Exceptions about collects of partners that their operator executed after all, each in the books of another application. */
async function contradictions(count: number): Promise<{ exceptionId: string; ledger: string; transactionId: string }[]> {
  const ids: string[] = []
  for (let made = 0; made < count; made++) {
    const ledger = await partner()
    const transactionId = await ended(ledger, 'COLLECT', 'failed')
    await database.pool.query(
      `insert into operator_contradictions (application_id, transaction_id, number, source, said, stored_status, http_status, answer, at)
         values ($1, $2, 1, 'query', 'succeeded', 'FAILED', 200, '{}', clock_timestamp())`,
      [ledger, transactionId],
    )
    ids.push(transactionId)
  }
  const { rows } = await database.pool.query<{ exceptionId: string; ledger: string; transactionId: string }>(
    `select exception_id as "exceptionId", matched_application_id as ledger, transaction_id as "transactionId" from exceptions
      where transaction_id = any($1) and outcome is null`,
    [ids],
  )
  assert.equal(rows.length, count)
  return rows
}

const together = (exceptionIds: string[], actor = fatou) =>
  proposeTogether(database.pool, {
    applicationId: installation,
    actor,
    adjustments: { kind: 'adjustment.late', exceptionIds, ...EVIDENCE, waivesFees: false },
  })
const confirmAll = (batchId: string, actor = serge) =>
  confirmTogether({ pool: database.pool, clock: systemClock }, { applicationId: installation, batchId, actor })

test('a posting for each of three exceptions that one person proposed together and another confirmed at once; each exception is closed', async () => {
  const found = await contradictions(3)
  const proposal = await together(found.map(({ exceptionId }) => exceptionId))
  assert.ok(proposal.ok, JSON.stringify(proposal))
  const { batchId } = proposal.value
  const kinds = () => Promise.all(found.map(({ ledger }) => readPostingKinds(database.pool, ledger)))
  assert.ok((await kinds()).every((posted) => !posted.includes('late')))
  assert.deepEqual(await confirmAll(batchId, fatou), { ok: false, error: 'own_proposal' })
  const { changes } = await listChanges(database.pool, { applicationId: installation, kinds: ['adjustment.late'], actor: serge })
  assert.equal(changes.filter((change) => change.batchId === batchId && change.mayDecide === true).length, 3)
  // One of them is confirmed for itself, and the others then at once, also by two presses.
  const [one] = changes.filter((change) => change.batchId === batchId)
  assert.ok((await confirm(one?.changeId ?? '')).ok)
  const both = await Promise.all([confirmAll(batchId), confirmAll(batchId)])
  assert.equal(
    both.reduce((sum, result) => sum + (result.ok ? result.value.confirmed : 0), 0),
    2,
  )
  assert.ok((await kinds()).every((posted) => posted.filter((kind) => kind === 'late').length === 1))
  const { rows } = await database.pool.query('select distinct outcome from exceptions where exception_id = any($1)', [
    found.map(({ exceptionId }) => exceptionId),
  ])
  assert.deepEqual(rows, [{ outcome: 'adjusted' }])
  assert.deepEqual(await confirmAll(batchId), { ok: false, error: 'not_open' })
  assert.deepEqual(await verifyDatabase(database.pool), [])
})

test('already_proposed for one of several exceptions, and none is proposed; not_permitted without the role', async () => {
  const [first, second] = await contradictions(2)
  assert.ok(first && second)
  await proposed(late(second.ledger, second.transactionId))
  assert.deepEqual(await together([first.exceptionId, second.exceptionId]), {
    ok: false,
    error: { exceptionId: second.exceptionId, failure: 'already_proposed' },
  })
  const { rows } = await database.pool.query('select 1 from proposed_changes where subject like $1', [`%${first.transactionId}`])
  assert.deepEqual(rows, [])
  assert.deepEqual(await together([first.exceptionId], await actorOf(installation, ['engineer'])), { ok: false, error: 'not_permitted' })
  const unknown = randomUUID()
  assert.deepEqual(await together([unknown]), { ok: false, error: { exceptionId: unknown, failure: 'no_exception' } })
})

test('confirmed without one that was adjusted meanwhile, which keeps waiting with its reason', async () => {
  const found = await contradictions(2)
  const proposal = await together(found.map(({ exceptionId }) => exceptionId))
  assert.ok(proposal.ok)
  // Only the owner of the tables could post it between the two people.
  const [gone] = found
  await database.pool.query(
    `insert into ledger_postings (application_id, subject_id, kind, operator, currency, actor_id, reason, change_application_id, change_id, at)
       select $1, $2, 'late', 'MOMOCM', 'XAF', $3, 'x', $4, gen_random_uuid(), now()`,
    [gone?.ledger, gone?.transactionId, fatou.id, installation],
  )
  assert.deepEqual(await confirmAll(proposal.value.batchId), {
    ok: true,
    value: { confirmed: 1, refused: { code: 'refused', reason: 'already_adjusted' } },
  })
})

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TransitionEvent } from '#lib/payments/transactions/transaction-status.ts'
import { createApplication } from '#server/applications/create-application.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { postAdjustment } from '#server/ledger/adjustments.ts'
import { type FundingPosting, postFunding } from '#server/ledger/fundings.ts'
import { sealLedgerDays } from '#server/ledger/seal-ledger-days.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { aBand, anIntakeItem, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { inSimulatedTime } from '#server/testing/simulated-time.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { findTransaction } from '#server/transactions/transaction-store.ts'
import { transition } from '#server/transactions/transition.ts'
import { addFeeDays, sealTotals } from '../totals/seal-totals.ts'
import {
  ASKED,
  BANK_ACCOUNT,
  BATCH,
  COLLECTED,
  DAMAGES,
  DENIED,
  FEE,
  LINK,
  LINKED,
  MOVE,
  OPEN,
  PAID,
  PAY_IN,
  REFUND,
  REJECTED,
  REPLACING,
  REVERSAL,
  WAITING,
  WITHDRAWAL,
} from './testing/damages.ts'
import { verifyBooks } from './verify-books.ts'
import { BOOK_CHECKS, selectDifferences } from './verify-books-store.ts'

/** An evening that is the next day already in the zone of the application, in a month that is over. */
const AN_EVENING = '2026-03-13T21:30:00Z'
let database: TestDatabase
let applicationId = ''
before(async () => {
  database = await createTestDatabase({ mode: 'sandbox' })
  const { pool } = database
  applicationId = must(await createApplication(pool, { name: 'Kampala', timeZone: 'Africa/Kampala', actor: SYSTEM_ACTOR })).applicationId
  const [maker, checker, finance] = await Promise.all(
    (['maker', 'checker', 'finance'] as const).map((role) => makePerson(pool, applicationId, [role])),
  )
  await book(PAY_IN, { kind: 'fund', account: 'deposit', amountMinor: 9_000_000n }, finance)
  await inSimulatedTime(pool, async (trx, setTime) => {
    await setTime(new Date(AN_EVENING))
    const [collected, paid, denied] = [COLLECTED, PAID, DENIED].map((transactionId) =>
      anIntakeItem(applicationId, { transactionId, type: transactionId === COLLECTED ? 'COLLECT' : 'DEPOSIT' }),
    )
    for (const [item, event] of [
      [collected, 'succeeded'],
      [paid, 'succeeded'],
      [denied, 'failed'],
    ] as const) {
      assert.ok(item)
      await takeIn(trx, [item])
      await transition(trx, [{ applicationId, transactionId: item.transactionId, event, actor: { kind: 'operator', id: null } }])
    }
  })
  const byPerson: Partial<IntakeItem> = { source: 'person', makerId: maker, bands: [aBand()] }
  await start({ transactionId: OPEN, source: 'file', makerId: maker, bands: [aBand()], batchId: BATCH })
  await start({ transactionId: WAITING, ...byPerson })
  await start({ transactionId: REJECTED, ...byPerson })
  await decide(OPEN, 'approved', checker)
  await decide(REJECTED, 'rejected', checker)
  await start({ transactionId: REPLACING, ...byPerson, originId: REJECTED })
  await book(MOVE, { kind: 'move', account: 'deposit', amountMinor: 1_000n }, finance)
  await book(FEE, { kind: 'correct', account: 'collect', amountMinor: -500n }, finance)
  await addBankAccount(finance)
  await book(WITHDRAWAL, { kind: 'withdraw', account: 'collect', amountMinor: 300n }, finance)
  await start({ transactionId: REFUND, amountMinor: 100_000n, refund: { collectId: COLLECTED, refundedMinor: 100_000n } })
  await reverse(REVERSAL, finance)
  await askOperator(finance)
  await storeBatch(maker)
  await payLink(maker)
  await sealTotals(pool)
  await addFeeDays(pool)
  await sealLedgerDays(pool, 0)
  // Without the guards, damages that the database refuses are made too, as a restored backup or a person could make them.
  await removeGuards()
})
after(() => database.drop())

async function start(overrides: Partial<IntakeItem>): Promise<void> {
  await takeIn(database.pool, [anIntakeItem(applicationId, overrides)])
}

async function decide(transactionId: string, event: Extract<TransitionEvent, 'approved' | 'rejected'>, checkerId: string | undefined) {
  assert.ok(checkerId)
  const actor = { kind: 'person', id: checkerId } as const
  const [moved] = await transition(database.pool, [{ applicationId, transactionId, event, actor, checkerId, message: 'x' }])
  assert.ok(moved?.isMoved)
  await database.pool.query(
    `insert into approval_decisions (application_id, transaction_id, checker_id, decision, note, through, batch_id)
       values ($1, $2, $3, $4, '', 'back_office', $5)`,
    [applicationId, transactionId, checkerId, event === 'approved' ? 'validated' : 'rejected', transactionId === OPEN ? BATCH : null],
  )
}

/** A payment of a link that is open. */
async function payLink(makerId: string | undefined): Promise<void> {
  await database.pool.query(
    `insert into payment_links (application_id, link_id, token, purpose, country, currency, operators, amount_minor, created_by)
       values ($1, $2, $3, 'test', 'CAMEROON', 'XAF', '{MOMOCM}', 500000, $4)`,
    [applicationId, LINK, 'x'.repeat(22), makerId],
  )
  await start({ transactionId: LINKED, type: 'COLLECT', source: 'link', makerId, linkId: LINK })
}

/** A funding that one person proposed and another confirmed. */
async function book(fundingId: string, posting: FundingPosting, decidedBy: string | undefined): Promise<void> {
  assert.ok(decidedBy)
  const { pool } = database
  const proposer = await makePerson(pool, applicationId, ['finance'])
  const kind = { fund: 'pay_in', move: 'move', correct: 'correction', withdraw: 'withdrawal' }[posting.kind]
  const posted = await withTransaction(pool, (trx) =>
    postFunding(trx, { applicationId, operator: 'MOMOCM', fundingId, actorId: decidedBy, reason: 'x', ...posting }),
  )
  assert.ok(posted.ok)
  const payload = {
    operator: 'MOMOCM',
    amountMinor: String(posting.amountMinor),
    ...((posting.kind === 'correct' || posting.kind === 'withdraw') && { account: posting.account }),
    ...(posting.kind === 'withdraw' && { bankAccountId: BANK_ACCOUNT }),
    reference: 'x',
    note: '',
    document: { name: 'x', sha256: 'a1'.repeat(32) },
  }
  const balances = { currency: 'XAF', collectMinor: '0', depositMinor: '0' }
  await pool.query(
    `insert into proposed_changes (application_id, change_id, kind, subject, payload, before, after, proposed_by, expires_at, outcome, decided_by, decided_at)
       values ($1, $2, $3, 'x', $4, $5, $5, $6, now(), 'confirmed', $7, now())`,
    [applicationId, fundingId, `funding.${kind}`, payload, balances, proposer, decidedBy],
  )
}

/** A bank account that one person proposed and another confirmed. */
async function addBankAccount(decidedBy: string | undefined): Promise<void> {
  const { pool } = database
  const proposer = await makePerson(pool, applicationId, ['finance'])
  await pool.query(
    `insert into proposed_changes (application_id, change_id, kind, subject, payload, before, after, proposed_by, expires_at, outcome, decided_by, decided_at)
       values ($1, $2, 'bank_account.add', 'x', '{}', '{}', '{}', $3, now(), 'confirmed', $4, now())`,
    [applicationId, BANK_ACCOUNT, proposer, decidedBy],
  )
  await pool.query(
    `insert into bank_accounts (application_id, bank_account_id, holder, bank, currency, form, number, added_by)
       values ($1, $2, 'x', 'x', 'XAF', 'account', '1234567', $3)`,
    [applicationId, BANK_ACCOUNT, decidedBy],
  )
}

/** A reversal of the collect that one person proposed and another confirmed. */
async function reverse(changeId: string, decidedBy: string | undefined): Promise<void> {
  assert.ok(decidedBy)
  const { pool } = database
  const proposer = await makePerson(pool, applicationId, ['finance'])
  const { operator, currency, type, amountMinor, feeSystemMinor, feeAppMinor } =
    (await findTransaction(pool, applicationId, COLLECTED)) ?? assert.fail()
  const about = { operator, currency, type, amountMinor, feeSystemMinor, feeAppMinor, actorId: decidedBy, reason: 'x' }
  const change = { applicationId, changeId }
  const posted = await withTransaction(pool, (trx) =>
    postAdjustment(trx, { ...about, applicationId, subjectId: COLLECTED, kind: 'reverse', change }),
  )
  assert.ok(posted.ok)
  await pool.query(
    `insert into proposed_changes (application_id, change_id, kind, subject, payload, before, after, proposed_by, expires_at, outcome, decided_by, decided_at)
       values ($1, $2, 'adjustment.reverse', 'x', $3, '{}', '{}', $4, now(), 'confirmed', $5, now())`,
    [applicationId, changeId, { ledger: applicationId, transactionId: COLLECTED, evidence: 'x', note: '' }, proposer, decidedBy],
  )
}

/** A reversal of the deposit that one person proposed and another confirmed, and that the operator has not carried out yet. */
async function askOperator(decidedBy: string | undefined): Promise<void> {
  const { pool } = database
  const proposer = await makePerson(pool, applicationId, ['administrator'])
  await pool.query(
    `insert into proposed_changes (application_id, change_id, kind, subject, payload, before, after, proposed_by, expires_at, outcome, decided_by, decided_at)
       values ($1, $2, 'reversal.ask', 'x', $3, '{}', '{}', $4, now(), 'confirmed', $5, now())`,
    [applicationId, ASKED, { ledger: applicationId, transactionId: PAID, reason: 'x' }, proposer, decidedBy],
  )
  await pool.query(
    `insert into operator_reversals (application_id, transaction_id, reversal_id, change_application_id, operator, confirmed_by)
       values ($1, $2, $3, $1, 'MOMOCM', $4)`,
    [applicationId, PAID, ASKED, decidedBy],
  )
}

/** The file that the open payment is from: its row, and one row of each kind that starts nothing. */
async function storeBatch(makerId: string | undefined): Promise<void> {
  const { pool } = database
  await pool.query(
    `insert into batches (application_id, batch_id, name, type, maker_id, created_by, file_name, file_sha256, state, row_count, started_count, submitted_at)
       values ($1, $2, 'x', 'DEPOSIT', $3, $3, 'x', '', 'submitted', 4, 2, now())`,
    [applicationId, BATCH, makerId],
  )
  await pool.query(
    `insert into batch_rows (application_id, batch_id, row_number, cells, external_id, transaction_id, phone_number, amount_minor, problems, exclusion, refusal)
       select $1::uuid, $2::uuid, 1, '[]'::jsonb, t.external_id, t.transaction_id, t.phone_number, t.amount_minor, '[]'::jsonb, null, null
         from transactions t where t.transaction_id = $3
       union all select $1, $2, 2, '[]', gen_random_uuid(), null, null, null, '[]', null, 'closed'
       union all select $1, $2, 3, '[]', gen_random_uuid(), null, null, null, '[]', 'by hand', null
       union all select $1, $2, 4, '[]', gen_random_uuid(), null, null, null, '[{}]', null, null`,
    [applicationId, BATCH, OPEN],
  )
  await pool.query(
    `insert into batch_retries (application_id, failed_transaction_id, parent_batch_id, batch_id, row_number, external_id)
       values ($1, $2, gen_random_uuid(), gen_random_uuid(), 1, gen_random_uuid())`,
    [applicationId, DENIED],
  )
}

async function removeGuards(): Promise<void> {
  await database.pool.query(`do $$ declare guard record; begin
    for guard in select conrelid::regclass as of, conname as name from pg_constraint
      where contype in ('c', 'u') and connamespace = current_schema()::regnamespace and conrelid <> 0 loop
      execute format('alter table %s drop constraint %I', guard.of, guard.name);
    end loop;
    for guard in select tgrelid::regclass as of, tgname as name from pg_trigger where not tgisinternal loop
      execute format('drop trigger %I on %s', guard.name, guard.of);
    end loop;
    drop index transaction_events_final;
  end $$`)
}

/** Damages the books by these statements, returns what one check finds, and undoes the damage. */
async function findIn(check: string, statements: string): Promise<string[]> {
  const { sql } = BOOK_CHECKS.find((one) => one.check === check) ?? assert.fail(check)
  const client = await database.pool.connect()
  try {
    await client.query('begin')
    await client.query(statements)
    return (await selectDifferences(client, sql)).map(({ subject, detail }) => `${subject}: ${detail}`)
  } finally {
    await client.query('rollback')
    client.release()
  }
}

test('no difference in books that have every kind of transaction, posting, funding, sum and row of a file', async () => {
  assert.deepEqual(await verifyBooks(database.pool), [])
})

for (const [check, damages] of Object.entries(DAMAGES)) {
  test(`a difference in "${check}" for each thing that it compares`, async () => {
    for (const damage of damages) {
      const [statements, count] = typeof damage === 'string' ? [damage, 1] : damage
      assert.equal((await findIn(check, statements)).length, count, statements)
    }
  })
}

import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { parseMinor } from '#lib/money/money.ts'
import { OPERATOR_CODES, type OperatorCode } from '#lib/operators/operators.ts'
import { FAILURE_MESSAGES } from '#lib/payments/transactions/transaction-status.ts'
import { WALLETS } from '#lib/reconciliation/wallets.ts'
import { Books } from '#server/operators/simulator/books.ts'
import { walletNumberOf } from '#server/operators/simulator/statements/wallets.ts'
import { verifyDatabase } from '#server/reports/verify/verify-books.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { type SandboxFile, seedSandbox } from './seed-sandbox.ts'

let database: TestDatabase
const dataDirectory = mkdtempSync(path.join(tmpdir(), 'countersign-seed-'))
const file = path.join(dataDirectory, 'sandbox.json')
const options = () => ({
  pool: database.pool,
  dataDirectory,
  baseUrl: 'http://127.0.0.1:3000',
  simulatorFolder: path.join(dataDirectory, 'simulator'),
  now: new Date(),
})
let cpuMs = 0

before(async () => {
  database = await createTestDatabase({ mode: 'sandbox' })
  const before = process.cpuUsage()
  assert.equal(await seedSandbox(options()), true)
  const { user, system } = process.cpuUsage(before)
  cpuMs = (user + system) / 1_000
})
after(async () => {
  await database.drop()
  rmSync(dataDirectory, { recursive: true, force: true })
})

/** The transaction that MTN's text beside a transfer names. */
function idIn(context: string): string {
  return context.slice(0, 36)
}

function minorOf(amount = '0'): bigint {
  return parseMinor(amount)
}

async function distinct(column: string, table = 'transactions'): Promise<unknown[]> {
  const { rows } = await database.pool.query<{ value: unknown }>(`select distinct ${column} as value from ${table} order by 1`)
  return rows.map((row) => row.value)
}

test('no difference: the books and audit chains of the seeded database, recounted', async () => {
  assert.deepEqual(await verifyDatabase(database.pool), [])
})

test('two days of a wallet prepared, the first of them signed by another person', async () => {
  const { rows } = await database.pool.query(
    'select wallet, state, signed_by <> prepared_by as "isOther" from day_certificates order by day',
  )
  assert.deepEqual(rows, [
    { wallet: 'OMCM', state: 'signed', isOther: true },
    { wallet: 'OMCM', state: 'prepared', isOther: null },
  ])
})

test('every wallet with the number that its operator prints, so that the file of another account is refused', async () => {
  const { rows } = await database.pool.query<{ wallet: string; number: string }>('select wallet, number from wallets order by wallet')
  const printed = WALLETS.map(({ wallet, operator, account }) => ({
    wallet,
    number: walletNumberOf(operator, account === 'both' ? undefined : account),
  }))
  assert.deepEqual(
    rows,
    printed.toSorted((left, right) => (left.wallet < right.wallet ? -1 : 1)),
  )
})

test('entry 1 of the journal for the signed day, with the money of an application', async () => {
  const { rows } = await database.pool.query(
    `select e.number::integer, e.wallet, bool_or(l.account = 'partners') as "hasPartner" from journal_entries e
       join journal_lines l using (application_id, number) group by 1, 2`,
  )
  assert.deepEqual(rows, [{ number: 1, wallet: 'OMCM', hasPartner: true }])
})

test('less than 20 s of CPU time for seeding, which the first start waits for', () => {
  assert.ok(cpuMs < 20_000, `${Math.round(cpuMs)} ms`)
})

test('no hundredths in any amount, fee, posting or balance', async () => {
  const { rows } = await database.pool.query<{ subject: string }>(
    `select transaction_id::text as subject from transactions where amount_minor % 100 <> 0 or fee_system_minor % 100 <> 0 or fee_app_minor % 100 <> 0
     union all select subject_id::text from ledger_entries where amount_minor % 100 <> 0
     union all select operator from ledger_balances where collect_minor % 100 <> 0 or deposit_minor % 100 <> 0 or held_minor % 100 <> 0`,
  )
  assert.deepEqual(rows, [])
})

test('every status, operator, source, failure message and event occurs', async () => {
  assert.deepEqual(await distinct('status'), ['FAILED', 'PENDING', 'PENDING_APPROVAL', 'SUCCESS'])
  assert.deepEqual(await distinct('operator'), OPERATOR_CODES.toSorted())
  assert.deepEqual(await distinct('source'), ['api', 'file', 'person'])
  const messages = await distinct('message')
  for (const message of Object.values(FAILURE_MESSAGES)) assert.ok(messages.includes(message), message)
  assert.deepEqual(await distinct('state', 'operator_work'), ['submitted', 'unconfirmed'])
  assert.deepEqual(await distinct('event', 'all_transaction_events'), [
    'approved',
    'created',
    'expired',
    'failed',
    'recalled',
    'refused_for_funds',
    'rejected',
    'succeeded',
  ])
})

test('at least thirty transactions wait for approval, under at least four rules, and three of them have one of two approvals', async () => {
  const { rows } = await database.pool.query<{ waiting: bigint; rules: bigint; partial: bigint }>(
    `select count(*) as waiting, count(distinct (i.application_id, i.rule ->> 'name')) as rules, count(*) filter (where d.made > 0) as partial
       from transactions t join approval_items i using (application_id, transaction_id)
       cross join lateral (select count(*) as made from approval_decisions a where a.application_id = t.application_id and a.transaction_id = t.transaction_id) d
       where t.status = 'PENDING_APPROVAL' and i.expires_at > now()`,
  )
  assert.ok((rows[0]?.waiting ?? 0n) >= 30n, `waiting: ${rows[0]?.waiting}`)
  assert.ok((rows[0]?.rules ?? 0n) >= 4n, `rules: ${rows[0]?.rules}`)
  assert.ok((rows[0]?.partial ?? 0n) >= 3n, `partial: ${rows[0]?.partial}`)
})

test('a draft, and transactions that a checker rejected, for the first maker of each application', async () => {
  const { rows } = await database.pool.query<{ drafts: bigint; rejected: bigint }>(
    `select (select count(*) from payment_drafts d where d.application_id = m.application_id and d.person_id = m.maker_id) as drafts, m.rejected
       from (select t.application_id, t.maker_id, count(*) filter (where e.event = 'rejected') as rejected
               from transactions t join all_transaction_events e using (application_id, transaction_id)
              where t.maker_id is not null group by 1, 2) m`,
  )
  assert.equal(rows.filter((row) => row.drafts === 1n && row.rejected > 0n).length, 2)
})

test('sequences in order of time, of creations and of results', async () => {
  const { rows } = await database.pool.query<{ misplaced: bigint }>(
    `select count(*) as misplaced from (
       select created_at < lag(created_at) over (partition by application_id order by sequence) as is_misplaced from transactions
       union all
       select final_at < lag(final_at) over (partition by application_id, to_status order by final_sequence) from final_transactions) t
     where is_misplaced`,
  )
  assert.equal(rows[0]?.misplaced, 0n)
})

test('a reference of its operator for each transaction that was executed, and no reference of two transactions', async () => {
  const { rows } = await database.pool.query<{ executed: bigint; named: bigint; listed: bigint; shared: bigint; kept: bigint }>(
    `select count(*) filter (where status = 'SUCCESS') as executed,
            count(*) filter (where status = 'SUCCESS' and operator_reference is not null) as named,
            (select count(*) from operator_references) as listed,
            (select count(*) from (select 1 from operator_references group by operator, type, operator_reference having count(*) > 1) s) as shared,
            count(operator_reference) + count(operator_reference_other) as kept
       from transactions`,
  )
  const { executed, named, listed, shared, kept } = rows[0] ?? assert.fail()
  assert.deepEqual([named, listed, shared], [executed, kept, 0n])
})

test('the balance by the ledger at each operator, in the books of its simulator, apart from what the service has not learned yet', async () => {
  const books = new Books(options().simulatorFolder)
  const { rows } = await database.pool.query<{ operator: OperatorCode; ledger_minor: bigint }>(
    'select operator, -sum(clearing_minor)::bigint as ledger_minor from ledger_balances group by operator',
  )
  const { rows: open } = await database.pool.query<{ operator: OperatorCode; amount_minor: bigint }>(
    `select t.operator, case t.type when 'COLLECT' then t.amount_minor else -t.amount_minor end as amount_minor from transactions t
       where exists (select 1 from operator_work w where w.transaction_id = t.transaction_id and w.state = 'unconfirmed')
          or exists (select 1 from operator_contradictions c where c.transaction_id = t.transaction_id)`,
  )
  const differences = rows.map(({ operator, ledger_minor }) => {
    const unknownMinor = open.filter((each) => each.operator === operator).reduce((sum, { amount_minor }) => sum + amount_minor, 0n)
    return [operator, books.accountsOf(operator).bothMinor - unknownMinor - ledger_minor]
  })
  books.close()
  assert.deepEqual(
    differences,
    rows.map(({ operator }) => [operator, 0n]),
  )
})

test('one of each class of lines and transactions in the last seven days of the books', async () => {
  const books = new Books(options().simulatorFolder)
  const entries = [...books.entries()]
  const executed = new Map(entries.filter(({ status }) => status === 'SUCCESS').map((entry) => [idIn(entry.context), entry]))
  const failed = new Set(entries.filter(({ status }) => status === 'FAILED').map((entry) => idIn(entry.context)))
  const { rows } = await database.pool.query<{ id: string; status: string; amount_minor: bigint; final_at: Date }>(
    `select transaction_id::text as id, status, amount_minor, final_at from transactions
       where operator = 'MOMOCM' and type = 'COLLECT' and final_at > now() - interval '7 days' and message is distinct from 'Rejected'`,
  )
  const paid = rows.filter(({ status }) => status === 'SUCCESS')
  const count = (holds: (row: (typeof rows)[number]) => boolean) => paid.filter(holds).length
  const classes = {
    differentFee: count(({ id, amount_minor }) => minorOf(executed.get(id)?.fee) > (amount_minor * 12n) / 1_000n + 100n),
    differentAmount: count(({ id, amount_minor }) => executed.has(id) && minorOf(executed.get(id)?.amount) !== amount_minor),
    failedThere: count(({ id }) => failed.has(id)),
    absentThere: count(({ id }) => !failed.has(id) && !executed.has(id)),
    reversed: count(({ id }) => (executed.get(id)?.refunds.length ?? 0) > 0),
    late: count(({ id, final_at }) => (executed.get(id)?.executedAtMs ?? 0) > final_at.getTime()),
  }
  assert.deepEqual(classes, { differentFee: 1, differentAmount: 1, failedThere: 1, absentThere: 1, reversed: 1, late: 1 })
  const kinds = books
    .movements()
    .filter(({ operator, kind }) => operator === 'MOMOCM' && kind !== 'funding')
    .map(({ kind }) => kind)
  assert.deepEqual(kinds.sort(), ['commission', 'fee', 'other', 'own_transfer', 'own_transfer', 'payment', 'payment', 'tax'])
  const { rows: refused } = await database.pool.query<{ id: string }>(
    "select transaction_id::text as id from transactions where status = 'FAILED'",
  )
  assert.ok(refused.some(({ id }) => executed.has(id)))
  books.close()
})

test('no webhook is due, and every address is reserved for examples', async () => {
  assert.deepEqual(await distinct('state', 'webhook_deliveries'), ['delivered', 'exhausted'])
  const { rows } = await database.pool.query<{ count: bigint }>(`select count(*) from transactions where webhook_url !~ '\\.example[:/]'`)
  assert.equal(rows[0]?.count, 0n)
})

test('0600: sandbox.json holds the secrets of both applications and their people', () => {
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const content: SandboxFile = JSON.parse(readFileSync(file, 'utf8'))
  assert.deepEqual(Object.keys(content), ['baseUrl', 'applications'])
  const [first, second] = content.applications
  assert.deepEqual(Object.keys(first ?? {}), ['name', 'apiId', 'apiKey', 'username', 'password', 'webhookSecret', 'people'])
  assert.equal(first?.name, 'Kora Stores')
  assert.match(first?.webhookSecret ?? '', /^whsec_/)
  const roles = (people: { roles: string[] }[] = []) => people.map((person) => person.roles.join('+'))
  assert.deepEqual(roles(first?.people), [
    'maker',
    'maker',
    'checker',
    'checker',
    'finance',
    'administrator',
    'engineer',
    'maker+checker',
    'administrator',
  ])
  assert.deepEqual(roles(second?.people), ['maker', 'checker', 'finance', 'administrator'])
  for (const { people } of content.applications) for (const person of people) assert.equal(person.password.length, 20, person.email)
})

test('a funding and a change of limits that wait in both applications', async () => {
  const { rows } = await database.pool.query(
    `select a.name, (select array_agg(c.kind order by c.kind) from proposed_changes c where c.application_id = a.application_id and c.outcome is null) as kinds
       from applications a order by a.name`,
  )
  assert.deepEqual(rows, [
    { name: 'Kora Stores', kinds: ['funding.pay_in', 'service.set'] },
    { name: 'Teranga Logistics', kinds: ['funding.pay_in', 'service.set'] },
  ])
})

test('several names in Arabic script and with accents, and two numbers of one name', async () => {
  const { rows } = await database.pool.query<{ arabic: bigint; accented: bigint; namesakes: bigint }>(
    `select count(distinct customer_name) filter (where customer_name ~ '[\u0600-\u06ff]') as arabic,
            count(distinct customer_name) filter (where customer_name ~ '[À-ÿ]') as accented,
            count(distinct phone_number) filter (where customer_name = 'Aminata Diop' and status = 'PENDING_APPROVAL') as namesakes from transactions`,
  )
  const [found] = rows
  assert.ok(found && found.arabic >= 2n && found.accented >= 20n && found.namesakes >= 2n, JSON.stringify(rows.map(String)))
})

test('one result that its operator contradicts, in the second application', async () => {
  const { rows } = await database.pool.query(
    `select a.name, c.said, c.stored_status from operator_contradictions c join applications a using (application_id) where c.number = 1`,
  )
  assert.deepEqual(rows, [{ name: 'Teranga Logistics', said: 'succeeded', stored_status: 'FAILED' }])
})

test('transactions of at least four months, from seven countries and in three currencies', async () => {
  const { rows } = await database.pool.query<{ months: bigint; currencies: bigint; countries: bigint }>(
    `select count(distinct date_trunc('month', created_at)) as months, count(distinct currency) as currencies,
            count(distinct left(phone_number, 3)) as countries from transactions`,
  )
  assert.ok((rows[0]?.months ?? 0n) >= 4n)
  assert.deepEqual([rows[0]?.currencies, rows[0]?.countries], [3n, 7n])
})

test('an audit entry for each decision and funding, in order of time', async () => {
  const { rows } = await database.pool.query<{ decisions: bigint; entries: bigint; fundings: bigint; funded: bigint; misplaced: bigint }>(
    `select (select count(*) from approval_decisions) as decisions,
            (select count(*) from ledger_postings where kind = 'fund') as fundings,
            count(*) filter (where action in ('transaction.validated', 'transaction.rejected')) as entries,
            count(*) filter (where action = 'balance.funded') as funded,
            count(*) filter (where is_misplaced) as misplaced
       from (select action, at < lag(at) over (partition by application_id order by sequence) as is_misplaced from audit_entries) e`,
  )
  const [found] = rows
  assert.ok(found && found.decisions > 0n && found.fundings > 0n)
  assert.deepEqual([found.entries, found.funded, found.misplaced], [found.decisions, found.fundings, 0n])
})

test('false for a database that holds applications, and nothing changes', async () => {
  const before = readFileSync(file, 'utf8')
  assert.equal(await seedSandbox(options()), false)
  assert.equal(readFileSync(file, 'utf8'), before)
  assert.equal(existsSync(`${file}.unconfirmed`), false)
})

test('the address of this start in sandbox.json, and the same secrets, when the sandbox is started with another port', async () => {
  const before: SandboxFile = JSON.parse(readFileSync(file, 'utf8'))
  assert.equal(await seedSandbox({ ...options(), baseUrl: 'http://127.0.0.1:4321' }), false)
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), { ...before, baseUrl: 'http://127.0.0.1:4321' })
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.equal(await seedSandbox(options()), false)
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), before)
})

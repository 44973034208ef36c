import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { parseMinor } from '#lib/money/money.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { codedErrorSchema } from '#lib/schemas/api/responses.ts'
import { settledDaySchema, settlementReportSchema } from '#lib/schemas/api/settlement-responses.ts'
import { dayIn } from '#lib/time/format-time.ts'
import { addDays } from '#lib/time/time.ts'
import { type HttpHarness, openHttpHarness } from '#server/http/testing/http-harness.ts'
import { insertFunding } from '#server/ledger/ledger-store.ts'
import { sealLedgerDays } from '#server/ledger/seal-ledger-days.ts'
import { insertSignedDay } from '#server/reconciliation/testing/signed-day.ts'
import { readWallet } from '#server/reconciliation/wallets/wallet-store.ts'
import { anIntakeItem, fund, makeApplication } from '#server/testing/factories.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'

const WALLETS = ['BFOM', 'MOMOCM-collect', 'MOMOCM-deposit'] as const
const PATH = '/api/v2/settlement-reports'
const now = new Date()

let harness: HttpHarness
let own: string
let stranger: string
let installation: string
const days = new Map<string, string>()

before(async () => {
  harness = await openHttpHarness()
  const { pool } = harness.database
  own = harness.partner.applicationId
  stranger = await makeApplication(pool)
  installation = await makeApplication(pool)
  await pool.query('update applications set runs_installation = true where application_id = $1', [installation])
  for (const operator of ['BFOM', 'MOMOCM'] as const) {
    // Of the day before: the opening.
    await pool.query(
      `insert into ledger_postings (application_id, subject_id, kind, operator, currency, deposit_minor, clearing_minor, at)
         values ($1, gen_random_uuid(), 'fund', $2, 'XOF', 777700, -777700, now() - interval '2 days')`,
      [own, operator],
    )
    await pool.query(
      'update ledger_balances set deposit_minor = deposit_minor + 777700, clearing_minor = clearing_minor - 777700 where application_id = $1 and operator = $2',
      [own, operator],
    )
    for (const applicationId of [own, stranger]) {
      await fund(pool, applicationId, operator, 5_000_000n)
      for (const [type, amountMinor] of [
        ['COLLECT', 400_000n],
        ['COLLECT', 123_400n],
        ['DEPOSIT', 250_000n],
      ] as const)
        await pay(applicationId, operator, type, amountMinor)
      await pay(applicationId, operator, 'DEPOSIT', 90_000n, 'failed')
      const move = { applicationId, fundingId: randomUUID(), operator, currency: 'XOF', amountMinor: 20_000n, kind: 'move' as const }
      await insertFunding(pool, { ...move, account: 'collect', actorId: null, reason: 'x' })
    }
  }
  await sealLedgerDays(pool, 0)
  for (const wallet of WALLETS) await sign(wallet)
})
after(() => harness.close())

async function pay(
  applicationId: string,
  operator: OperatorCode,
  type: TransactionType,
  amountMinor: bigint,
  event: 'succeeded' | 'failed' = 'succeeded',
) {
  const item = anIntakeItem(applicationId, { operator, type, amountMinor, feeSystemMinor: 5_000n, feeAppMinor: 2_500n })
  await takeIn(harness.database.pool, [item])
  await transition(harness.database.pool, [{ ...item, event, message: 'x', actor: SYSTEM_ACTOR }])
}

/** A certificate of today in the wallet's zone: its signature does not matter here. */
async function sign(wallet: string): Promise<void> {
  const { pool } = harness.database
  const set = (await readWallet(pool, installation, wallet)) ?? assert.fail()
  const day = dayIn(set.zone, now)
  days.set(wallet, day)
  await insertSignedDay(pool, { installation, wallet, day })
}

const get = (path: string, headers: Record<string, string> = harness.headers) => fetch(harness.baseUrl + path, { headers })
const reportOf = async (wallet: string, query = '') => {
  const response = await get(`${PATH}/${wallet}/${days.get(wallet)}${query}`)
  assert.equal(response.status, 200)
  return settlementReportSchema.parse(await response.json())
}
const minor = (value: number) => parseMinor(String(value))

async function balanceOf(applicationId: string, wallet: string): Promise<bigint> {
  const [operator, account = 'both'] = wallet.split('-')
  const { rows } = await harness.database.pool.query<{ collect: bigint; deposit: bigint }>(
    'select collect_minor as collect, deposit_minor + held_minor as deposit from ledger_balances where application_id = $1 and operator = $2',
    [applicationId, operator],
  )
  const { collect, deposit } = rows[0] ?? assert.fail()
  return account === 'both' ? collect + deposit : account === 'collect' ? collect : deposit
}

test('opening plus every line is closing, the present balance of the caller in the account, for each kind of account', async () => {
  for (const wallet of WALLETS) {
    const report = await reportOf(wallet)
    const lines = [...report.transactions, ...report.adjustments].reduce((sum, { net }) => sum + minor(net), 0n)
    assert.equal(minor(report.opening) + lines, minor(report.closing), wallet)
    assert.equal(minor(report.closing), await balanceOf(own, wallet), wallet)
    assert.equal(report.opening, wallet === 'MOMOCM-collect' ? 0 : 7_777, wallet)
    assert.equal(report.transactions.length, { BFOM: 3, 'MOMOCM-collect': 2, 'MOMOCM-deposit': 1 }[wallet], wallet)
    for (const { transactionType, gross, feesSystem, feesApp, net } of report.transactions)
      assert.equal(net, transactionType === 'COLLECT' ? gross - feesSystem - feesApp : -(gross + feesSystem + feesApp))
  }
})

test('nothing of another application is in a report, and the fees, ids and certificate of each line are those of the ledger', async () => {
  const { rows } = await harness.database.pool.query<{ id: string }>(
    'select transaction_id as id from transactions where application_id = $1',
    [own],
  )
  const ids = new Set(rows.map(({ id }) => id))
  for (const wallet of WALLETS) {
    const { transactions, certificateHash } = await reportOf(wallet)
    assert.ok(transactions.every(({ transactionId }) => ids.has(transactionId)))
    assert.match(certificateHash, /^[0-9a-f]{64}$/)
  }
  const { rows: theirs } = await harness.database.pool.query('select 1 from ledger_postings where application_id = $1', [stranger])
  assert.ok(theirs.length > 10)
})

test('pages, put together, are the day: each transaction once, and the sums of the whole day on every page', async () => {
  const whole = await reportOf('BFOM')
  const pages = [await reportOf('BFOM', '?page=0&size=2'), await reportOf('BFOM', '?page=1&size=2')]
  assert.deepEqual(
    pages.flatMap(({ transactions }) => transactions),
    whole.transactions,
  )
  assert.deepEqual(
    pages.map(({ closing, transactionCount }) => [closing, transactionCount]),
    [
      [whole.closing, 3],
      [whole.closing, 3],
    ],
  )
})

test('a CSV file with the opening first and the closing last, whose net amounts add up', async () => {
  const response = await get(`${PATH}/BFOM/${days.get('BFOM')}?format=csv`)
  assert.equal(response.headers.get('content-type'), 'text/csv; charset=utf-8')
  const lines = (await response.text())
    .trim()
    .split('\r\n')
    .map((line) => line.split(','))
  assert.deepEqual([lines[0]?.[8], lines[1]?.[0], lines.at(-1)?.[0]], ['net', 'opening', 'closing'])
  const net = lines.slice(1, -1).reduce((sum, line) => sum + parseMinor(line[8] ?? ''), 0n)
  assert.equal(net, parseMinor(lines.at(-1)?.[8] ?? ''))
})

test('pages of the CSV file, put together, are the file, also when the last page is full: one opening, one closing', async () => {
  const linesOf = async (query: string) => {
    const response = await get(`${PATH}/BFOM/${days.get('BFOM')}?format=csv${query}`)
    return (await response.text()).trim().split('\r\n')
  }
  const whole = await linesOf('')
  assert.deepEqual(await linesOf('&page=0&size=3'), whole)
  const pages = [await linesOf('&page=0&size=2'), await linesOf('&page=1&size=2')]
  assert.deepEqual([...(pages[0] ?? []), ...(pages[1] ?? []).slice(1)], whole)
})

test('the list has the signed days of operators that the caller uses, and none of other operators', async () => {
  const day = days.get('BFOM') ?? ''
  const list = settledDaySchema.array().parse(await (await get(`${PATH}?from=${addDays(day, -1)}&to=${addDays(day, 1)}`)).json())
  assert.deepEqual(list.map(({ wallet }) => wallet).sort(), [...WALLETS])
  const one = settledDaySchema.array().parse(await (await get(`${PATH}?from=${day}&to=${day}&wallet=BFOM`)).json())
  assert.deepEqual(
    one.map(({ wallet }) => wallet),
    ['BFOM'],
  )
  await harness.database.pool.query('delete from ledger_days where application_id = $1 and operator = $2', [own, 'BFOM'])
  assert.deepEqual(await (await get(`${PATH}?from=${day}&to=${day}&wallet=BFOM`)).json(), [])
})

test('refused with the five fields: no credentials, a bad day or query, an unknown wallet, a day that nobody signed, another method', async () => {
  const day = days.get('BFOM') ?? ''
  const cases = [
    [401, `${PATH}/BFOM/${day}`, {}],
    [401, PATH, {}],
    [400, `${PATH}/BFOM/2026-02-30`],
    [400, `${PATH}/BFOM/${day}?size=0`],
    [400, `${PATH}/BFOM/${day}?format=xml`],
    [400, PATH],
    [400, `${PATH}?from=2026-01-01&to=2026-11-30`],
    [404, `${PATH}/NOBODY/${day}`],
    [404, `${PATH}/BFOM/${addDays(day, -1)}`],
    [404, `${PATH}/BFOM/${day}/x`],
    [404, '/api/v2/nothing'],
  ] as const
  for (const [status, path, headers = harness.headers] of cases) {
    const response = await get(path, headers)
    assert.equal(response.status, status, path)
    assert.equal(codedErrorSchema.parse(await response.json()).status, status)
  }
  const posted = await fetch(`${harness.baseUrl}${PATH}`, { method: 'POST', headers: harness.headers })
  assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD'])
})

test('the document of version 2 is served beside that of version 1, which has none of its paths', async () => {
  const document = async (version: string) =>
    (await get(`/api/${version}/openapi.json`, {})).json() as Promise<{ paths: Record<string, unknown> }>
  assert.deepEqual(Object.keys((await document('v2')).paths), [
    '/api/v2/collects',
    '/api/v2/deposits',
    '/api/v2/batches',
    '/api/v2/batches/{batchId}',
    '/api/v2/batches/{batchId}/cancel',
    '/api/v2/transactions',
    '/api/v2/transactions/{transactionId}/cancel',
    '/api/v2/transactions/{transactionId}/refunds',
    '/api/v2/operators',
    '/api/v2/account-checks',
    PATH,
    `${PATH}/{wallet}/{day}`,
  ])
  assert.equal(
    Object.keys((await document('v1')).paths).some((path) => path.startsWith('/api/v2')),
    false,
  )
})

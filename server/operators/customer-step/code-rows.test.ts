import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { keyringOfProcess } from '#server/secrets-at-rest/keyring.ts'
import { customerCodePlace } from '#server/secrets-at-rest/sealed-columns.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication } from '#server/testing/factories.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { readAttempts, readWork } from '../testing/read-work.ts'
import { awaitCode, doubtMissingCode, holdNumber, storeCode, storeRefusedCode, takeCode } from './customer-code-store.ts'
import { noteTester } from './enter-code.ts'

let database: TestDatabase
let applicationId = ''
let otherApplicationId = ''
before(async () => {
  database = await createTestDatabase()
  applicationId = await makeApplication(database.pool)
  otherApplicationId = await makeApplication(database.pool)
})
after(() => database.drop())

const REFUSAL = { httpStatus: 200, answer: 'Wrong code' }
const NO_CODE = { message: 'Too late', reason: 'OTPEXP' }
let numbers = 0
const newPayment = (): Pick<IntakeItem, 'applicationId'> & Partial<IntakeItem> => ({ applicationId })

/** A collect in its second submission, its fourth attempt, with a code, unless the columns say otherwise; `; ` separates changes. */
async function make(
  columns: string,
  { run, type = 'COLLECT' }: { run?: string; type?: 'COLLECT' | 'DEPOSIT' } = {},
  { applicationId, ...same }: Pick<IntakeItem, 'applicationId'> & Partial<IntakeItem> = newPayment(),
) {
  const batchId = randomUUID()
  const phoneNumber = `2267613${String(++numbers).padStart(4, '0')}`
  const item = anIntakeItem(applicationId, { type, operator: 'BFOM', phoneNumber, batchId, ...same })
  await takeIn(database.pool, [item])
  const { transactionId, payToken } = item
  const sealed = keyringOfProcess().seal(customerCodePlace(applicationId, transactionId), '482913')
  const usual = `state = 'submitting', submissions = 2, attempts = 4, queries = 3, is_claimed = true, claimed_at = now(), last_answer = 'before',
    next_at = now() + interval '60 minutes', customer_code = '${sealed}'`
  for (const changes of [usual, ...columns.replace('awaited', AWAITED).split('; ')].filter(Boolean))
    await database.pool.query(`update operator_work set ${changes} where application_id = $1 and transaction_id = $2`, [
      applicationId,
      transactionId,
    ])
  if (run)
    await database.pool.query('insert into batch_runs (application_id, batch_id, state, changed_by) values ($1, $2, $3, $2)', [
      applicationId,
      batchId,
      run,
    ])
  return { applicationId, transactionId, payToken, phoneNumber, operator: 'BFOM' as const, submissions: 2, number: 4 }
}
type Made = Awaited<ReturnType<typeof make>>

function minutesUntil(time: unknown): string {
  return time instanceof Date ? `${Math.round((time.getTime() - Date.now()) / 60_000)} min` : 'never'
}

/** The state, when it is due, until when a code may be entered, what is stored of codes and results, and the attempts. */
async function describe(made: Made): Promise<string> {
  const work = (await readWork(database.pool, made)) ?? assert.fail()
  const parts = [
    work['state'],
    minutesUntil(work['next_at']),
    work['code_until'] ? `code in ${minutesUntil(work['code_until'])}` : '',
    work['customer_code'] ? 'with code' : '',
    work['is_claimed'] ? 'claimed' : '',
    work['refused_codes'] ? `${work['refused_codes']} refused` : '',
    work['last_answer'] === 'before' ? '' : work['last_answer'],
    work['result'] ? `${work['result']} ${work['result_code'] ?? ''} ${work['result_reason'] ?? ''} q${work['queries']}` : '',
    work['unconfirmed_since'] ? `unconfirmed ${minutesUntil(work['unconfirmed_since'])}` : '',
    work['absent_since'] ? 'absent' : '',
    work['page_opened_at'] ? 'opened' : '',
    ...(await readAttempts(database.pool, made)),
  ]
  return parts.filter(Boolean).join(', ')
}

const ACTS = {
  take: async (made: Made) => (await takeCode(database.pool, made))?.customerCode ?? 'nothing',
  'wait for a code': (made: Made) => awaitCode(database.pool, made, undefined),
  'wait after a refusal': (made: Made) => awaitCode(database.pool, made, REFUSAL),
  enter: async ({ payToken }: Made) => String(await storeCode(database.pool, payToken, '777777')),
  'end without a code': (made: Made) => doubtMissingCode(database.pool, made, NO_CODE).then(() => 'done'),
  'open the page': ({ payToken }: Made) => noteTester(database.pool, payToken).then(() => 'done'),
}

/** Its code is awaited for nine minutes; `awaited` in a case. */
const AWAITED =
  "state = 'awaiting_code', is_claimed = false, customer_code = null, code_until = now() + interval '9 minutes', next_at = now() + interval '9 minutes'"
const UNCHANGED = 'submitting, 60 min, with code, claimed'
const WAITING = 'awaiting_code, 9 min, code in 9 min'
type Case = [act: keyof typeof ACTS, columns: string, returned: string, to: string, more?: { run?: string; type?: 'DEPOSIT' }]

const CASES: Case[] = [
  // A code is taken once, for the submission of the row.
  ['take', '', '482913', 'submitting, 60 min, claimed'],
  ['take', 'submissions = 3', 'nothing', UNCHANGED],
  ['take', "state = 'unconfirmed'", 'nothing', 'unconfirmed, 60 min, with code, claimed'],
  ['take', 'customer_code = null', 'nothing', 'submitting, 60 min, claimed'],
  // The customer has half an hour from the first time, also after refusals.
  ['wait for a code', 'customer_code = null', 'awaiting', 'awaiting_code, 30 min, code in 30 min, submit not_sent'],
  ['wait for a code', "customer_code = null, code_until = now() + interval '9 minutes'", 'awaiting', `${WAITING}, submit not_sent`],
  // A code that was not sent is no refused code.
  [
    'wait for a code',
    'customer_code = null, refused_codes = 2',
    'awaiting',
    'awaiting_code, 30 min, code in 30 min, 2 refused, submit not_sent',
  ],
  ['wait for a code', 'submissions = 3', 'spent', UNCHANGED],
  ['wait for a code', "state = 'unconfirmed'", 'spent', 'unconfirmed, 60 min, with code, claimed'],
  ['wait for a code', 'accepted_at = now()', 'spent', UNCHANGED],
  [
    'wait after a refusal',
    "customer_code = null, refused_codes = 1, code_until = now() + interval '9 minutes'",
    'awaiting',
    `${WAITING}, 2 refused, Wrong code, submit wrong_code`,
  ],
  ['wait after a refusal', 'refused_codes = 2', 'spent', `${UNCHANGED}, 2 refused`],
  ['wait after a refusal', 'accepted_at = now()', 'spent', UNCHANGED],
  ['wait after a refusal', 'submissions = 3', 'spent', UNCHANGED],
  // A code makes the submission due, unless people hold its batch.
  ['enter', 'awaited', 'true', 'queued, 0 min, code in 9 min, with code'],
  ['enter', 'awaited', 'true', 'queued, 0 min, code in 9 min, with code', { run: 'running' }],
  ['enter', 'awaited', 'true', 'paused, never, code in 9 min, with code', { run: 'paused' }],
  ['enter', 'awaited', 'true', 'paused, never, code in 9 min, with code', { run: 'stopped' }],
  ['enter', `awaited; state = 'submitting'`, 'false', 'submitting, 9 min, code in 9 min'],
  ['enter', `awaited; code_until = now()`, 'false', 'awaiting_code, 9 min, code in 0 min'],
  ['enter', 'awaited', 'false', WAITING, { type: 'DEPOSIT' }],
  // An earlier submission may have arrived: queried at once, the refusal is the result if the operator denies it.
  ['end without a code', 'awaited', 'done', 'unconfirmed, 0 min, code in 9 min, refused OTPEXP Too late q0, unconfirmed 0 min'],
  [
    'end without a code',
    `awaited; unconfirmed_since = now() - interval '5 minutes', absent_since = now()`,
    'done',
    'unconfirmed, 0 min, code in 9 min, refused OTPEXP Too late q0, unconfirmed -5 min',
  ],
  ['end without a code', `awaited; submissions = 3`, 'done', WAITING],
  ['end without a code', `awaited; state = 'queued'`, 'done', 'queued, 9 min, code in 9 min'],
  ['open the page', 'awaited', 'done', `${WAITING}, opened`],
  ['open the page', `awaited; state = 'queued'`, 'done', 'queued, 9 min, code in 9 min'],
  ['open the page', 'awaited', 'done', WAITING, { type: 'DEPOSIT' }],
]
for (const [act, columns, returned, to, more = {}] of CASES) {
  const about = [columns || 'a second submission', more.type, more.run && `a ${more.run} batch`].filter(Boolean).join('; ')
  test(`${returned}, and then ${to}, to ${act}: ${about}`, async () => {
    const made = await make(columns, more)
    const { transactionId } = made
    const others = [await make(columns, more), await make(columns, more, { applicationId: otherApplicationId, transactionId })]
    const before = await Promise.all(others.map(describe))
    assert.equal(await ACTS[act](made), returned)
    assert.equal(await describe(made), to)
    assert.deepEqual(await Promise.all(others.map(describe)), before, 'another payment has changed')
  })
}

test('counted for its own operator and number only: the refused codes that block a number', async () => {
  const [made, sameNumber] = [await make(''), await make('')]
  const elsewhere = { ...made, operator: 'SNOM' as const, phoneNumber: made.phoneNumber.replace(/^226/, '221') }
  for (let refused = 0; refused < 6; refused++) {
    await storeRefusedCode(database.pool, elsewhere)
    await storeRefusedCode(database.pool, { ...sameNumber, phoneNumber: '22676139999' })
  }
  // Stored under the same text.
  await database.pool.query('update customer_code_numbers set phone_number = $1 where operator = $2', [made.phoneNumber, 'SNOM'])
  assert.equal(await holdNumber(database.pool, made), undefined)
  assert.deepEqual(await takeCode(database.pool, made), { customerCode: '482913' })
})

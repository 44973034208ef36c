import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { aCollect, type HttpHarness, openHttpHarness } from '#server/http/testing/http-harness.ts'
import { readAttempts, readWork } from '#server/operators/testing/read-work.ts'
import { waitUntil } from '#server/testing/wait-until.ts'

let harness: HttpHarness
before(async () => {
  harness = await openHttpHarness({ usesOwnProtocols: true })
  harness.dispatcher.start()
})
after(() => harness.close())

type Collect = { transactionId: string; payToken: string; applicationId: string; msisdn: string }

async function collect(digits: string, before = '226'): Promise<Collect> {
  const msisdn = `76123${digits}`
  const overrides = { transferMethod: 'BFOM', countryName: 'BURKINA_FASO', phoneNumber: before + msisdn, amount: 12500 }
  const body = JSON.stringify(aCollect(overrides))
  const response = await fetch(`${harness.baseUrl}/api/v1/transaction/collect`, { method: 'POST', headers: harness.headers, body })
  const answer = await response.text()
  assert.equal(response.status, 200, answer)
  return { ...(JSON.parse(answer) as Pick<Collect, 'transactionId' | 'payToken'>), applicationId: harness.partner.applicationId, msisdn }
}

async function open(payToken: string, search = '?lang=en'): Promise<string> {
  return (await fetch(`${harness.baseUrl}/pay/${payToken}${search}`)).text()
}

const openUntil = (payToken: string, text: string) =>
  waitUntil(`the page shows ${text}`, async () => {
    const html = await open(payToken)
    return html.includes(text) ? html : undefined
  })

/** Dials for the customer and returns the text on the phone. */
async function dial(msisdn: string, amount = '12500'): Promise<string> {
  const response = await fetch(`${harness.simulatorUrl}/orange-bf/ussd?msisdn=${msisdn}&amount=${amount}`)
  return ((await response.json()) as { otp: string }).otp
}

function enter(payToken: string, code: string): Promise<Response> {
  const body = new URLSearchParams({ code })
  return fetch(`${harness.baseUrl}/pay/${payToken}/code?lang=en`, { method: 'POST', body, redirect: 'manual' })
}

/** Every column of every table that could hold a code, as text. */
async function storedText({ transactionId }: Collect): Promise<string> {
  const { rows } = await harness.database.pool.query(
    `select (select json_agg(w) from operator_work w where w.transaction_id = $1)::text
         || coalesce((select json_agg(a) from all_operator_attempts a where a.transaction_id = $1)::text, '')
         || coalesce((select json_agg(e) from transaction_events e where e.transaction_id = $1)::text, '') as text`,
    [transactionId],
  )
  return String(rows[0]?.text)
}

test('Paid after the customer dialled and entered the code; nothing was sent before, and the code is stored nowhere', async () => {
  const made = await collect('341')
  const html = await openUntil(made.payToken, '*144*4*6*12500#')
  assert.ok(html.includes(`action="/pay/${made.payToken}/code?lang=en"`) && html.includes('tel:*144*4*6*12500%23'))
  assert.ok(!html.includes('http-equiv="refresh"') && html.includes('<script'))
  assert.deepEqual(await readAttempts(harness.database.pool, made), ['submit not_sent'])
  const code = await dial(made.msisdn)
  const entered = await enter(made.payToken, ` ${code.slice(0, 3)} ${code.slice(3)} `)
  assert.deepEqual([entered.status, entered.headers.get('location')], [303, `/pay/${made.payToken}?lang=en`])
  await openUntil(made.payToken, 'The payment has been made.')
  assert.deepEqual(await readAttempts(harness.database.pool, made), ['submit not_sent', 'submit succeeded'])
  assert.ok(!(await storedText(made)).includes(code))
})

test('the code is encrypted while it waits, and only the first of two is taken', async () => {
  await harness.dispatcher.drain()
  const made = await collect('342')
  await harness.database.pool.query(
    "update operator_work set state = 'awaiting_code', code_until = now() + interval '1 minute', next_at = now() + interval '1 minute' where transaction_id = $1",
    [made.transactionId],
  )
  await Promise.all([enter(made.payToken, '111111'), enter(made.payToken, '222222')])
  const work = await readWork(harness.database.pool, made)
  assert.equal(work?.['state'], 'queued')
  assert.match(String(work?.['customer_code']), /^sealed:1:/)
  const text = await storedText(made)
  assert.ok(!text.includes('111111') && !text.includes('222222'))
  harness.dispatcher.start()
})

test('another try after a wrong code, a code of another amount and one that was used; failed after the third refusal', async () => {
  const made = await collect('343')
  await openUntil(made.payToken, 'name="code"')
  for (const [code, refusals] of [
    ['000000', 1],
    [await dial(made.msisdn, '100'), 2],
  ] as const) {
    await enter(made.payToken, code)
    await waitUntil('the refusal is stored', async () => (await readWork(harness.database.pool, made))?.['refused_codes'] === refusals)
    assert.ok((await openUntil(made.payToken, 'name="code"')).includes('The operator did not accept this code.'))
  }
  await enter(made.payToken, '000001')
  const html = await openUntil(made.payToken, 'Not paid')
  assert.ok(html.includes('Three codes were incorrect.') && !html.includes('The operator refused the payment.'))
  const french = await (await fetch(`${harness.baseUrl}/pay/${made.payToken}?lang=fr`)).text()
  assert.ok(french.includes('Trois codes étaient erronés.'))
  assert.deepEqual(await readAttempts(harness.database.pool, made), [
    'submit not_sent',
    'submit wrong_code',
    'submit wrong_code',
    'submit failed',
  ])
  const { rows } = await harness.database.pool.query(
    "select reason from transaction_events where transaction_id = $1 and event = 'failed'",
    [made.transactionId],
  )
  assert.deepEqual(rows, [{ reason: 'OTPINV' }])
})

test('Paid at Orange in Senegal as well: the page shows what to dial there, refuses a wrong code and takes the next one', async () => {
  const body = JSON.stringify(aCollect({ transferMethod: 'SNOM', countryName: 'SENEGAL', phoneNumber: '221772093341', amount: 12500 }))
  const made = await fetch(`${harness.baseUrl}/api/v1/transaction/collect`, { method: 'POST', headers: harness.headers, body })
  const { payToken } = (await made.json()) as Collect
  const html = await openUntil(payToken, 'name="code"')
  assert.ok(html.includes('tel:%23144%23391%23') && html.includes('>#144#391#<'))
  await enter(payToken, '000000')
  await openUntil(payToken, 'The operator did not accept this code.')
  const dialled = await fetch(`${harness.simulatorUrl}/phone?${new URLSearchParams({ msisdn: '221772093341', dial: '#144#391#' })}`)
  await enter(payToken, ((await dialled.json()) as { code: string }).code)
  await openUntil(payToken, 'The payment has been made.')
})

test('nothing is sent for input that is not a code, and the page says so', async () => {
  const made = await collect('344')
  await openUntil(made.payToken, 'name="code"')
  for (const code of ['', '12', '12345', '1234567', '123456789', 'abcdef', '1'.repeat(900)]) {
    const response = await enter(made.payToken, code)
    assert.equal(response.headers.get('location'), `/pay/${made.payToken}?lang=en&code=malformed`)
  }
  assert.ok((await open(made.payToken, '?lang=en&code=malformed')).includes('The code has 6 digits.'))
  assert.deepEqual(await readAttempts(harness.database.pool, made), ['submit not_sent'])
})

test('303 to a page that shows nothing, with nothing stored, for a token that names no payment; 413 for a long form; 405 for reading', async () => {
  for (const token of [randomUUID(), 'x', '%00', "'--"]) {
    const response = await enter(token, '123456')
    assert.equal(response.status, 303)
    const { status } = await fetch(new URL(response.headers.get('location') ?? '', harness.baseUrl))
    assert.equal(status, 404)
  }
  assert.equal((await enter(randomUUID(), '1'.repeat(5_000))).status, 413)
  assert.equal((await fetch(`${harness.baseUrl}/pay/${randomUUID()}/code`)).status, 405)
})

test('FAILED Timeout opérateur, with nothing sent, if the customer enters no code in time', async () => {
  const made = await collect('345')
  await openUntil(made.payToken, 'name="code"')
  await harness.database.pool.query('update operator_work set code_until = now(), next_at = now() where transaction_id = $1', [
    made.transactionId,
  ])
  await openUntil(made.payToken, 'The payment was not confirmed in time.')
  assert.deepEqual(await readAttempts(harness.database.pool, made), ['submit not_sent'])
})

test('a submission whose answer was lost is not sent again: it stays PENDING, and the page takes no second code', async () => {
  const made = await collect('912')
  await openUntil(made.payToken, 'name="code"')
  await enter(made.payToken, await dial(made.msisdn))
  await waitUntil('the outcome is unknown', async () => (await readWork(harness.database.pool, made))?.['state'] === 'unconfirmed')
  await enter(made.payToken, await dial(made.msisdn))
  assert.ok(!(await open(made.payToken)).includes('name="code"'))
  const query = `${harness.baseUrl}/api/v1/transaction/chekTransactionStatus?transactionId=${made.transactionId}`
  const asked = await fetch(query, { method: 'POST', headers: harness.headers })
  assert.deepEqual([asked.status, ((await asked.json()) as { status: string }).status], [200, 'PENDING'])
  assert.deepEqual(
    (await readAttempts(harness.database.pool, made)).filter((attempt) => attempt.startsWith('submit')),
    ['submit not_sent', 'submit unknown'],
  )
})

test('a code for a payment of a paused batch waits with it', async () => {
  await harness.dispatcher.drain()
  const made = await collect('346')
  const batchId = randomUUID()
  const { pool } = harness.database
  await pool.query('update transactions set batch_id = $2 where transaction_id = $1', [made.transactionId, batchId])
  await pool.query(
    "update operator_work set state = 'awaiting_code', code_until = now() + interval '1 minute', next_at = now() + interval '1 minute' where transaction_id = $1",
    [made.transactionId],
  )
  await pool.query("insert into batch_runs (application_id, batch_id, state, changed_by) values ($1, $2, 'paused', $2)", [
    made.applicationId,
    batchId,
  ])
  await enter(made.payToken, '123456')
  assert.equal((await readWork(pool, made))?.['state'], 'paused')
  harness.dispatcher.start()
})

/** Lets the code of a payment be refused, and waits until that is stored. */
async function refuse(made: Collect, refusals: number): Promise<void> {
  await openUntil(made.payToken, 'name="code"')
  await enter(made.payToken, '000000')
  await waitUntil('the refusal is stored', async () => {
    const work = await readWork(harness.database.pool, made)
    return work === undefined || work['refused_codes'] === refusals
  })
}

test('the page asks for the digits of the code, warns of the PIN, and shows tries and minutes left, in English and French', async () => {
  const made = await collect('347')
  const html = await openUntil(made.payToken, 'name="code"')
  for (const shown of [
    'Code of 6 digits that you received',
    'Never enter your Orange Money PIN here.',
    '3 tries left. 29 minutes left.',
    'maxlength="12"',
  ])
    assert.ok(html.includes(shown), shown)
  const french = await open(made.payToken, '?lang=fr')
  for (const shown of ['Code de 6 chiffres', 'Ne saisissez jamais ici votre code secret Orange Money', 'Il reste 3 essais.'])
    assert.ok(french.includes(shown), shown)
  await refuse(made, 1)
  await openUntil(made.payToken, '2 tries left.')
  await refuse(made, 2)
  await openUntil(made.payToken, 'This is the last try.')
})

test('FAILED, with nothing sent, for a second payment of a number that awaits a code; possible again once the first has ended', async () => {
  const first = await collect('348')
  await openUntil(first.payToken, 'name="code"')
  const second = await collect('348')
  await openUntil(second.payToken, 'Another payment for this number is waiting for a code.')
  assert.ok(!(await storedText(second)).includes('wrong_code'))
  await enter(first.payToken, await dial(first.msisdn))
  await openUntil(first.payToken, 'The payment has been made.')
  const third = await collect('348')
  await enter(await openUntil(third.payToken, 'name="code"').then(() => third.payToken), await dial(third.msisdn))
  await openUntil(third.payToken, 'The payment has been made.')
})

test('FAILED, with nothing sent, for a second payment of a number that awaits a code, also with a zero after the dial code', async () => {
  const first = await collect('359')
  await openUntil(first.payToken, 'name="code"')
  for (const before of ['2260', '22600'])
    await openUntil((await collect('359', before)).payToken, 'Another payment for this number is waiting for a code.')
})

test('no seventh code of a number within a day, whichever payment asks for it, and again after it', async () => {
  for (let payments = 0; payments < 2; payments++) {
    const made = await collect('349')
    for (const refusals of [1, 2, 3]) await refuse(made, refusals)
    await openUntil(made.payToken, 'Not paid')
  }
  const seventh = await collect('349')
  await openUntil(seventh.payToken, 'Too many incorrect codes for this number.')
  const { rows } = await harness.database.pool.query(
    "select reason from transaction_events where transaction_id = $1 and event = 'failed'",
    [seventh.transactionId],
  )
  assert.deepEqual(rows, [{ reason: 'CODES_REFUSED' }])
  await harness.database.pool.query(
    "update customer_code_numbers set refused_at = array(select r - interval '1 day' from unnest(refused_at) r) where phone_number = $1",
    [`226${seventh.msisdn}`],
  )
  await openUntil((await collect('349')).payToken, '3 tries left.')
})

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { aCollect, type HttpHarness, openHttpHarness, SIMULATOR_SECRET } from '#server/http/testing/http-harness.ts'
import { readWork } from '#server/operators/testing/read-work.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { type Invitations, startInvitations } from './invite-customers.ts'

const CODES = { SNOM: ['SENEGAL', '221772093'], BFOM: ['BURKINA_FASO', '22676123'] } as const

let harness: HttpHarness
let invitations: Invitations | undefined
before(async () => {
  harness = await openHttpHarness({ usesOwnProtocols: true, config: { isSandbox: true } })
  harness.dispatcher.start()
})
after(async () => {
  await invitations?.stop()
  await harness.close()
})

function invite(): void {
  const simulator = { url: harness.simulatorUrl, secret: SIMULATOR_SECRET }
  invitations = startInvitations({ pool: harness.database.pool, publicUrl: harness.baseUrl, simulator, afterMs: 0 })
}

type Collect = { transactionId: string; payToken: string }

async function collect(transferMethod: keyof typeof CODES, digits: string): Promise<Collect> {
  const [countryName, numbers] = CODES[transferMethod]
  const body = JSON.stringify(aCollect({ transferMethod, countryName, phoneNumber: `${numbers}${digits}` }))
  const answer = await fetch(`${harness.baseUrl}/api/v1/transaction/collect`, { method: 'POST', headers: harness.headers, body })
  assert.equal(answer.status, 200)
  return (await answer.json()) as Collect
}

async function stateOf({ transactionId }: Collect): Promise<string> {
  const { rows } = await harness.database.pool.query('select status, message from transactions where transaction_id = $1', [transactionId])
  return `${rows[0]?.status} ${rows[0]?.message}`
}

const workOf = ({ transactionId }: Collect) =>
  readWork(harness.database.pool, { applicationId: harness.partner.applicationId, transactionId })

const untilAwaited = (made: Collect) =>
  waitUntil('the code is awaited', async () => (await workOf(made))?.['state'] === 'awaiting_code' || undefined)

test('a tester who opens the page is the customer; otherwise the simulated one enters the code, again after a refused one', async () => {
  // Another number: each awaits one code at a time.
  const opened = await collect('SNOM', '342')
  await untilAwaited(opened)
  const page = await (await fetch(`${harness.baseUrl}/pay/${opened.payToken}`)).text()
  assert.ok(page.includes('href="tel:%23144%23391%23"'))
  invite()
  const made = await Promise.all([collect('SNOM', '341'), collect('SNOM', '901'), collect('BFOM', '341'), collect('BFOM', '911')])
  const expected = ['SUCCESS Transaction réussie', 'FAILED Solde insuffisant', 'SUCCESS Transaction réussie', 'SUCCESS Transaction réussie']
  for (const [index, one] of made.entries())
    await waitUntil(`${expected[index]}`, async () => (await stateOf(one)) === expected[index] || undefined)
  assert.equal((await workOf(opened))?.['state'], 'awaiting_code')
  // The tester dials, and enters what comes back.
  const search = new URLSearchParams({ msisdn: '221772093342', dial: '#144#391#' })
  const { code } = (await (await fetch(`${harness.simulatorUrl}/phone?${search}`)).json()) as { code: string }
  await fetch(`${harness.baseUrl}/pay/${opened.payToken}/code`, { method: 'POST', body: new URLSearchParams({ code }), redirect: 'manual' })
  await waitUntil('the tester has paid', async () => (await stateOf(opened)).startsWith('SUCCESS') || undefined)
})

test('401 for an invitation without the secret, 400 for one that is malformed, 404 for a number that dials something else', async () => {
  const send = async (authorization: string, body: object) => {
    const answer = await fetch(`${harness.simulatorUrl}/customers`, {
      method: 'POST',
      headers: { authorization },
      body: JSON.stringify(body),
    })
    return answer.status
  }
  assert.equal(await send('Bearer x', {}), 401)
  assert.equal(await send(`Bearer ${SIMULATOR_SECRET}`, { pageUrl: 'javascript:1', phoneNumber: '221772093341' }), 400)
  assert.equal((await fetch(`${harness.simulatorUrl}/phone?msisdn=221772093341&dial=*144%23`)).status, 404)
})

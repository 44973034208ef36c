import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { newPaymentLinkSchema } from '#lib/schemas/payment-link.ts'
import { systemClock } from '#server/clock.ts'
import { type HttpHarness, openHttpHarness } from '#server/http/testing/http-harness.ts'
import { closePaymentLink, createPaymentLink } from '#server/payment-links/payment-links.ts'
import { makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { waitUntil } from '#server/testing/wait-until.ts'

let harness: HttpHarness
before(async () => {
  harness = await openHttpHarness({ usesOwnProtocols: true, slowDelayMs: 600_000 })
  harness.dispatcher.start()
})
after(() => harness.close())

const SEVERAL = { paymentsMax: null }

async function aLink(
  changed: Record<string, unknown> = {},
  { runtime, database, partner, directory, baseUrl } = harness,
): Promise<{ address: string; linkId: string; actor: ReturnType<typeof maker> }> {
  const actor = maker(await makePerson(database.pool, partner.applicationId, ['maker']), partner.applicationId)
  const link = newPaymentLinkSchema.parse({
    ...{ linkId: randomUUID(), purpose: 'Rent <March> & "water"', country: 'SENEGAL', operators: ['SNWAVE', 'SNFREE'], amount: '12500' },
    ...{ minimum: null, maximum: null, paymentsMax: 1, lastDay: null },
    ...changed,
  })
  const application = directory.find(partner.applicationId) ?? assert.fail('no application')
  const { linkId } = must(
    await createPaymentLink({ pool: runtime.pool, connectors: runtime.connectors, clock: systemClock }, { application, actor, link }),
  )
  const { rows } = await database.pool.query<{ token: string }>('select token from payment_links where link_id = $1', [linkId])
  return { address: `${baseUrl}/pay/link/${rows[0]?.token}`, linkId, actor }
}

function maker(id: string, applicationId: string) {
  return { kind: 'person' as const, id, applicationId, roles: ['maker' as const] }
}

async function read(address: string, headers: Record<string, string> = {}) {
  const response = await fetch(address, { headers: { 'accept-language': 'en', ...headers }, redirect: 'manual' })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const attemptIn = (html: string) => /name="attempt" value="([0-9a-f-]{36})"/.exec(html)?.[1] ?? assert.fail('no form')

async function send(address: string, fields: Record<string, string>) {
  const response = await fetch(`${address}?lang=en`, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })
  return { status: response.status, location: response.headers.get('location'), headers: response.headers, text: await response.text() }
}

const payer = (attempt: string, phoneNumber: string) => ({ attempt, operator: 'SNWAVE', phoneNumber, customerName: 'Awa Diop' })

const stateOf = (location: string | null, part: string) =>
  waitUntil(`the payment shows ${part}`, async () => {
    const { text } = await read(harness.baseUrl + location)
    return text.includes(part) ? text : undefined
  })

test('200 with the amount and purpose as text, the ways to pay, no script, and the policy of the pay page', async () => {
  const { address } = await aLink()
  const { status, text, headers } = await read(address)
  assert.equal(status, 200)
  for (const part of ['12,500 <small>XOF', 'Rent &lt;March&gt; &amp; &quot;water&quot;', 'value="SNWAVE"', 'value="SNFREE"', 'Free Money'])
    assert.ok(text.includes(part), part)
  assert.ok(!text.includes('<script') && !text.includes(address.split('/').at(-1) ?? ''))
  assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*form-action 'self'/)
  assert.ok((await read(`${address}?lang=fr`)).text.includes('Comment voulez-vous payer'))
})

test('303 to one payment for a form that is sent twice; after FAILED back to the link; then 303 to the receipt once paid', async () => {
  const { address } = await aLink()
  const failing = payer(attemptIn((await read(address)).text), '77 209 39 02')
  const [first, again] = await Promise.all([send(address, failing), send(address, failing)])
  assert.deepEqual([first.status, again.status, first.location], [303, 303, again.location])
  const failed = await stateOf(first.location, 'Not paid')
  assert.ok(failed.includes(`<a class="button" href="${new URL(address).pathname}">Try again</a>`))
  const second = await send(address, payer(attemptIn((await read(address)).text), '77 209 39 00'))
  assert.notEqual(second.location, first.location)
  await stateOf(second.location, 'class="state ok"')
  const paid = await read(address)
  assert.deepEqual([paid.status, paid.headers.get('location')], [303, second.location])
  assert.equal((await send(address, payer(randomUUID(), '77 209 39 01'))).status, 410)
})

test('303 to the payment of the first customer while it is open, for every other one', async () => {
  const { address } = await aLink()
  const first = await send(address, payer(randomUUID(), '77 209 39 14'))
  const other = await send(address, payer(randomUUID(), '77 209 41 14'))
  assert.deepEqual([other.location, (await read(address)).headers.get('location')], [first.location, first.location])
})

test('410 paid with time and reference, more than a day after the payment', async () => {
  const { address, linkId } = await aLink()
  const { location } = await send(address, payer(randomUUID(), '77 209 42 00'))
  await stateOf(location, 'class="state ok"')
  const { pool } = harness.database
  const { rows } = await pool.query<{ reference: string }>(
    `update transactions t set final_at = now() - interval '25 hours' from payment_link_payments p
       where p.link_id = $1 and t.transaction_id = p.transaction_id returning t.operator_reference as reference`,
    [linkId],
  )
  const { status, text } = await read(address)
  assert.equal(status, 410)
  assert.ok(text.includes('This has been paid') && text.includes(rows[0]?.reference ?? '?') && !text.includes('<form'))
})

test('410 without a form for a closed link, in both languages', async () => {
  const { address, linkId, actor } = await aLink()
  must(await closePaymentLink(harness.runtime.pool, { applicationId: harness.partner.applicationId, linkId, actor }))
  const { status, text } = await read(address)
  assert.ok(status === 410 && text.includes('no longer accepts payments here') && !text.includes('<form'))
  assert.ok((await read(`${address}?lang=fr`)).text.includes('n’accepte plus de paiement ici'))
})

test('404 for every token that names no link, sent or read', async () => {
  const { address } = await aLink()
  const { pathname } = new URL(address)
  const unknown = ['', 'x', randomUUID(), `${pathname.slice(-22, -1)}!`, 'A'.repeat(22), '..%2f', "'--", `${pathname.slice(-22)}/`]
  for (const token of unknown) {
    const { status } = await read(`${harness.baseUrl}/pay/link/${token}`)
    assert.equal(status, 404, token)
    assert.equal((await send(`${harness.baseUrl}/pay/link/${token}`, payer(randomUUID(), '77 209 39 00'))).status, 404, token)
  }
})

test('400 and the form as it was typed, with what is wrong; nothing is started', async () => {
  const { address, linkId } = await aLink()
  const attempt = attemptIn((await read(address)).text)
  const { status, text } = await send(address, { ...payer(attempt, '12"><b>'), customerName: '' })
  assert.equal(status, 400)
  assert.ok(
    text.includes('value="12&quot;&gt;&lt;b&gt;"') && text.includes('complete number of Senegal') && text.includes('Enter your name.'),
  )
  assert.equal(attemptIn(text), attempt)
  assert.equal((await send(address, { attempt: 'x' })).status, 400)
  assert.equal((await send(address, { ...payer(attempt, '77 209 39 00'), amount: '1' })).status, 303)
  const { rows } = await harness.database.pool.query(
    'select t.amount_minor from payment_link_payments p join transactions t using (application_id, transaction_id) where p.link_id = $1',
    [linkId],
  )
  assert.deepEqual(rows, [{ amount_minor: 1_250_000n }])
})

test('400 with the limits of the operator where the application enforces them', async () => {
  const { pool } = harness.database
  const { applicationId } = harness.partner
  await pool.query(
    `insert into transfer_services (application_id, operator, type, enforces_limits, minimum_minor, maximum_minor)
       values ($1, 'SNFREE', 'COLLECT', true, 2000000, 3000000)`,
    [applicationId],
  )
  const { address } = await aLink()
  await waitUntil('the limits are known', async () => harness.directory.find(applicationId)?.services.has('SNFREE:COLLECT') || undefined)
  const { status, text } = await send(address, { ...payer(randomUUID(), '76 209 39 00'), operator: 'SNFREE' })
  assert.ok(status === 400 && /With Free Money you can pay from 20,000\sXOF to 30,000\sXOF\./.test(text))
})

test('429 with a time to wait for the seventh start with one number, at any link', async () => {
  const { address } = await aLink({ paymentsMax: null })
  const statuses: number[] = []
  for (let start = 0; start < 7; start++) statuses.push((await send(address, payer(randomUUID(), '221772099914'))).status)
  assert.deepEqual(statuses, [303, 303, 303, 303, 303, 303, 429])
  const { address: other } = await aLink()
  const { status, headers, text } = await send(other, payer(randomUUID(), '77 209 99 14'))
  assert.ok(status === 429 && Number(headers.get('retry-after')) > 0 && text.includes('Too many attempts'))
})

test('429 among 150 starts at three links from one network of IPv6, each from another address', async () => {
  const behind = await openHttpHarness({ usesOwnProtocols: true, config: { trustedProxies: ['127.0.0.0/8'] } })
  try {
    const links = [await aLink(SEVERAL, behind), await aLink(SEVERAL, behind), await aLink(SEVERAL, behind)]
    const statusesFrom = async (peerOf: (start: number) => string) => {
      // Refused before anything is started, and counted all the same.
      const send = async (start: number, { address }: { address: string }) => {
        const body = new URLSearchParams({ ...payer(randomUUID(), ''), operator: 'NONE' })
        return (await fetch(address, { method: 'POST', headers: { 'x-forwarded-for': peerOf(start) }, body })).status
      }
      // A link alone takes 60.
      const starts = Array.from({ length: 50 }, (_, start) => links.map((link, index) => send(50 * index + start, link)))
      return new Set(await Promise.all(starts.flat()))
    }
    assert.deepEqual([...(await statusesFrom((start) => `2001:db8:1:1::${start}`))].toSorted(), [400, 429])
  } finally {
    await behind.close()
  }
})

test('the form and the way from it to the payment cost a customer at most 3 KB, so a whole payment by a link 12 KB', async () => {
  const { address } = await aLink()
  const page = await read(address)
  const { headers } = await send(address, payer(attemptIn(page.text), '77 209 43 14'))
  const headBytes = (all: Headers) => [...all].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 20)
  const sizes = { form: gzipSync(page.text).length + headBytes(page.headers), lead: headBytes(headers) }
  assert.ok(sizes.form + sizes.lead <= 3_000, JSON.stringify(sizes))
})

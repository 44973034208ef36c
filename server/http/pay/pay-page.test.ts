import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { aCollect, type HttpHarness, openHttpHarness } from '#server/http/testing/http-harness.ts'
import { simulatedOperators } from '#server/operators/simulator/simulated-operators.ts'
import { waitUntil } from '#server/testing/wait-until.ts'

let harness: HttpHarness
before(async () => {
  // 914 is slow enough for a tester to act before the simulated customer does.
  harness = await openHttpHarness({ usesOwnProtocols: true, slowDelayMs: 600_000 })
  harness.dispatcher.start()
})
after(() => harness.close())

type Initiation = { transactionId: string; payToken: string }

async function collect(overrides: Record<string, unknown> = {}): Promise<Initiation> {
  const body = JSON.stringify(
    aCollect({ transferMethod: 'SNWAVE', countryName: 'SENEGAL', phoneNumber: '221772093914', amount: 12500, ...overrides }),
  )
  const response = await fetch(`${harness.baseUrl}/api/v1/transaction/collect`, { method: 'POST', headers: harness.headers, body })
  const answer = await response.text()
  assert.equal(response.status, 200, answer)
  return JSON.parse(answer) as Initiation
}

async function open(address: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${harness.baseUrl}/pay/${address}`, { headers: { 'accept-language': 'en', ...headers } })
  return { status: response.status, headers: response.headers, html: await response.text() }
}

const openUntil = (payToken: string, text: string) =>
  waitUntil(`the page shows ${text}`, async () => {
    const page = await open(payToken)
    return page.html.includes(text) ? page : undefined
  })

const linkIn = (html: string) => /<a class="button"[^>]* href="([^"]+)"/.exec(html)?.[1] ?? assert.fail('no link')

test('amount, requester, wallet, the end of the number, the link and its QR code; nothing else of the transaction', async () => {
  const { payToken, transactionId } = await collect({ customerName: 'Awa Ndiaye' })
  const { html, status } = await openUntil(payToken, 'Pay with Wave')
  assert.equal(status, 200)
  for (const shown of ['12,500 <small>XOF</small>', 'Test partner', 'ends in 914', '<svg class="qr"'])
    assert.ok(html.includes(shown), shown)
  assert.match(linkIn(html), /^http:\/\/127\.0\.0\.1:\d+\/wave\/c\/cos-[0-9a-f]{16}$/)
  for (const hidden of ['221772093914', 'Awa', transactionId, harness.partner.applicationId]) assert.ok(!html.includes(hidden), hidden)
})

test('Paid, and no more refreshing, after the customer followed the link before the simulated one did', async () => {
  const { payToken, transactionId } = await collect()
  const { html } = await openUntil(payToken, 'Pay with Wave')
  assert.ok(html.includes('<noscript><meta http-equiv="refresh" content="5"></noscript>'))
  const paid = await fetch(linkIn(html), { method: 'POST', redirect: 'manual' })
  assert.deepEqual([paid.status, paid.headers.get('location')], [303, `http://127.0.0.1:1/pay/${payToken}`])
  const query = `${harness.baseUrl}/api/v1/transaction/chekTransactionStatus?transactionId=${transactionId}`
  assert.equal((await fetch(query, { method: 'POST', headers: harness.headers })).status, 200)
  const after = await openUntil(payToken, 'class="state ok"')
  assert.ok(after.html.includes('<main data-final>'))
  assert.ok(!after.html.includes('http-equiv="refresh"') && !after.html.includes('<script'))
})

test('the reason of a payment that failed, in English and in French', async () => {
  const { payToken } = await collect({ phoneNumber: '221772093902' })
  await openUntil(payToken, 'Not paid')
  assert.ok((await open(payToken)).html.includes('The operator does not accept this number.'))
  for (const french of [await open(`${payToken}?lang=fr`), await open(payToken, { 'accept-language': 'fr-SN,fr;q=0.9' })])
    assert.ok(french.html.includes('<html lang="fr">') && french.html.includes('Non payé') && french.html.includes('accepte pas ce numéro'))
})

test('the confirmation on the phone for operators that need no link', async () => {
  const { payToken } = await collect({ transferMethod: 'MOMOCM', countryName: 'CAMEROON', phoneNumber: '237677209912' })
  assert.ok((await open(payToken)).html.includes('Confirm the payment on your phone with your MTN MoMo PIN.'))
})

test('404 with one and the same page for unknown, malformed and expired tokens and for those of deposits', async () => {
  const { payToken } = await collect({ phoneNumber: '221772093902' })
  await openUntil(payToken, 'Not paid')
  await harness.database.pool.query("update transactions set final_at = final_at - interval '25 hours' where pay_token = $1", [payToken])
  const deposit = await collect()
  await harness.database.pool.query("update transactions set type = 'DEPOSIT' where pay_token = $1", [deposit.payToken])
  const { html } = await open(randomUUID())
  const wrong = [
    payToken,
    deposit.payToken,
    payToken.toUpperCase(),
    `${deposit.payToken}/x`,
    '',
    '%00',
    "'--",
    'x'.repeat(5_000),
    '..%2f',
    '',
  ]
  for (const address of wrong) {
    const page = await open(address)
    assert.deepEqual([page.status, page.html], [404, html], address)
  }
  assert.equal((await fetch(`${harness.baseUrl}/pay`, { headers: { 'accept-language': 'en' } })).status, 404)
})

test('a policy without exceptions whose hash is that of the style, no cache, no referrer; page and script under 60 KB', async () => {
  const { payToken } = await collect()
  const { html, headers } = await openUntil(payToken, 'Pay with Wave')
  const style = /<style>(.*)<\/style>/s.exec(html)?.[1] ?? ''
  const policy = headers.get('content-security-policy') ?? ''
  assert.ok(policy.includes(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`))
  assert.ok(policy.startsWith("default-src 'none'") && !/unsafe|\*|data:/.test(policy))
  assert.ok(!/ style=| on\w+=|<script>/.test(html))
  assert.deepEqual([headers.get('cache-control'), headers.get('referrer-policy')], ['no-store', 'same-origin'])
  const script = await fetch(`${harness.baseUrl}/pay/live.js`)
  assert.match(script.headers.get('content-type') ?? '', /^text\/javascript/)
  assert.ok(Buffer.byteLength(html) + Buffer.byteLength(await script.text()) < 20_000)
})

test('an application name is text, regardless of what it contains', async () => {
  const name = '<script>alert(1)</script> & "Co"'
  await harness.database.pool.query('update applications set name = $2 where application_id = $1', [harness.partner.applicationId, name])
  const { payToken } = await collect()
  const { html } = await open(payToken)
  await harness.database.pool.query("update applications set name = 'Test partner' where application_id = $1", [
    harness.partner.applicationId,
  ])
  assert.ok(!html.includes('<script>alert') && html.includes('&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;Co&quot;'))
})

test('405 for everything but reading', async () => {
  for (const method of ['POST', 'PUT', 'DELETE']) {
    const response = await fetch(`${harness.baseUrl}/pay/${randomUUID()}`, { method })
    assert.deepEqual([response.status, response.headers.get('allow')], [405, 'GET, HEAD'])
  }
})

test('the link of an app of Orange and its code, until somebody has paid, where Orange in Senegal is used by QR code', async () => {
  const byQrCode = await openHttpHarness({
    usesOwnProtocols: true,
    slowDelayMs: 600_000,
    settings: (url, secret) =>
      simulatedOperators(url, secret).map((one) =>
        one.operator === 'SNOM' ? { ...one, document: { ...one.document, collectBy: 'qr' } } : one,
      ),
  })
  byQrCode.dispatcher.start()
  const body = JSON.stringify(aCollect({ transferMethod: 'SNOM', countryName: 'SENEGAL', phoneNumber: '221772093914' }))
  const made = await fetch(`${byQrCode.baseUrl}/api/v1/transaction/collect`, { method: 'POST', headers: byQrCode.headers, body })
  const { payToken } = (await made.json()) as Initiation
  const read = async () => (await fetch(`${byQrCode.baseUrl}/pay/${payToken}`, { headers: { 'accept-language': 'fr' } })).text()
  const html = await waitUntil('the link is there', async () => {
    const page = await read()
    return page.includes('Payer avec Orange Money') ? page : undefined
  })
  assert.ok(html.includes('<svg class="qr"'))
  assert.match(linkIn(html), /\/orange-sonatel\/qr\/[0-9a-f]{20}\?app=OM$/)
  await fetch(linkIn(html), { method: 'POST', redirect: 'manual' })
  await waitUntil('the payment is there', async () => (await read()).includes('class="state ok"') || undefined)
  await byQrCode.close()
})

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { CustomerPageTerms } from '#lib/partner/customer-page.ts'
import { NO_CUSTOMER_PAGE } from '#lib/partner/customer-page.ts'
import { setCustomerPage } from '#server/applications/customer-page.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { aCollect, type HttpHarness, openHttpHarness } from '#server/http/testing/http-harness.ts'
import { must } from '#server/testing/partner.ts'
import { waitUntil } from '#server/testing/wait-until.ts'

/** One transparent pixel. */
const GIF = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'
const PAGE: CustomerPageTerms = {
  logo: GIF,
  support: '+221 33 800 00 00',
  returnUrl: 'https://shop.example/orders?from=pay',
  offersRetry: false,
}

let harness: HttpHarness
before(async () => {
  harness = await openHttpHarness({ usesOwnProtocols: true, slowDelayMs: 600_000 })
  harness.dispatcher.start()
})
after(() => harness.close())

const set = async (page: CustomerPageTerms) =>
  must(await setCustomerPage(harness.database.pool, { applicationId: harness.partner.applicationId, page, actor: SYSTEM_ACTOR }))

async function collect(phoneNumber: string): Promise<{ payToken: string; externalId: string }> {
  const externalId = randomUUID()
  const body = JSON.stringify(aCollect({ transferMethod: 'SNWAVE', countryName: 'SENEGAL', phoneNumber, amount: 12500, externalId }))
  const response = await fetch(`${harness.baseUrl}/api/v1/transaction/collect`, { method: 'POST', headers: harness.headers, body })
  assert.equal(response.status, 200)
  const { payToken } = (await response.json()) as { payToken: string }
  return { payToken, externalId }
}

const read = async (address: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${harness.baseUrl}/pay/${address}`, { headers: { 'accept-language': 'en', ...headers } })
  return { status: response.status, headers: response.headers, text: await response.text() }
}
const until = (address: string, part: string) =>
  waitUntil(`the page has ${part}`, async () => {
    const page = await read(address)
    return page.text.includes(part) ? page : undefined
  })

test('a receipt: when, with which reference, a message to send, and the way back with the payment and its end', async () => {
  await set(PAGE)
  const { payToken, externalId } = await collect('221772093900')
  const { text } = await until(payToken, 'class="state ok"')
  const { rows } = await harness.database.pool.query<{ reference: string; day: string }>(
    `select operator_reference as reference, to_char(final_at at time zone 'Africa/Dakar', 'FMDD') as day from transactions where pay_token = $1`,
    [payToken],
  )
  const [stored] = rows
  assert.match(text, new RegExp(`<dt>Paid on</dt><dd>${stored?.day} \\w+ \\d{4}, \\d\\d:\\d\\d:\\d\\d</dd>`))
  assert.ok(text.includes(`<dt>Operator’s reference</dt><dd>${stored?.reference}</dd>`))
  assert.ok(text.includes(`<dt>Reference</dt><dd class="small">${externalId}</dd>`))
  const [, message = ''] = /href="https:\/\/wa\.me\/\?text=([^"]+)"/.exec(text) ?? []
  assert.match(decodeURIComponent(message), new RegExp(`^Paid 12,500 XOF to Test partner with Wave on .* Reference: ${stored?.reference}$`))
  const [, back = ''] = /<a class="button"[^>]* href="([^"]+)">Back to Test partner/.exec(text) ?? []
  assert.equal(back.replaceAll('&amp;', '&'), `https://shop.example/orders?from=pay&externalId=${externalId}&status=SUCCESS`)
  assert.ok(text.includes('<a class="dial" href="tel:+221338000000">+221 33 800 00 00</a>'))
})

test('a second try after a failure only where the application offers it', async () => {
  const { payToken, externalId } = await collect('221772093902')
  await until(payToken, 'Not paid')
  await set(PAGE)
  const without = await read(payToken)
  assert.ok(without.text.includes('ask Test partner for a new request') && !without.text.includes('Try again'))
  await set({ ...PAGE, offersRetry: true })
  const { text } = await read(payToken)
  const address = `https://shop.example/orders?from=pay&amp;externalId=${externalId}&amp;status=FAILED`
  assert.ok(text.includes(`href="${address}">Try again`) && !text.includes('for a new request'))
  await set(NO_CUSTOMER_PAGE)
  const bare = await read(payToken)
  assert.ok(!bare.text.includes('class="button"') && !bare.text.includes('<img'))
})

test('the state changes when and only when the page has something else to show, and is final with it; under 30 bytes', async () => {
  const { payToken } = await collect('221772093914')
  const { text } = await until(payToken, 'Pay with Wave')
  const state = await read(`${payToken}/state`)
  assert.ok(text.includes(`data-state="${state.text}"`) && Buffer.byteLength(state.text) < 30)
  assert.deepEqual([state.headers.get('cache-control'), state.headers.get('content-security-policy')], ['no-store', null])
  assert.equal((await read(`${payToken}/state`)).text, state.text)
  const [, link = ''] = /<a class="button"[^>]* href="([^"]+)"/.exec(text) ?? []
  await fetch(link, { method: 'POST', redirect: 'manual' })
  await harness.database.pool.query("update operator_work set next_at = now() where state = 'submitted'")
  await waitUntil('the state is final', async () => (await read(`${payToken}/state`)).text === 'final' || undefined)
  assert.ok((await read(payToken)).text.includes('<main data-final>'))
  for (const wrong of [randomUUID(), 'x', '']) assert.equal((await read(`${wrong}/state`)).status, 404, wrong)
})

test('the language that was chosen is kept where the operator leads back to an address without it', async () => {
  const { payToken } = await collect('221772093914')
  const chosen = await read(`${payToken}?lang=fr`)
  const [, cookie = ''] =
    /^(pay_lang=fr); Path=\/pay; Max-Age=86400; SameSite=Lax; HttpOnly$/.exec(chosen.headers.get('set-cookie') ?? '') ?? []
  const returned = await read(payToken, { cookie: `other=1; ${cookie}` })
  assert.ok(returned.text.includes('<html lang="fr">'))
  assert.equal(returned.headers.get('set-cookie'), null)
  assert.ok((await read(payToken, { cookie: 'pay_lang=xx' })).text.includes('<html lang="en">'))
})

test('the picture is served once for a year, by its content, and nothing else is; 404 for the rest', async () => {
  await set(PAGE)
  const { payToken } = await collect('221772093914')
  const [, address = ''] = /<img src="(\/pay\/logo\/[0-9a-f]{64})"/.exec((await read(payToken)).text) ?? []
  const picture = await fetch(harness.baseUrl + address)
  assert.equal(Buffer.from(await picture.arrayBuffer()).toString('base64'), GIF.split(',')[1])
  assert.deepEqual(
    ['content-type', 'x-content-type-options', 'cache-control', 'content-security-policy'].map((name) => picture.headers.get(name)),
    ['image/gif', 'nosniff', 'public, max-age=31536000, immutable', "default-src 'none'; sandbox"],
  )
  for (const wrong of ['0'.repeat(64), 'x', '..%2f', "'--"]) assert.equal((await read(`logo/${wrong}`)).status, 404, wrong)
  await set(NO_CUSTOMER_PAGE)
  assert.equal((await fetch(harness.baseUrl + address)).status, 404)
})

test('a whole payment with a minute of waiting costs a customer at most 9 KB, and the page is compressed where the client reads that', async () => {
  await set(PAGE)
  const { payToken } = await collect('221772093914')
  const waiting = await until(payToken, 'Pay with Wave')
  const plain = await fetch(`${harness.baseUrl}/pay/${payToken}`, { headers: { 'accept-encoding': 'identity' } })
  assert.equal(plain.headers.get('content-encoding'), null)
  const zipped = await fetch(`${harness.baseUrl}/pay/${payToken}`, { headers: { 'accept-encoding': 'gzip' } })
  assert.deepEqual([zipped.headers.get('content-encoding'), zipped.headers.get('vary')], ['gzip', 'accept-encoding'])
  const state = await fetch(`${harness.baseUrl}/pay/${payToken}/state`)
  const script = await (await fetch(`${harness.baseUrl}/pay/live.js`)).text()
  const [, link = ''] = /<a class="button"[^>]* href="([^"]+)"/.exec(waiting.text) ?? []
  await fetch(link, { method: 'POST', redirect: 'manual' })
  await harness.database.pool.query("update operator_work set next_at = now() where state = 'submitted'")
  const paid = await until(payToken, 'class="state ok"')
  const content = await fetch(`${harness.baseUrl}/pay/${payToken}/content?lang=en`, { headers: { 'accept-encoding': 'gzip' } })
  const result = await content.text()
  assert.ok(result.startsWith('<main data-final>') && paid.text.includes(result))
  assert.equal((await fetch(`${harness.baseUrl}/pay/${payToken.slice(1)}x/content`)).status, 404)
  const headBytes = (headers: Headers) => [...headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 20)
  const sizes = {
    page: gzipSync(waiting.text).length + headBytes(waiting.headers),
    script: gzipSync(script).length + 250,
    picture: 43 + 300,
    states: 15 * (headBytes(state.headers) + (await state.text()).length),
    result: gzipSync(result).length + headBytes(content.headers),
  }
  const sum = Object.values(sizes).reduce((all, bytes) => all + bytes, 0)
  assert.ok(sum <= 9_000, JSON.stringify(sizes))
})

test('a contact is text, whatever it contains', async () => {
  await set({ ...PAGE, support: '<b>"x"</b> & co' })
  const { payToken } = await collect('221772093914')
  const { text } = await read(payToken)
  assert.ok(text.includes('&lt;b&gt;&quot;x&quot;&lt;/b&gt; &amp; co') && !text.includes('<b>'))
  for (const [support, address] of [
    ['https://shop.example/help', 'https://shop.example/help'],
    ['help@shop.example', 'mailto:help@shop.example'],
  ] as const) {
    await set({ ...PAGE, support })
    assert.ok((await read(payToken)).text.includes(`<a href="${address}">${support}</a>`))
  }
})

import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import type { PushSubscriptionKeys } from '#lib/people/browsers.ts'
import type { NoticeCause } from '#lib/webhooks/notice-event.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { systemClock } from '#server/clock.ts'
import { bumpSessionEpoch } from '#server/people/sign-in/sessions.ts'
import { aBand, anIntakeItem } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { CHOSEN_CAUSES, changeNoticeSettings, noticePreferencesSchema } from '../notice-preferences.ts'
import { DEFAULT_TIMES, type NoticeTimes } from '../notice-times.ts'
import { sendNotices } from '../send-notices.ts'
import { openMailDesk } from '../testing/mail-desk.ts'
import { loopbackPush } from '../testing/push-receiver.ts'
import { findPushKeys, listBrowsers } from './browser-store.ts'
import { addBrowser, pushKeys, removeBrowser, subscriptionSchema, testBrowser } from './browsers.ts'
import { testNotification } from './write-notification.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
let desk: Awaited<ReturnType<typeof openMailDesk>>
let checker: string
beforeEach(async () => {
  desk = await openMailDesk()
  checker = await desk.person('checker', 'engineer')
})
afterEach(() => desk.close())

const later = (durationMs: number) => new Date(Date.now() + durationMs)
const startWaiting = () => takeIn(desk.pool, [anIntakeItem(desk.applicationId, { bands: [aBand()] })])
const isDown = (operator: string) =>
  desk.query("insert into operator_circuits (operator, type, state, since) values ($1, 'DEPOSIT', 'CLOSED', now())", [operator])
const want = (delivery: 'at_once' | 'never', inBrowser: readonly (typeof CHOSEN_CAUSES)[number][], times: NoticeTimes = DEFAULT_TIMES) =>
  changeNoticeSettings(desk.pool, checker, {
    causes: noticePreferencesSchema.parse(Object.fromEntries(CHOSEN_CAUSES.map((cause: NoticeCause) => [cause, delivery]))),
    inBrowser: [...inBrowser],
    times,
  })
const shown = () =>
  desk.browsers.received.map(({ browser, notification }) => `${browser}: ${notification['title']}: ${notification['body']}`)
const statesOf = async () =>
  (await desk.query('select state from notice_messages where browser_id is not null order by state')).map(({ state }) => state)
const namesOf = async (personId = checker) => (await listBrowsers(desk.pool, personId)).map(({ name }) => name)

test('201: a notification in each browser of the person, in their language, encrypted for the browser and signed for its push service', async () => {
  for (const name of ['office', 'phone']) must(await desk.turnOn(checker, name))
  await desk.query("update people set locale = 'fr' where person_id = $1", [checker])
  await startWaiting()
  await desk.send()
  await desk.send()
  const text = 'Douala & Co: Des transactions attendent votre approbation'
  assert.deepEqual(shown().sort(), [`office: ${text}`, `phone: ${text}`])
  assert.deepEqual([await statesOf(), desk.told().length], [['sent', 'sent'], 1])
  const [first, second] = desk.browsers.received
  assert.deepEqual([first?.notification['path'], first?.notification['lang']], ['/douala-co/approvals', 'fr'])
  assert.deepEqual([first?.headers['ttl'], first?.headers['content-encoding']], ['86400', 'aes128gcm'])
  assert.equal(first?.headers['topic'], first?.notification['tag'])
  assert.notEqual(first?.notification['tag'], second?.notification['tag'])
})

test('a notification without a mail server too, and no mail about it later', async () => {
  must(await desk.turnOn(checker, 'office'))
  await startWaiting()
  const { pool, push } = desk
  await sendNotices({ pool, reportPool: pool, push, transport: undefined, publicUrl: 'https://pay.example', now: () => new Date() })
  await desk.send()
  assert.deepEqual([desk.browsers.received.length, desk.told()], [1, []])
})

test('only in the browser: a cause that is wanted there and not by mail; nowhere: one that is wanted in neither', async () => {
  must(await desk.turnOn(checker, 'office'))
  await want('never', ['operator_down'])
  await startWaiting()
  await isDown('MOMOCM')
  await desk.send()
  assert.deepEqual([shown(), desk.told()], [['office: Douala & Co: An operator does not accept payments (MTN Cameroon, Deposit)'], []])
})

test('dropped: a notification that is no longer wanted when it is repeated', async () => {
  must(await desk.turnOn(checker, 'office'))
  desk.browsers.behaviour.status = 503
  await startWaiting()
  await desk.send()
  await want('at_once', [])
  desk.browsers.behaviour.status = 201
  await desk.send(later(HOUR_MS))
  assert.deepEqual([desk.browsers.received.length, await statesOf()], [1, ['dropped']])
})

test('one notification at the end of quiet hours about everything that came meanwhile; a sign-in from a new device at once', async () => {
  must(await desk.turnOn(checker, 'office'))
  await desk.query("update people set time_zone = 'UTC' where person_id = $1", [checker])
  await want('never', CHOSEN_CAUSES, { digestHour: 12, quietFrom: 22, quietUntil: 7 })
  await isDown('MOMOCM')
  await desk.send(new Date('2030-03-01T22:30:00Z'))
  await startWaiting()
  await desk.send(new Date('2030-03-02T06:59:00Z'))
  assert.deepEqual(shown(), [])
  await desk.query("insert into notices (cause, subject_id) values ('new_device', $1)", [checker])
  await desk.send(new Date('2030-03-02T06:59:30Z'))
  assert.deepEqual(shown(), ['office: Countersign: Your account was used to sign in from a new device'])
  await desk.send(new Date('2030-03-02T07:00:00Z'))
  const both =
    'Douala & Co: An operator does not accept payments (MTN Cameroon, Deposit)\nDouala & Co: Transactions are waiting for your approval'
  assert.deepEqual(shown().slice(1), [`office: 2 notifications from Countersign: ${both}`])
  assert.equal(desk.browsers.received[1]?.notification['path'], '/douala-co/waiting')
})

for (const status of [404, 410])
  test(`${status}: the browser is removed, and the person's other one is told`, async () => {
    must(await desk.turnOn(checker, 'office'))
    desk.browsers.behaviour.status = status
    await startWaiting()
    await desk.send()
    assert.deepEqual([await namesOf(), await statesOf()], [[], []])
    desk.browsers.behaviour.status = 201
    must(await desk.turnOn(checker, 'phone'))
    await isDown('MOMOCM')
    await desk.send(later(HOUR_MS))
    assert.deepEqual(
      desk.browsers.received.map(({ browser }) => browser),
      ['office', 'phone'],
    )
  })

for (const [name, retryAfter] of [
  ['seconds', () => '7200'],
  ['a date', () => new Date(Date.now() + 2 * HOUR_MS).toUTCString()],
] as const)
  test(`429: not repeated before its Retry-After, as ${name}`, async () => {
    must(await desk.turnOn(checker, 'office'))
    Object.assign(desk.browsers.behaviour, { status: 429, headers: { 'retry-after': retryAfter() } })
    await startWaiting()
    await desk.send()
    Object.assign(desk.browsers.behaviour, { status: 201, headers: {} })
    await desk.send(later(119 * MINUTE_MS))
    assert.deepEqual([desk.browsers.received.length, await statesOf()], [1, ['waiting']])
    await desk.send(later(121 * MINUTE_MS))
    assert.deepEqual([desk.browsers.received.length, await statesOf()], [2, ['sent']])
  })

test('503: repeated after a pause, as a mail; given up after twelve attempts', async () => {
  must(await desk.turnOn(checker, 'office'))
  desk.browsers.behaviour.status = 503
  await startWaiting()
  await desk.send()
  await desk.send(later(5 * MINUTE_MS))
  assert.deepEqual([desk.browsers.received.length, await statesOf()], [2, ['waiting']])
  for (let day = 1; day <= 12; day++) await desk.send(later(day * 24 * HOUR_MS))
  assert.deepEqual([desk.browsers.received.length, await statesOf()], [12, ['failed']])
})

test('not repeated within an hour, then under the same topic: a notification whose connection broke when it was taken', async () => {
  must(await desk.turnOn(checker, 'office'))
  desk.browsers.behaviour.onReceived = () => undefined
  await startWaiting()
  await desk.send()
  delete desk.browsers.behaviour.onReceived
  await desk.send(later(59 * MINUTE_MS))
  assert.deepEqual([desk.browsers.received.length, await statesOf()], [1, ['unknown']])
  await desk.send(later(61 * MINUTE_MS))
  assert.deepEqual([desk.browsers.received.length, await statesOf()], [2, ['sent']])
  assert.equal(new Set(desk.browsers.received.map(({ headers }) => headers['topic'])).size, 1)
})

test('neither lost nor sent twice within an hour: the notification of a process that is killed when the push service has taken it', async () => {
  must(await desk.turnOn(checker, 'office'))
  await want('never', ['approval_waiting'])
  await startWaiting()
  await desk.sendKilled()
  assert.deepEqual([desk.browsers.received.length, await statesOf()], [1, ['sending']])
  for (const minutes of [0, 6, 58]) await desk.send(later(minutes * MINUTE_MS))
  assert.deepEqual([desk.browsers.received.length, await statesOf()], [1, ['unknown']])
  await desk.send(later(62 * MINUTE_MS))
  assert.deepEqual([desk.browsers.received.length, await statesOf()], [2, ['sent']])
  assert.equal(desk.browsers.received[0]?.notification['tag'], desk.browsers.received[1]?.notification['tag'])
})

test('one notification, and one key pair, when four processes begin at once', async () => {
  const made = await Promise.all(Array.from({ length: 4 }, () => pushKeys(desk.pool)))
  assert.equal(new Set(made.map(({ publicKey }) => publicKey)).size, 1)
  must(await desk.turnOn(checker, 'office'))
  await startWaiting()
  await Promise.all(Array.from({ length: 4 }, () => desk.send()))
  assert.equal(desk.browsers.received.length, 1)
})

test('nothing to a suspended member and a blocked person; no browsers after signing out everywhere', async () => {
  const [suspended, blocked, left] = [await desk.person('checker'), await desk.person('checker'), await desk.person('checker')]
  for (const [personId, name] of [
    [suspended, 'a'],
    [blocked, 'b'],
    [left, 'c'],
    [checker, 'office'],
  ] as const)
    must(await desk.turnOn(personId, name))
  await startWaiting()
  await desk.query('update memberships set is_active = false where person_id = $1', [suspended])
  await desk.query('update people set is_blocked = true where person_id = $1', [blocked])
  must(await bumpSessionEpoch(desk.pool, { personId: left, actor: SYSTEM_ACTOR }))
  await desk.send()
  assert.deepEqual(
    desk.browsers.received.map(({ browser }) => browser),
    ['office'],
  )
  assert.deepEqual([await namesOf(left), await namesOf(suspended)], [[], ['a']])
})

test('nothing more to the person who used a browser before another person turned it on', async () => {
  const other = await desk.person('finance')
  const subscription = desk.browsers.subscribe('shared', (await pushKeys(desk.pool)).publicKey)
  const deps = { pool: desk.pool, clock: systemClock }
  for (const personId of [checker, other])
    must(await addBrowser(deps, { personId, name: 'shared', subscription, allowsPrivateTargets: true }))
  await startWaiting()
  await desk.send()
  assert.deepEqual([await namesOf(), await namesOf(other), desk.browsers.received], [[], ['shared'], []])
})

const SUBSCRIPTION: PushSubscriptionKeys = {
  endpoint: 'https://push.example/a',
  p256dh: 'BIfBy6mENmwdFxcCmp_38l4aibGJm_OB_szyEOCIG_xKbNq0lrnuGb5C9h-RphfTK7sH1S6GBqS7jsCexkK9rLk',
  auth: 'A'.repeat(22),
}
const add = (endpoint: string, allowsPrivateTargets = false) =>
  addBrowser(
    { pool: desk.pool, clock: systemClock },
    { personId: checker, name: 'x', subscription: { ...SUBSCRIPTION, endpoint }, allowsPrivateTargets },
  )

test('invalid_address: without https, with a password, at a private address, at none; in a sandbox other http than this machine', async () => {
  for (const endpoint of [
    'http://push.example/a',
    'https://user:word@push.example/a',
    'https://10.0.0.1/a',
    'https://127.0.0.1/a',
    'https://[::1]/a',
    'https://169.254.169.254/latest',
    'https://0x7f000001/a',
    'push.example',
    'file:///etc/passwd',
  ])
    assert.deepEqual(await add(endpoint), { ok: false, error: 'invalid_address' }, endpoint)
  for (const endpoint of ['http://push.example/a', 'http://10.0.0.1/a', 'https://10.0.0.1/a'])
    assert.deepEqual(await add(endpoint, true), { ok: false, error: 'invalid_address' }, endpoint)
})

test('invalid: a long address, a key that is no point of the curve, a secret of another length', () => {
  assert.ok(subscriptionSchema.safeParse(SUBSCRIPTION).success)
  for (const wrong of [
    { endpoint: `https://push.example/${'a'.repeat(1_024)}` },
    { p256dh: Buffer.alloc(65, 4).toString('base64url') },
    { p256dh: SUBSCRIPTION.auth },
    { auth: 'AAAA' },
    { auth: SUBSCRIPTION.p256dh },
  ])
    assert.ok(!subscriptionSchema.safeParse({ ...SUBSCRIPTION, ...wrong }).success, JSON.stringify(wrong))
})

test('too_many_browsers: the eleventh, though two are added at once', async () => {
  for (let count = 0; count < 9; count++) must(await add(`https://push.example/${count}`))
  const last = await Promise.all([add('https://push.example/x'), add('https://push.example/y')])
  assert.deepEqual(
    last.filter(({ ok }) => !ok),
    [{ ok: false, error: 'too_many_browsers' }],
  )
  assert.equal((await namesOf()).length, 10)
})

test('told, though the subscription of another browser cannot be decrypted: the next browser', async () => {
  for (const name of ['broken', 'office']) must(await desk.turnOn(checker, name))
  await desk.query("update notice_browsers set subscription = 'sealed:1:none:AAAA' where name = 'broken'")
  await startWaiting()
  await desk.send()
  assert.deepEqual([desk.browsers.received.map(({ browser }) => browser), await statesOf()], [['office'], ['sent', 'waiting']])
})

test('nothing arrives at an address on this machine from an installation that is no sandbox', async () => {
  must(await desk.turnOn(checker, 'office'))
  await startWaiting()
  const push = loopbackPush(desk.pool, { allowsPrivateTargets: false })
  const { pool } = desk
  await sendNotices({ pool, reportPool: pool, push, transport: undefined, publicUrl: 'https://pay.example', now: () => new Date() })
  assert.deepEqual([desk.browsers.received, await statesOf()], [[], ['waiting']])
})

test('a test arrives at once; too_soon for the next, not_found for a browser of another person, browser_gone and not_sent by the push service', async () => {
  const clock = { now: () => now }
  let now = new Date()
  const deps = { pool: desk.pool, clock, push: desk.push }
  must(await desk.turnOn(checker, 'office'))
  const [browser] = await listBrowsers(desk.pool, checker)
  assert.ok(browser)
  const request = { personId: checker, browserId: browser.browserId, notification: testNotification('en', 'douala-co') }
  must(await testBrowser(deps, request))
  assert.deepEqual(shown(), ['office: Countersign: Notifications work in this browser.'])
  assert.deepEqual(await testBrowser(deps, request), { ok: false, error: 'too_soon' })
  assert.deepEqual(await testBrowser(deps, { ...request, personId: await desk.person('maker') }), { ok: false, error: 'not_found' })
  for (const [status, error] of [
    [500, 'not_sent'],
    [410, 'browser_gone'],
    [201, 'not_found'],
  ] as const) {
    now = new Date(now.getTime() + 11_000)
    desk.browsers.behaviour.status = status
    assert.deepEqual(await testBrowser(deps, request), { ok: false, error }, String(status))
  }
})

test('removed by its person alone, and recorded', async () => {
  must(await desk.turnOn(checker, 'office'))
  const [browser] = await listBrowsers(desk.pool, checker)
  assert.ok(browser)
  const { browserId } = browser
  const other = await desk.person('maker')
  assert.deepEqual(await removeBrowser(desk.pool, { personId: other, browserId }), { ok: false, error: 'not_found' })
  must(await removeBrowser(desk.pool, { personId: checker, browserId }))
  await startWaiting()
  await desk.send()
  const recorded = await desk.query("select distinct action from audit_entries where action like 'person.browser%' order by action")
  assert.deepEqual([desk.browsers.received, recorded.map(({ action }) => action)], [[], ['person.browser_added', 'person.browser_removed']])
})

test('sealed: the address and keys of a browser, and the private key of the installation', async () => {
  const subscription = desk.browsers.subscribe('office', (await pushKeys(desk.pool)).publicKey)
  await addBrowser({ pool: desk.pool, clock: systemClock }, { personId: checker, name: 'x', subscription, allowsPrivateTargets: true })
  const rows = await desk.query('select b::text || k::text as text from notice_browsers b, push_keys k')
  const keys = await findPushKeys(desk.pool)
  for (const secret of [...Object.values(subscription), keys?.privateKey ?? ''])
    assert.ok(rows.every(({ text }) => secret !== '' && !text.includes(secret)))
})

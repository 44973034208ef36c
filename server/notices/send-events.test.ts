import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, beforeEach, test } from 'node:test'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { setEventReceiver } from '#server/applications/event-receiver.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { generateWebhookSecret } from '#server/credentials/secrets.ts'
import { storeAvailability } from '#server/operators/availability/availability-store.ts'
import { aBand, anIntakeItem, makeApplication } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { createGuardedSenders } from '#server/webhooks/send/send-webhook.ts'
import { verifyWebhook } from '#server/webhooks/send/sign-webhook.ts'
import { closeAtEnd, closeEverything, type Receiver, startReceiver } from '#server/webhooks/testing.ts'
import { claimEvents, listEvents } from './event-store.ts'
import { sendEvents } from './send-events.ts'
import { sendNotices } from './send-notices.ts'
import { openMailDesk } from './testing/mail-desk.ts'

const SECRET = generateWebhookSecret()
let desk: Awaited<ReturnType<typeof openMailDesk>>
let status: number
let receiver: Receiver
let onReceived: () => void
beforeEach(async () => {
  desk = await openMailDesk()
  status = 200
  onReceived = () => undefined
  receiver = await startReceiver((response) => {
    onReceived()
    response.writeHead(status).end()
  })
  await receiveAt(receiver.url)
})
afterEach(async () => {
  await closeEverything()
  await desk.close()
})

const receiveAt = async (url: string | null, applicationId = desk.applicationId) =>
  must(await setEventReceiver(desk.pool, { applicationId, url, actor: SYSTEM_ACTOR }))
const later = (seconds: number) => new Date(Date.now() + seconds * 1_000)
const isDown = (operator: OperatorCode = 'MOMOCM') =>
  storeAvailability(desk.pool, { operator, type: 'DEPOSIT', state: 'CLOSED', fault: undefined, settingsVersion: undefined })
const rows = () => listEvents(desk.pool, desk.applicationId, 50)
const statesOf = async () => (await rows()).map(({ state, attempts, outcome }) => [state, attempts, outcome])

async function send(at = new Date(), allowsPrivateTargets = true): Promise<void> {
  const senders = createGuardedSenders({ allowsPrivateTargets, idleConnectionsMax: 0 })
  closeAtEnd(senders)
  const receiverOf = () => ({ secrets: [{ secret: SECRET, expiresAt: null }], networks: [] })
  await sendEvents({ pool: desk.pool, senders, receiverOf, publicUrl: 'https://pay.example', now: () => at })
}

test('one signed webhook for an operator that is down, without a mail server too', async () => {
  await isDown()
  await isDown()
  await sendNotices({
    pool: desk.pool,
    reportPool: desk.pool,
    push: desk.push,
    transport: undefined,
    publicUrl: 'https://pay.example',
    now: () => new Date(),
  })
  await send()
  await send()
  const [request, ...others] = receiver.received
  assert.deepEqual([others, await statesOf()], [[], [['delivered', 1, 'delivered']]])
  const [event] = await rows()
  assert.equal(request?.headers['webhook-id'], `evt_${event?.noticeId}`)
  assert.ok(verifyWebhook(request?.headers as Record<string, string>, request?.body ?? '', SECRET, new Date()))
  assert.deepEqual(JSON.parse(request?.body ?? ''), {
    type: 'operator_down',
    timestamp: event?.createdAt,
    data: { subjectId: desk.applicationId, operator: 'MOMOCM', transactionType: 'DEPOSIT', url: 'https://pay.example/douala-co' },
  })
})

test('no event of an application without a receiver, of another application, and of a sign-in; none when its cause is rolled back', async () => {
  await receiveAt(null)
  const other = await makeApplication(desk.pool, 'Other')
  await receiveAt(receiver.url, other)
  await desk.query(`insert into notices (cause, subject_id) values ('new_device', gen_random_uuid())`)
  await desk.query(
    "begin; insert into notices (application_id, cause, subject_id) select application_id, 'batch_ended', application_id from applications; rollback",
  )
  assert.deepEqual(await desk.query('select 1 from event_deliveries'), [])
  await isDown()
  assert.deepEqual(await desk.query('select application_id as id from event_deliveries'), [{ id: other }])
})

test('four attempts of the same bytes under one id: at once, after 30 s, 2 min and 10 min; then exhausted', async () => {
  status = 500
  await isDown()
  for (const seconds of [0, 29, 31, 140, 155, 700, 760, 5_000]) await send(later(seconds))
  assert.equal(receiver.received.length, 4)
  assert.equal(new Set(receiver.received.map(({ body, headers }) => `${headers['webhook-id']} ${body}`)).size, 1)
  assert.deepEqual(await statesOf(), [['exhausted', 4, 'bad_status']])
})

test('neither lost nor sent twice within its lease, then under the same id: the event of a process that is killed when the receiver has it', async () => {
  await isDown()
  const script = new URL('testing/send-events-once.ts', import.meta.url).pathname
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, desk.database.url, SECRET], { stdio: 'inherit' })
  onReceived = () => child.kill('SIGKILL')
  const [, signal] = await once(child, 'exit')
  onReceived = () => undefined
  assert.deepEqual([signal, receiver.received.length, await statesOf()], ['SIGKILL', 1, [['due', 1, null]]])
  await send(later(15))
  assert.equal(receiver.received.length, 1)
  await send(later(31))
  assert.deepEqual(await statesOf(), [['delivered', 2, 'delivered']])
  const [first, second] = receiver.received
  assert.deepEqual([first?.body, first?.headers['webhook-id']], [second?.body, second?.headers['webhook-id']])
})

test('exhausted as interrupted: an event whose fourth attempt never ended', async () => {
  await isDown()
  await desk.query("update event_deliveries set attempts = 4, claimed_until = now() + interval '30 seconds'")
  await send(later(29))
  assert.deepEqual(await statesOf(), [['due', 4, null]])
  await send(later(31))
  assert.deepEqual([receiver.received.length, await statesOf()], [0, [['exhausted', 4, 'interrupted']]])
})

test('one webhook when four processes send at once', async () => {
  await isDown()
  await isDown('OMCM')
  await Promise.all(Array.from({ length: 4 }, () => send()))
  assert.equal(receiver.received.length, 2)
})

test('two events of each application where each may have two of four, however long another one has waited', async () => {
  const other = await makeApplication(desk.pool, 'Other')
  await receiveAt(receiver.url, other)
  for (const operator of ['MOMOCM', 'OMCM', 'SNOM'] as const) await isDown(operator)
  await desk.query("update event_deliveries set next_at = now() - interval '1 hour'")
  await desk.pool.query("update event_deliveries set next_at = now() - interval '1 day' where application_id = $1", [other])
  const claimed = await claimEvents(desk.pool, new Date(), { countMax: 4, eachMax: 2, leaseMs: 1_000 })
  assert.deepEqual(claimed.map(({ applicationId }) => applicationId).sort(), [desk.applicationId, desk.applicationId, other, other].sort())
})

test('refused_target for an address of this machine, where no sandbox allows it', async () => {
  await isDown()
  await send(new Date(), false)
  assert.deepEqual([receiver.received.length, (await statesOf())[0]?.[2]], [0, 'refused_target'])
})

test('to the address that was set when it happened: an event that waits while people set another one', async () => {
  await isDown()
  await receiveAt('https://elsewhere.example/events')
  await send()
  assert.equal(receiver.received.length, 1)
})

test('an event every fifteen minutes after the first two for transactions that begin to wait all the time, without a mail server too', async () => {
  const minute = async (minutes: number) => {
    await takeIn(desk.pool, [anIntakeItem(desk.applicationId, { bands: [aBand()] })])
    await sendNotices({
      pool: desk.pool,
      reportPool: desk.pool,
      push: desk.push,
      transport: undefined,
      publicUrl: 'https://pay.example',
      now: () => later(minutes * 60),
    })
    return (await rows()).length
  }
  assert.deepEqual([await minute(0), await minute(1), await minute(14), await minute(16), await minute(17)], [1, 2, 2, 2, 3])
})

test('invalid_webhook_url for an address that is none, or shows a secret; not_permitted for a maker', async () => {
  const { applicationId } = desk
  for (const url of ['ftp://a.example', 'https://user:secret@a.example/'])
    assert.deepEqual(await setEventReceiver(desk.pool, { applicationId, url, actor: SYSTEM_ACTOR }), {
      ok: false,
      error: 'invalid_webhook_url',
    })
  const actor = { kind: 'person', id: await desk.person('maker'), applicationId, roles: ['maker'] } as const
  assert.deepEqual(await setEventReceiver(desk.pool, { applicationId, url: null, actor }), { ok: false, error: 'not_permitted' })
})

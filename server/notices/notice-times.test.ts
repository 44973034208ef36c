import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { CHOSEN_CAUSES, changeNoticeSettings, noticePreferencesSchema } from './notice-preferences.ts'
import { DEFAULT_TIMES, type NoticeTimes, nextHourIn, noticeTimesSchema, quietEndOf } from './notice-times.ts'
import { openMailDesk } from './testing/mail-desk.ts'

const NIGHT: NoticeTimes = { digestHour: 8, quietFrom: 22, quietUntil: 7 }

for (const [zone, hour, after, expected] of [
  ['UTC', 6, '2030-03-01T05:59:59Z', '2030-03-01T06:00:00Z'],
  ['UTC', 6, '2030-03-01T06:00:00Z', '2030-03-02T06:00:00Z'],
  ['Africa/Douala', 0, '2030-03-01T12:00:00Z', '2030-03-01T23:00:00Z'],
  ['Africa/Kampala', 8, '2030-03-01T22:00:00Z', '2030-03-02T05:00:00Z'],
  ['Asia/Kolkata', 6, '2030-03-01T00:00:00Z', '2030-03-01T00:30:00Z'],
  // Clocks go from 2:00 to 3:00 on this day, and from 3:00 to 2:00 on the other.
  ['Europe/Paris', 2, '2030-03-30T23:30:00Z', '2030-03-31T01:00:00Z'],
  ['Europe/Paris', 2, '2030-10-26T23:00:00Z', '2030-10-27T00:00:00Z'],
] as const)
  test(`${expected}: the next ${hour} o’clock in ${zone} after ${after}`, () => {
    assert.equal(nextHourIn(zone, hour, new Date(after)).toISOString(), new Date(expected).toISOString())
  })

for (const [times, at, expected] of [
  [NIGHT, '2030-03-01T20:59:59Z', undefined],
  [NIGHT, '2030-03-01T21:00:00Z', '2030-03-02T06:00:00.000Z'],
  [NIGHT, '2030-03-02T05:59:59Z', '2030-03-02T06:00:00.000Z'],
  [NIGHT, '2030-03-02T06:00:00Z', undefined],
  [{ ...NIGHT, quietFrom: 12, quietUntil: 14 }, '2030-03-02T11:30:00Z', '2030-03-02T13:00:00.000Z'],
  [{ ...NIGHT, quietFrom: 12, quietUntil: 14 }, '2030-03-02T13:00:00Z', undefined],
  [DEFAULT_TIMES, '2030-03-02T02:00:00Z', undefined],
] as const)
  test(`${expected ?? 'no end'} of quiet hours from ${times.quietFrom} to ${times.quietUntil} in Douala at ${at}`, () => {
    assert.equal(quietEndOf(times, 'Africa/Douala', new Date(at))?.toISOString(), expected)
  })

test('invalid: an hour that no clock shows, quiet hours with one end, and those that never end', () => {
  for (const wrong of [{ digestHour: 24 }, { quietUntil: null }, { quietUntil: 22 }, { quietFrom: 7.5 }])
    assert.ok(!noticeTimesSchema.safeParse({ ...NIGHT, ...wrong }).success, JSON.stringify(wrong))
})

let desk: Awaited<ReturnType<typeof openMailDesk>>
let engineer: string
beforeEach(async () => {
  desk = await openMailDesk()
  engineer = await desk.person('engineer')
  await desk.query("update applications set time_zone = 'Africa/Douala'")
  await want('at_once', NIGHT)
})
afterEach(() => desk.close())

const want = (delivery: string, times: NoticeTimes) =>
  changeNoticeSettings(desk.pool, engineer, {
    causes: noticePreferencesSchema.parse(Object.fromEntries(CHOSEN_CAUSES.map((cause) => [cause, delivery]))),
    inBrowser: [],
    times,
  })
const isDown = (operator: string) =>
  desk.query(
    `insert into operator_circuits (operator, type, state, since) values ($1, 'DEPOSIT', 'CLOSED', now())
       on conflict (operator, type) do update set state = 'CLOSED'`,
    [operator],
  )
const signIn = (userAgent: string) =>
  desk.query(
    `insert into person_sessions (session_id, person_id, epoch, started_at, ends_at, last_used_at, address, user_agent)
       values (gen_random_uuid(), $1, 1, now(), now() + interval '12 hours', now(), '198.51.100.7', $2)`,
    [engineer, userAgent],
  )

test('one mail at the end of the quiet hours of the application’s zone, about everything that came meanwhile', async () => {
  await isDown('MOMOCM')
  await desk.send(new Date('2030-03-01T21:30:00Z'))
  await isDown('OMCM')
  await desk.send(new Date('2030-03-02T02:00:00Z'))
  await desk.send(new Date('2030-03-02T05:59:00Z'))
  assert.deepEqual(desk.told(), [])
  await desk.send(new Date('2030-03-02T06:00:00Z'))
  assert.deepEqual(desk.told(), [`${engineer}: 2 notifications from Countersign`])
})

test('quiet hours and the digest in the person’s own zone, where they have one', async () => {
  await desk.query("update people set time_zone = 'Asia/Kolkata' where person_id = $1", [engineer])
  await isDown('MOMOCM')
  await desk.send(new Date('2030-03-02T01:29:00Z'))
  assert.deepEqual(desk.told(), [])
  await desk.send(new Date('2030-03-02T01:30:00Z'))
  assert.equal(desk.told().length, 1)
  await want('digest', NIGHT)
  await isDown('OMCM')
  await desk.send(new Date('2030-03-02T02:00:00Z'))
  await desk.send(new Date('2030-03-02T02:29:00Z'))
  assert.equal(desk.told().length, 1)
  await desk.send(new Date('2030-03-02T02:30:00Z'))
  assert.equal(desk.told().length, 2)
})

test('at once, in quiet hours too: the sign-in from a new device', async () => {
  await desk.query("update people set time_zone = 'Africa/Douala' where person_id = $1", [engineer])
  for (const userAgent of ['Firefox', 'Chrome']) await signIn(userAgent)
  await desk.send(new Date('2030-03-02T01:00:00Z'))
  assert.deepEqual(desk.told(), [`${engineer}: Your account was used to sign in from a new device`])
})

test('at once, in quiet hours too: a new passkey', async () => {
  await desk.query("update people set time_zone = 'Africa/Douala' where person_id = $1", [engineer])
  await desk.query(
    `insert into passkeys (credential_id, person_id, name, public_key, sign_count, transports, created_at)
       values ('credential', $1, 'Phone', '\\x00', 0, '{}', now())`,
    [engineer],
  )
  await desk.send(new Date('2030-03-02T01:00:00Z'))
  assert.deepEqual(desk.told(), [`${engineer}: A passkey was added to your account`])
})

test('held back until the morning: a mail that the server refused in the evening, and a digest whose hour is a quiet one', async () => {
  await isDown('MOMOCM')
  desk.smtp.behaviour.answer = '451 later'
  await desk.send(new Date('2030-03-01T20:59:30Z'))
  desk.smtp.behaviour.answer = '250 taken'
  await desk.send(new Date('2030-03-01T22:00:00Z'))
  assert.deepEqual(desk.told(), [])
  await desk.send(new Date('2030-03-02T06:00:00Z'))
  assert.equal(desk.told().length, 1)
  await want('digest', { ...NIGHT, digestHour: 3 })
  await isDown('OMCM')
  await desk.send(new Date('2030-03-02T12:00:00Z'))
  await desk.send(new Date('2030-03-03T02:00:00Z'))
  assert.equal(desk.told().length, 1)
  await desk.send(new Date('2030-03-03T06:00:00Z'))
  assert.equal(desk.told().length, 2)
})

test('one line for what was reported several times in the night', async () => {
  await desk.query('insert into balance_thresholds values ($1, $2, 100000001, $3)', [desk.applicationId, 'MOMOCM', engineer])
  const finance = await desk.person('finance')
  await changeNoticeSettings(desk.pool, finance, {
    causes: noticePreferencesSchema.parse(Object.fromEntries(CHOSEN_CAUSES.map((cause) => [cause, 'at_once']))),
    inBrowser: [],
    times: NIGHT,
  })
  for (const hour of [22, 23]) {
    await desk.query(`insert into notices (application_id, cause, subject_id, operator) values ($1, 'balance_low', $1, 'MOMOCM')`, [
      desk.applicationId,
    ])
    await desk.send(new Date(`2030-03-01T${hour}:00:00Z`))
  }
  await desk.send(new Date('2030-03-02T06:00:00Z'))
  assert.deepEqual(desk.told(), [`${finance}: A deposit balance is low`])
  assert.equal(desk.textOf('A deposit balance is low').split('A deposit balance is low (MTN Cameroon)').length, 3)
})

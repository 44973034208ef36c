import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { FLOAT_MESSAGE } from '#lib/payments/transactions/transaction-status.ts'
import type { Role } from '#lib/people/permissions.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import type { Connector } from '#server/operators/connector.ts'
import { OperatorHarness } from '#server/operators/testing/operator-harness.ts'
import { readTransactionDetail } from '#server/reports/transaction-detail/transaction-detail.ts'
import { makeApplication, makePerson } from '#server/testing/factories.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import type { IntakeItem } from '#server/transactions/intake.ts'
import { listDisturbed } from '../availability/disturbed.ts'
import { endUnsentDeposits } from '../work/end-unsent-deposits.ts'
import { storeAnswers } from '../work/operator-work-store.ts'
import { listFloatWaits, releaseFloat } from './float-store.ts'
import { pollWaiting } from './poll-balances.ts'
import { sendDespiteShortage } from './send-despite-shortage.ts'
import { Account, EXCHANGE, SHORT } from './testing/account.ts'

let harness: OperatorHarness
before(async () => {
  harness = await OperatorHarness.open()
})
beforeEach(async () => {
  await harness.database.pool.query('delete from operator_floats')
  await harness.database.pool.query('delete from operator_float_sent')
})
// Also of a test that failed: what it left must not be sent in the next one.
afterEach(async () => {
  await Promise.all(harness.dispatchers.splice(0).map((dispatcher) => dispatcher.drain()))
  await harness.database.pool.query('delete from operator_work')
})
after(() => harness.close())

const anAccount = (minor: bigint, overrides?: Partial<Connector>, floorMinor?: bigint) => new Account(harness, minor, overrides, floorMinor)
const make = (amountMinor: bigint) => harness.make({ operator: 'OMCM', amountMinor })
const waits = () => listFloatWaits(harness.database.pool)
const statusOf = async (item: IntakeItem) => (await harness.read(item)).status
const untilWaiting = () => waitUntil('deposits wait for float', async () => (await waits()).length === 1)
/** Lets deposits that wait be claimed again without the pause of five seconds. */
const tryNow = () => harness.database.pool.query("update operator_floats set try_at = now() where try_at < 'infinity'")

/** Reports again and again: what was open at one report counts as not in it yet, and the next one shows that it is. */
function untilAsked(account: Account, count: number): Promise<unknown> {
  return waitUntil('what is covered is sent', async () => {
    await account.report(pollWaiting)
    return account.asked.length === count
  })
}

test('queued behind those that wait for float, also once the account covers it: a deposit that is created meanwhile', async () => {
  const { pool } = harness.database
  await pool.query(
    `insert into operator_floats (operator, reported_minor, available_minor, sent_before_minor, reported_at, floor_minor, waits_since, try_at)
       values ('OMCM', 100000000, 100000000, 0, now(), 0, now() - interval '1 minute', now())`,
  )
  const taken = async (isNew: boolean) => {
    const { rows } = await pool.query('select take_float($1, $2, case when $3 then null else now() end) as count', ['OMCM', [100n], isNew])
    return rows[0]?.count
  }
  assert.deepEqual([await taken(true), await taken(false), await taken(true)], [0, 1, 1])
})

test('queued behind older ones that a person has released, until those were sent: a deposit that is created meanwhile', async () => {
  const { pool } = harness.database
  const account = anAccount(10_00n)
  await account.report()
  const older = await make(100_00n)
  await pool.query("update operator_floats set waits_since = now(), try_at = now() + interval '5 seconds'")
  account.minor += 500_00n
  assert.equal(await releaseFloat(pool, 'OMCM'), true)
  const taken = async () => (await pool.query("select take_float('OMCM', '{100}', null) as count")).rows[0]?.count
  assert.equal(await taken(), 0)
  harness.startDispatcher({ connectors: account.connectors })
  assert.equal((await harness.untilFinal(older)).status, 'SUCCESS')
  assert.equal(await taken(), 1)
})

/** The rows of a pay-day. `PAY_DAY=50000` runs it at the size of a country. */
const PAY_DAY = Number(process.env['PAY_DAY'] ?? 300)

test('SUCCESS for all deposits of a pay-day whose account covers a quarter of them: none fails, in order, after three top-ups', async () => {
  const quarter = Math.ceil(PAY_DAY / 4)
  const account = anAccount(BigInt(quarter) * 100_00n)
  await account.report()
  const items: IntakeItem[] = []
  for (let count = 0; count < PAY_DAY; count++) items.push(await make(100_00n))
  for (let count = 0; count < 2; count++) harness.startDispatcher({ connectors: account.connectors, submissionsMax: 8 })
  for (let paid = quarter; paid < PAY_DAY; paid += quarter) {
    await untilWaiting()
    await untilAsked(account, paid)
    assert.equal(account.minor, 0n)
    // The deposits that wait are younger than everything that was sent.
    const first = new Set(items.slice(0, paid).map(({ transactionId }) => transactionId))
    assert.ok(account.asked.every((reference) => first.has(reference)))
    account.minor += BigInt(quarter) * 100_00n
    await account.report(pollWaiting)
  }
  await untilAsked(account, PAY_DAY)
  for (const item of items) assert.equal((await harness.untilFinal(item)).status, 'SUCCESS')
  assert.deepEqual([account.asked.length, account.refusals], [PAY_DAY, 0])
})

test('a deposit that would take the account below its floor waits with the missing amount, and a smaller one stays behind it', async () => {
  const account = anAccount(1_000_00n, {}, 300_00n)
  await account.report()
  harness.startDispatcher({ connectors: account.connectors })
  const paid = await make(500_00n)
  assert.equal((await harness.untilFinal(paid)).status, 'SUCCESS')
  await account.report()
  const large = await make(400_00n)
  await untilWaiting()
  const small = await make(1_00n)
  assert.deepEqual(
    (await waits()).map(({ operator, missingMinor, isRefused }) => [operator, missingMinor, isRefused]),
    [['OMCM', 200_00n, false]],
  )
  await tryNow()
  await waitUntil('they were tried again', async () => (await waits())[0]?.missingMinor === 200_00n)
  assert.deepEqual([await statusOf(large), await statusOf(small), account.asked.length], ['PENDING', 'PENDING', 1])
  // Everybody who may use the operator sees that deposits wait, and who runs the installation how much is missing.
  const shown = async (applicationId: string) =>
    (await listDisturbed(harness.database.pool, applicationId)).map((one) => [one.state, one.missing])
  assert.deepEqual(await shown(large.applicationId), [['SHORT', null]])
  assert.deepEqual(await shown((await administrator(true)).applicationId), [['SHORT', '200']])
  const { work } = (await readTransactionDetail(harness.database.pool, large.applicationId, large.transactionId)) ?? assert.fail()
  assert.deepEqual([work?.waitsForFloat, work?.missing], [true, null])
  const { pool } = harness.database
  await pool.query('update applications set runs_installation = false')
  await pool.query('update applications set runs_installation = true where application_id = $1', [large.applicationId])
  const { work: ofInstaller } = (await readTransactionDetail(pool, large.applicationId, large.transactionId)) ?? assert.fail()
  assert.deepEqual([ofInstaller?.waitsForFloat, ofInstaller?.missing], [true, '200'])
  await pool.query('update applications set runs_installation = false')
  account.minor += 200_00n
  await account.report(pollWaiting)
  assert.equal((await harness.untilFinal(large)).status, 'SUCCESS')
  await waitUntil('the small one waits alone', async () => (await waits())[0]?.missingMinor === 1_00n)
  account.minor += 1_00n
  await account.report(pollWaiting)
  assert.equal((await harness.untilFinal(small)).status, 'SUCCESS')
  assert.deepEqual(await waits(), [])
  assert.equal(account.minor, 300_00n)
})

test('the older of two deposits is sent when the account covers one and another process has the older in its hands', async () => {
  const account = anAccount(100_00n)
  await account.report()
  const [older, younger] = [await make(100_00n), await make(100_00n)]
  const other = await harness.database.pool.connect()
  try {
    await other.query('begin')
    await other.query('select from operator_work where transaction_id = $1 for update', [older.transactionId])
    const collect = await harness.make({ operator: 'OMCM', type: 'COLLECT' })
    harness.startDispatcher({ connectors: account.connectors })
    // The claim that takes the collect sees the younger deposit too.
    await harness.untilFinal(collect)
    assert.deepEqual(account.asked, [collect.transactionId])
    await other.query('rollback')
    await untilAsked(account, 2)
    assert.deepEqual(account.asked, [collect.transactionId, older.transactionId])
    assert.equal(await statusOf(younger), 'PENDING')
    account.minor = 100_00n
    await untilAsked(account, 3)
    assert.equal((await harness.untilFinal(younger)).status, 'SUCCESS')
  } finally {
    other.release()
  }
})

test('FAILED for the one deposit that the operator refuses for our own account; the next is sent after the operator reports more', async () => {
  // The figure is too high: somebody else spends from the account.
  const account = anAccount(5_000_00n)
  await account.report()
  account.minor = 50_00n
  harness.startDispatcher({ connectors: account.connectors, isSandbox: false })
  const first = await make(100_00n)
  assert.deepEqual([(await harness.untilFinal(first)).status, (await harness.read(first)).message], ['FAILED', 'Solde insuffisant'])
  const second = await make(100_00n)
  assert.equal((await waits())[0]?.isRefused, true)
  // The same wrong figure as before, then what is there: neither is more than it was.
  for (const minor of [5_000_00n, 50_00n, 50_00n]) {
    account.minor = minor
    await account.report()
    await tryNow()
    assert.deepEqual([await statusOf(second), account.asked.length], ['PENDING', 1])
  }
  account.minor = 700_00n
  await account.report()
  assert.equal((await harness.untilFinal(second)).status, 'SUCCESS')
  assert.deepEqual([account.refusals, await waits()], [1, []])
})

test('one FAILED deposit for each refusal, also after a top-up that covers only some of those that wait', async () => {
  const account = anAccount(5_000_00n)
  await account.report()
  account.minor = 50_00n
  harness.startDispatcher({ connectors: account.connectors, isSandbox: false, submissionsMax: 1 })
  assert.equal((await harness.untilFinal(await make(100_00n))).status, 'FAILED')
  const [covered, refused, last] = [await make(200_00n), await make(200_00n), await make(200_00n)]
  await account.report()
  account.minor = 300_00n
  await account.report()
  assert.equal((await harness.untilFinal(covered)).status, 'SUCCESS')
  await waitUntil('the others wait for a known amount', async () => (await waits())[0]?.missingMinor === 100_00n)
  // Topped up, and spent by somebody else after the report.
  account.minor = 500_00n
  await account.report(pollWaiting)
  account.minor = 50_00n
  assert.equal((await harness.untilFinal(refused)).status, 'FAILED')
  for (const minor of [500_00n, 500_00n]) {
    account.minor = minor
    await account.report(pollWaiting)
    assert.deepEqual([await statusOf(last), account.refusals], ['PENDING', 2])
  }
  account.minor = 501_00n
  await account.report(pollWaiting)
  assert.equal((await harness.untilFinal(last)).status, 'SUCCESS')
})

test('FAILED are the deposits that were in flight at the refusal, and no others: as many as the operator has at once', async () => {
  const inFlight = 4
  const full = Promise.withResolvers<void>()
  let asked = 0
  const account: Account = anAccount(5_000_00n, {
    submit: async () => {
      asked++
      if (asked === inFlight) full.resolve()
      // All of them have reached the operator before it answers any.
      await full.promise
      return SHORT
    },
  })
  await account.report()
  const items: IntakeItem[] = []
  for (let count = 0; count < 12; count++) items.push(await make(100_00n))
  const dispatcher = harness.startDispatcher({ connectors: account.connectors, isSandbox: false, submissionsMax: inFlight })
  const failed = async () => (await Promise.all(items.map(statusOf))).filter((status) => status === 'FAILED').length
  await waitUntil('those in flight have ended', async () => (await failed()) === inFlight)
  for (let tries = 0; tries < 5; tries++) {
    await account.report(pollWaiting)
    await tryNow()
    dispatcher.wake()
    await delay(50)
  }
  assert.deepEqual([asked, await failed()], [inFlight, inFlight])
  assert.deepEqual(
    (await Promise.all(items.slice(inFlight).map(statusOf))).filter((status) => status !== 'PENDING'),
    [],
  )
})

test('sent again after the second report that is higher, when the operator had reported nothing before its refusal', async () => {
  const account = anAccount(50_00n)
  harness.startDispatcher({ connectors: account.connectors, isSandbox: false })
  assert.equal((await harness.untilFinal(await make(100_00n))).status, 'FAILED')
  const next = await make(100_00n)
  await account.report()
  await tryNow()
  assert.equal(await statusOf(next), 'PENDING')
  account.minor = 200_00n
  await account.report()
  assert.equal((await harness.untilFinal(next)).status, 'SUCCESS')
})

/** Accepts everything, and answers this many queries of the first deposit with `pending` before it refuses it for our own account. */
function refusesLate(pendingMax: number): Account {
  let first: string | undefined
  let pending = 0
  return anAccount(5_000_00n, {
    submit: async ({ reference }) => {
      first ??= reference
      return { kind: 'accepted', exchange: EXCHANGE }
    },
    query: async ({ reference }) => {
      if (reference !== first) return { kind: 'succeeded', exchange: EXCHANGE }
      return pending++ < pendingMax ? { kind: 'pending', exchange: EXCHANGE } : SHORT
    },
  })
}

test('the next deposit waits after a refusal that one of the first queries tells, and is sent after one that a later query tells', async () => {
  for (const [pendingMax, waitCount] of [
    [3, 1],
    [4, 0],
  ] as const) {
    await harness.database.pool.query('delete from operator_floats')
    await harness.database.pool.query('delete from operator_work')
    const account = refusesLate(pendingMax)
    await account.report()
    const dispatcher = harness.startDispatcher({ connectors: account.connectors, isSandbox: false, pollDelaysMs: [1] })
    const refused = await harness.untilFinal(await make(100_00n))
    assert.deepEqual([refused.status, refused.message], ['FAILED', 'Solde insuffisant'])
    const next = await make(100_00n)
    assert.equal((await waits()).length, waitCount)
    if (waitCount === 0) assert.equal((await harness.untilFinal(next)).status, 'SUCCESS')
    await dispatcher.drain()
  }
})

test('in a sandbox the number of a customer stands for a refusal for lack of funds, and the deposits of others go on', async () => {
  const account = anAccount(50_00n)
  harness.startDispatcher({ connectors: account.connectors })
  assert.equal((await harness.untilFinal(await make(100_00n))).status, 'FAILED')
  assert.equal((await harness.untilFinal(await make(10_00n))).status, 'SUCCESS')
})

async function administrator(runsInstallation: boolean, roles: Role[] = ['administrator']): Promise<PersonCommandActor> {
  const { pool } = harness.database
  const applicationId = await makeApplication(pool)
  await pool.query('update applications set runs_installation = (application_id = $1 and $2)', [applicationId, runsInstallation])
  return { kind: 'person', id: await makePerson(pool, applicationId, roles), applicationId, roles }
}

test('one administrator of the installation sends what waits, once and recorded; nobody else may', async () => {
  const account = anAccount(10_00n)
  await account.report()
  harness.startDispatcher({ connectors: account.connectors })
  const item = await make(100_00n)
  await untilWaiting()
  account.minor += 200_00n
  const { pool } = harness.database
  const send = async (actor: PersonCommandActor) => {
    const sent = await sendDespiteShortage(pool, { operator: 'OMCM', actor })
    return sent.ok ? 'sent' : sent.error
  }
  assert.equal(await send(await administrator(true, ['finance'])), 'not_permitted')
  assert.equal(await send(await administrator(false)), 'not_the_installation')
  assert.equal(await statusOf(item), 'PENDING')
  const actor = await administrator(true)
  assert.deepEqual((await Promise.all([send(actor), send(actor)])).toSorted(), ['not_waiting', 'sent'])
  const { rows } = await pool.query("select subject, actor_id from audit_entries where action = 'operator.float_released'")
  assert.deepEqual(rows, [{ subject: 'OMCM', actor_id: actor.id }])
  assert.equal((await harness.untilFinal(item)).status, 'SUCCESS')
})

test('FAILED and unsent, with its hold released: what has waited longer than its application allows; younger ones wait on', async () => {
  const { pool } = harness.database
  const account = anAccount(10_00n)
  await account.report()
  harness.startDispatcher({ connectors: account.connectors })
  const [old, young] = [await make(100_00n), await make(100_00n)]
  await untilWaiting()
  const end = () => endUnsentDeposits({ pool, wake: { webhooks: () => undefined } })
  await pool.query("update operator_floats set waits_since = now() - interval '24 hours 1 minute'")
  assert.equal(await end(), 0)
  await pool.query("update operator_work set next_at = now() - interval '23 hours 59 minutes' where transaction_id = $1", [
    young.transactionId,
  ])
  await pool.query("update operator_work set next_at = now() - interval '24 hours' where transaction_id = $1", [old.transactionId])
  assert.equal(await end(), 1)
  const ended = await harness.read(old)
  assert.deepEqual([ended.status, ended.message, ended.heldMinor, await harness.attemptsOf(old)], ['FAILED', FLOAT_MESSAGE, 0n, []])
  assert.deepEqual([await statusOf(young), account.asked], ['PENDING', []])
  // Nobody is told that deposits wait once the last one has ended.
  await pool.query("update operator_work set next_at = now() - interval '24 hours' where transaction_id = $1", [young.transactionId])
  assert.deepEqual([(await waits()).length, await end(), await waits()], [1, 1, []])
  const later = await make(100_00n)
  assert.equal((await waits()).length, 1)
  account.minor += 200_00n
  await account.report(pollWaiting)
  assert.equal((await harness.untilFinal(later)).status, 'SUCCESS')
})

test('what certainly never left is not counted as sent, however often it is tried', async () => {
  let isDown = true
  const account = anAccount(150_00n)
  const paying = account.connectors.get('OMCM') ?? assert.fail()
  const submit: Connector['submit'] = (submission, keep) =>
    isDown ? Promise.resolve({ kind: 'not_sent', detail: 'down', exchange: EXCHANGE }) : paying.submit(submission, keep)
  const flaky = anAccount(150_00n, { submit })
  await flaky.report()
  harness.startDispatcher({ connectors: flaky.connectors })
  const item = await make(100_00n)
  await waitUntil('it was tried five times', async () => (await harness.attemptsOf(item)).length >= 5)
  isDown = false
  assert.equal((await harness.untilFinal(item)).status, 'SUCCESS')
  assert.deepEqual(await waits(), [])
})

test('an amount is given back once: not by the late report that an overtaken submission was not sent', async () => {
  const { pool } = harness.database
  await pool.query(
    `insert into operator_floats (operator, reported_minor, available_minor, sent_before_minor, reported_at, floor_minor)
       values ('OMCM', 100000, 100000, 0, now(), 0)`,
  )
  const { applicationId, transactionId } = await make(100_00n)
  await pool.query("update operator_work set state = 'submitting', submissions = 2 where transaction_id = $1", [transactionId])
  const say = async (submission: number) => {
    const answer = {
      kind: 'submit' as const,
      outcome: 'not_sent',
      http_status: null,
      answer: '',
      duration_ms: 1,
      delay_ms: 1,
      requeue_ms: 1,
    }
    const named = { operator_reference: null, operator_reference_other: null, operator_token: null, reason: null, operator_code: null }
    const key = { item_index: 0, application_id: applicationId, transaction_id: transactionId, number: submission, submission }
    await storeAnswers(pool, [{ ...key, ...answer, ...named, is_mismatch: false }], { absenceMs: 1, acceptedAbsenceMs: 1, hintGapMs: 1 })
    const { rows } = await pool.query<{ sent: bigint }>('select coalesce(sum(sent_minor), 0)::bigint as sent from operator_float_sent')
    return rows[0]?.sent
  }
  assert.deepEqual([await say(1), await say(2)], [0n, -100_00n])
})

test('everything is sent when the operator has reported nothing for fifteen minutes, and where it reports no such account', async () => {
  const account = anAccount(10_00n)
  await account.report()
  await harness.database.pool.query("update operator_floats set reported_at = now() - interval '15 minutes 1 second'")
  account.minor = 1_000_00n
  harness.startDispatcher({ connectors: account.connectors })
  assert.equal((await harness.untilFinal(await make(100_00n))).status, 'SUCCESS')
  await harness.database.pool.query('delete from operator_floats')
  assert.equal((await harness.untilFinal(await make(100_00n))).status, 'SUCCESS')
})

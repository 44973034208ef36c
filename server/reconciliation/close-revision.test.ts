import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { exceptionFilterSchema } from '#lib/schemas/exceptions.ts'
import { createLiveHub } from '#server/back-office/live-hub.ts'
import { systemClock } from '#server/clock.ts'
import { storeContradictions } from '#server/operators/work/contradiction-store.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { takeIn } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { examineDays } from './exceptions/examine-days.ts'
import { listExceptions } from './exceptions/list-exceptions.ts'
import { closeException, handOverException, noteOnException, takeException } from './exceptions/work-on-exception.ts'
import { matchByHand, undoMatch } from './matching/match-by-hand.ts'
import { importStatement, withdrawStatement } from './statements/decide-statement.ts'
import { createDesk, type Desk } from './testing/reconciliation-desk.ts'
import { csv, ORANGE_BF_HEADER } from './testing/statements.ts'

let database: TestDatabase
let desk: Desk
before(async () => {
  database = await createTestDatabase()
  desk = await createDesk(database.pool)
})
after(() => database.drop())

/** Two people with an open page each, which are told of changes when `poll` says so; returns how often each was. */
async function openTwoPages(applicationId: string) {
  const waiting: (() => void)[] = []
  let isRead = Promise.withResolvers<void>()
  const callLater = (work: () => void) => {
    waiting.push(work)
    isRead.resolve()
  }
  const hub = createLiveHub({ queryable: database.pool, clock: systemClock, admissionMs: 3_600_000, callLater })
  const told = [0, 0]
  for (const index of told.keys()) {
    hub.watch({
      applicationId,
      personId: await makePerson(database.pool, applicationId, ['finance']),
      epoch: 1,
      sessionId: randomUUID(),
      onChange: () => {
        told[index] = (told[index] ?? 0) + 1
      },
      onEnd: () => assert.fail('still allowed'),
      onLost: () => assert.fail('the database is there'),
    })
  }
  return async () => {
    isRead = Promise.withResolvers()
    waiting.shift()?.()
    await isRead.promise
    return told.splice(0, 2, 0, 0)
  }
}

const line = (id: string, amount: number) => {
  const time = new Date().toISOString().slice(0, 19).replace('T', ' ')
  return [time, 'SUCCESS', id, '', '70123456', '', 'MERCHPAY', String(amount), String(amount), '', '', '', '', '', '']
}
const statement = (...lines: string[][]) => csv([ORANGE_BF_HEADER, ...lines])

test('two readers are told of each step of a statement, of a match and its undo, of examined days and of work on an exception, and of nothing else', async () => {
  const { pool, applicationId, actor } = desk
  const by = { applicationId, actor }
  const poll = await openTwoPages(applicationId)
  const isTold = async (work: () => Promise<unknown>, expected = 1) => {
    await work()
    assert.deepEqual(await poll(), [expected, expected], work.toString())
  }
  await poll()
  assert.deepEqual(await poll(), [0, 0])

  let fileId = ''
  await isTold(async () => {
    fileId = (await desk.upload('BFOM', statement(line('L1', 1_000), line('L2', 2_000)))).fileId
  })
  await isTold(() => desk.work())
  await isTold(async () => must(await importStatement(pool, { ...by, fileId })))
  await isTold(() => desk.work())
  // Importing it again changes nothing.
  await isTold(async () => must(await importStatement(pool, { ...by, fileId })), 0)
  await isTold(() => examineDays(pool))
  await isTold(() => examineDays(pool), 0)

  const other = await desk.upload('BFOM', statement(line('L3', 3_000)))
  await desk.work()
  await poll()
  await isTold(async () => must(await withdrawStatement(pool, { ...by, fileId: other.fileId })))

  const paid = await desk.pay({ operator: 'BFOM', type: 'COLLECT', amountMinor: 100_000n, phoneNumber: '22670999999' })
  await poll()
  const { rows } = await pool.query<{ lineId: bigint }>(`select line_id as "lineId" from statement_lines where operator_id = 'L1'`)
  const lineId = rows[0]?.lineId ?? 0n
  await isTold(async () => must(await matchByHand(pool, { ...by, lineId, transactionId: paid.transactionId, note: 'seen' })))
  await isTold(async () => must(await undoMatch(pool, { ...by, lineId, note: 'wrong' })))

  const filter = exceptionFilterSchema.parse({})
  const [first] = (await listExceptions(pool, { applicationId, viewerId: actor.id, filter, now: new Date() })).rows
  const one = { ...by, exceptionId: first?.exceptionId ?? '' }
  const colleague = await makePerson(pool, applicationId, ['finance'])
  await isTold(async () => must(await takeException(pool, one)))
  await isTold(async () => must(await takeException(pool, one)), 0)
  await isTold(async () => must(await noteOnException(pool, { ...one, note: 'asked' })))
  await isTold(async () => must(await closeException(pool, { ...one, outcome: 'explained', note: 'known' })))
  const [second] = (await listExceptions(pool, { applicationId, viewerId: actor.id, filter, now: new Date() })).rows
  const next = { ...by, exceptionId: second?.exceptionId ?? '' }
  must(await takeException(pool, next))
  await poll()
  await isTold(async () => must(await handOverException(pool, { ...next, personId: colleague, note: '' })))
})

test('told of an exception that an operator opens by contradicting the result of a partner', async () => {
  const poll = await openTwoPages(desk.applicationId)
  const partner = await createPartnersPayment()
  await poll()
  const answer = { item_index: 0, ...partner, operator: 'BFOM', source: 'callback', said: 'succeeded', answer: 'x' } as const
  await storeContradictions(database.pool, [answer])
  assert.deepEqual(await poll(), [1, 1])
})

async function createPartnersPayment(): Promise<{ application_id: string; transaction_id: string }> {
  const applicationId = await makeApplication(database.pool)
  const item = anIntakeItem(applicationId, { operator: 'BFOM', type: 'COLLECT' })
  await takeIn(database.pool, [item])
  await transition(database.pool, [{ ...item, event: 'failed', message: 'x', actor: SYSTEM_ACTOR }])
  return { application_id: applicationId, transaction_id: item.transactionId }
}

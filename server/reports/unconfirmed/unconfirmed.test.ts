import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import type { UnconfirmedPage } from '#lib/finance/unconfirmed.ts'
import type { Role } from '#lib/people/permissions.ts'
import { exceptionFilterSchema } from '#lib/schemas/exceptions.ts'
import { unconfirmedFilterSchema } from '#lib/schemas/page-address.ts'
import { DAY_MS } from '#lib/time/time.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { listAudit, verifyAuditChain } from '#server/audit/read-audit.ts'
import { storeContradictionAnswer, storeContradictions } from '#server/operators/work/contradiction-store.ts'
import { examineDays } from '#server/reconciliation/exceptions/examine-days.ts'
import { listExceptions, readException } from '#server/reconciliation/exceptions/list-exceptions.ts'
import { handOverException, noteOnException, takeException } from '#server/reconciliation/exceptions/work-on-exception.ts'
import { readTransactionDetail } from '#server/reports/transaction-detail/transaction-detail.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { anIntakeItem, makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'
import { SYSTEM_ACTOR, transition } from '#server/transactions/transition.ts'
import { readUnconfirmed, walkUnconfirmed } from './read-unconfirmed.ts'

let database: TestDatabase | undefined
let pool: TestDatabase['pool']
let installationId: string
let partnerId: string
let fatou: PersonCommandActor
let serge: PersonCommandActor
beforeEach(async () => {
  await database?.drop()
  database = await createTestDatabase()
  pool = database.pool
  installationId = await makeApplication(pool, 'Kora Stores')
  await pool.query('update applications set runs_installation = true where application_id = $1', [installationId])
  partnerId = await makeApplication(pool, 'Partner')
  fatou = await personWith(['finance'])
  serge = await personWith(['finance'])
})
after(() => database?.drop())

async function personWith(roles: Role[], applicationId = partnerId): Promise<PersonCommandActor> {
  return { kind: 'person', id: await makePerson(pool, applicationId, roles), applicationId, roles }
}

type Payment = Partial<IntakeItem> & { applicationId?: string }

/** A collect that its operator may have, since some minutes; `state`: as its work is. */
async function sent(minutes: number, state: 'unconfirmed' | 'submitted', { applicationId = partnerId, ...payment }: Payment = {}) {
  const item = anIntakeItem(applicationId, { type: 'COLLECT', operator: 'MOMOCM', ...payment })
  await takeIn(pool, [item])
  await pool.query(
    `update operator_work set state = $3, unconfirmed_since = case when $3 = 'unconfirmed' then s.at end, accepted_at = s.at
       from (select now() - $4 * interval '1 minute' as at) s where application_id = $1 and transaction_id = $2`,
    [applicationId, item.transactionId, state, minutes],
  )
  return item
}

async function failed(applicationId = partnerId): Promise<IntakeItem> {
  const item = anIntakeItem(applicationId, { type: 'COLLECT', operator: 'BFOM' })
  await takeIn(pool, [item])
  await end(item, 'failed')
  return item
}

const end = (item: IntakeItem, event: 'succeeded' | 'failed') =>
  transition(pool, [{ ...item, event, ...(event === 'failed' && { message: 'Autres' }), actor: SYSTEM_ACTOR }])

const contradict = ({ applicationId, transactionId }: IntakeItem) =>
  storeContradictions(pool, [
    {
      item_index: 0,
      application_id: applicationId,
      transaction_id: transactionId,
      operator: 'BFOM',
      source: 'callback',
      said: 'succeeded',
      answer: 'x',
    },
  ])

const asked = (query: Record<string, string>, applicationId = partnerId) => ({
  applicationId,
  viewerId: fatou.id,
  filter: unconfirmedFilterSchema.parse(query),
  now: new Date(),
})
const read = (query: Record<string, string> = {}, applicationId = partnerId): Promise<UnconfirmedPage> =>
  readUnconfirmed(pool, asked(query, applicationId))
const ids = async (query: Record<string, string> = {}) => (await read(query)).rows.map(({ transactionId }) => transactionId)
const by = (actor: PersonCommandActor, { transactionId }: IntakeItem) => ({ applicationId: actor.applicationId, actor, transactionId })
const refused = (error: string) => ({ ok: false, error })

/** Results of MTN Cameroon collects that came after some seconds. */
const answeredAfter = (seconds: number, count: number) =>
  pool.query(
    `insert into operator_outcomes (application_id, operator, type, hour, outcome, bucket, transaction_count)
       values ($1, 'MOMOCM', 'COLLECT', date_trunc('hour', now() - interval '1 hour'), 'succeeded', floor(ln($2::float8 * 1000) / ln(1.2)), $3)`,
    [partnerId, seconds, count],
  )

test('every payment without a known outcome is in the list once, the longest first; those in their usual time, of others or that ended are not', async () => {
  await answeredAfter(60, 90)
  await answeredAfter(1_800, 10)
  const lost = await sent(30, 'unconfirmed')
  const late = await sent(90, 'submitted')
  // Five in a hundred results take more than half an hour.
  await sent(25, 'submitted')
  // Without any result to compare with, ten minutes are enough.
  const alone = await sent(25, 'submitted', { operator: 'OMCM' })
  await sent(5, 'submitted', { operator: 'OMCM' })
  const contradicted = await failed()
  await contradict(contradicted)
  await sent(300, 'unconfirmed', { applicationId: installationId })
  await end(await sent(300, 'unconfirmed'), 'succeeded')
  const { rows, total, sums } = await read()
  assert.deepEqual(
    rows.map(({ transactionId, kind }) => [transactionId, kind]),
    [
      [late.transactionId, 'late'],
      [lost.transactionId, 'no_answer'],
      [alone.transactionId, 'late'],
      [contradicted.transactionId, 'contradicted'],
    ],
  )
  assert.equal(total, 4)
  assert.deepEqual(
    rows.map(({ usualMs }) => usualMs !== null && Math.round(usualMs / 60_000)),
    [1, 1, false, false],
  )
  assert.deepEqual(
    sums.map(({ operator, type, count }) => [operator, type, count]),
    [
      ['BFOM', 'COLLECT', 1],
      ['MOMOCM', 'COLLECT', 2],
      ['OMCM', 'COLLECT', 1],
    ],
  )
  // Confirmed again, the operator contradicts nothing.
  await storeContradictionAnswer(pool, { ...contradicted, said: 'failed', httpStatus: 200, answer: 'failed' })
  assert.equal((await read({ kind: 'contradicted' })).total, 0)
})

test('the sums are those of the rows that fit each filter, and the file has the same rows', async () => {
  const old = await sent(2_000, 'unconfirmed', { amountMinor: 100_000n })
  const deposit = await sent(70, 'unconfirmed', { amountMinor: 200_000n, operator: 'SNWAVE' })
  const young = await sent(20, 'unconfirmed', { amountMinor: 400_000n })
  must(await takeException(pool, by(fatou, old)))
  must(await takeException(pool, by(serge, young)))
  for (const [query, expected] of [
    [{}, [old, deposit, young]],
    [{ owner: 'me' }, [old]],
    [{ owner: 'nobody' }, [deposit]],
    [{ owner: serge.id }, [young]],
    [{ operator: 'SNWAVE' }, [deposit]],
    [{ currency: 'XAF' }, [old, young]],
    [{ type: 'DEPOSIT' }, []],
    [{ kind: 'late' }, []],
    [{ minutes: '60' }, [old, deposit]],
    [{ minutes: '1440', owner: 'me' }, [old]],
    [{ unconfirmedAfter: new Date(Date.now() - 3_600_000).toISOString() }, [young]],
    [{ unconfirmedBefore: new Date(Date.now() - DAY_MS).toISOString() }, [old]],
  ] as const) {
    const { rows, total, sums } = await read(query)
    const label = JSON.stringify(query)
    assert.deepEqual(
      rows.map((row) => row.transactionId),
      expected.map((item) => item.transactionId),
      label,
    )
    assert.equal(total, expected.length, label)
    const amount = (items: readonly { amount: string }[]) => items.reduce((sum, item) => sum + Number(item.amount), 0)
    assert.equal(amount(sums), amount(rows), label)
    const walked = []
    for await (const part of walkUnconfirmed(pool, asked(query))) walked.push(...part)
    assert.deepEqual(walked, rows, label)
  }
})

test('taken by one of two people at the same moment, handed over to a colleague who may, and noted on; all of it in the audit record', async () => {
  const item = await sent(30, 'unconfirmed')
  const both = await Promise.all([fatou, serge].map((actor) => takeException(pool, by(actor, item))))
  assert.deepEqual(both.map(({ ok }) => ok).toSorted(), [false, true])
  const [owner, other] = both[0]?.ok ? [fatou, serge] : [serge, fatou]
  assert.deepEqual(await takeException(pool, by(other, item)), refused('taken'))
  const maker = await personWith(['maker'])
  const handOver = (actor: PersonCommandActor, personId: string) =>
    handOverException(pool, { ...by(actor, item), personId, note: 'on leave' })
  assert.deepEqual(await takeException(pool, by(maker, item)), refused('not_permitted'))
  assert.deepEqual(await handOver(other, other.id), refused('not_owner'))
  assert.deepEqual(await handOver(owner, maker.id), refused('not_a_worker'))
  must(await handOver(owner, other.id))
  must(await noteOnException(pool, { ...by(owner, item), note: 'asked MTN, ticket 123' }))
  must(await noteOnException(pool, { ...by(other, item), note: 'they answer tomorrow' }))
  const [row] = (await read()).rows
  assert.equal(row?.owner?.personId, other.id)
  assert.deepEqual(
    row.notes.map(({ note }) => note),
    ['they answer tomorrow', 'asked MTN, ticket 123', 'on leave'],
  )
  const detail = await readTransactionDetail(pool, partnerId, item.transactionId)
  assert.deepEqual(
    detail?.clarification?.events.map(({ event, note }) => [event, note]),
    [
      ['opened', ''],
      ['taken', ''],
      ['handed_over', 'on leave'],
      ['noted', 'asked MTN, ticket 123'],
      ['noted', 'they answer tomorrow'],
    ],
  )
  const audit = (await listAudit(pool, partnerId, { size: 20 })).filter(({ action }) => action.startsWith('exception'))
  assert.deepEqual(
    audit.map(({ action, subject }) => [action, subject]),
    ['noted', 'noted', 'handed_over', 'taken'].map((act) => [`exception.${act}`, item.transactionId]),
  )
  assert.equal((await verifyAuditChain(pool, partnerId)).ok, true)
})

test('closed by the result, kept with the payment, and in no list of the close of day', async () => {
  const item = await sent(30, 'unconfirmed', { applicationId: installationId })
  const aminata = await personWith(['finance'], installationId)
  must(await noteOnException(pool, { ...by(aminata, item), note: 'asked MTN' }))
  const listed = () =>
    listExceptions(pool, { applicationId: installationId, viewerId: aminata.id, filter: exceptionFilterSchema.parse({}), now: new Date() })
  assert.equal((await listed()).total, 0)
  await examineDays(pool)
  assert.equal((await read({}, installationId)).total, 1)
  await end(item, 'failed')
  assert.equal((await read({}, installationId)).total, 0)
  await examineDays(pool)
  const after = await readTransactionDetail(pool, installationId, item.transactionId)
  assert.deepEqual(
    after?.clarification?.events.map(({ event, outcome }) => [event, outcome]),
    [
      ['opened', null],
      ['noted', null],
      ['closed', 'answered'],
    ],
  )
  for (const again of [takeException(pool, by(aminata, item)), noteOnException(pool, { ...by(aminata, item), note: 'x' })])
    assert.deepEqual(await again, refused('closed'))
  assert.deepEqual(await takeException(pool, by(aminata, await failed(installationId))), refused('not_found'))
  assert.deepEqual(await takeException(pool, by(aminata, await sent(30, 'unconfirmed'))), refused('not_found'))
})

test('an operator that contradicts the result later makes it an exception of the close of day, with its owner and notes', async () => {
  const item = await sent(30, 'unconfirmed', { applicationId: installationId, operator: 'BFOM' })
  const aminata = await personWith(['finance'], installationId)
  must(await takeException(pool, by(aminata, item)))
  must(await noteOnException(pool, { ...by(aminata, item), note: 'asked Orange' }))
  await end(item, 'failed')
  await examineDays(pool)
  await contradict(item)
  const filter = exceptionFilterSchema.parse({})
  const [exception] = (await listExceptions(pool, { applicationId: installationId, viewerId: aminata.id, filter, now: new Date() })).rows
  assert.deepEqual([exception?.class, exception?.owner?.personId], ['contradicted', aminata.id])
  const { events } = (await readException(pool, installationId, exception?.exceptionId ?? '', new Date())) ?? assert.fail()
  assert.deepEqual(
    events.map((each) => each.event),
    ['opened', 'taken', 'noted', 'closed', 'reopened'],
  )
  const [row] = (await read({}, installationId)).rows
  assert.deepEqual([row?.kind, row?.owner?.personId, row?.notes.length], ['contradicted', aminata.id, 1])
})

test('a partner works on its own contradicted payments apart from the installation, until the operator agrees', async () => {
  const item = await failed()
  await contradict(item)
  must(await takeException(pool, by(fatou, item)))
  assert.deepEqual(await ids({ owner: 'me' }), [item.transactionId])
  await examineDays(pool)
  assert.deepEqual(await ids({ owner: 'me' }), [item.transactionId])
  await storeContradictionAnswer(pool, { ...item, said: 'failed', httpStatus: 200, answer: 'failed' })
  await examineDays(pool)
  assert.deepEqual(await ids(), [])
  const detail = await readTransactionDetail(pool, partnerId, item.transactionId)
  assert.deepEqual(
    detail?.clarification?.events.map(({ event }) => event),
    ['opened', 'taken', 'closed'],
  )
})

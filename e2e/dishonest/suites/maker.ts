import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { act, newPerson, type PayoutService, type Person, read } from '../payout-service.ts'
import {
  aPayment,
  assertNotPaid,
  assertPaidOnce,
  decide,
  decideBatch,
  newNumber,
  send,
  shownHash,
  submit,
  upload,
  versionOf,
} from '../steps.ts'

/** One maker, who may be a checker too, wants money to leave that nobody else has looked at. */
export function describeMaker(service: () => PayoutService): void {
  describe('a dishonest maker', () => {
    let maker: Person
    let colleague: Person
    let both: Person
    let checker: Person
    before(async () => {
      maker = await newPerson(service(), ['maker'])
      colleague = await newPerson(service(), ['maker'])
      both = await newPerson(service(), ['maker', 'checker'])
      checker = await newPerson(service(), ['checker'])
    })

    test('paid once, and only after another person approved it: what a maker sends', async () => {
      const id = await send(service(), maker)
      await assertNotPaid(service(), [id])
      assert.equal(await decide(service(), checker, id), 'done')
      await assertPaidOnce(service(), id)
    })

    test('not paid: a payment that its maker approves as a checker', async () => {
      const id = await send(service(), both)
      assert.equal(await decide(service(), both, id), 'is_maker')
      await assertNotPaid(service(), [id])
    })

    test('not paid: a file that a person wrote or changed, a colleague submitted, and the same person approves', async () => {
      const written = await upload(service(), both, [{ name: 'A friend' }])
      const changed = await upload(service(), colleague, [{ name: 'Clarisse Mbarga' }])
      const edit = { ...changed, rows: [{ rowNumber: 2, fields: { phoneNumber: newNumber() } }] }
      assert.ok((await act(service(), both, 'editRows', edit)).ok)
      for (const batch of [written, changed]) {
        const ids = await submit(service(), colleague, batch)
        assert.deepEqual(await decideBatch(service(), both, batch.batchId), { ok: false, code: 'is_maker' })
        await assertNotPaid(service(), ids)
      }
    })

    test('paid as it was submitted: a file that its maker tries to change, discard or submit again while it waits and after its approval', async () => {
      const batch = await upload(service(), maker, [{ amount: '4000' }])
      const [id = ''] = await submit(service(), maker, batch)
      const tamper = async () => {
        const place = { batchId: batch.batchId, version: await versionOf(service(), batch.batchId) }
        const attempts = {
          editRows: { ...place, rows: [{ rowNumber: 2, fields: { amount: '9000' } }] },
          excludeRows: { ...place, rowNumbers: [2], reason: 'not this one' },
          assignColumns: { ...place, columns: { phoneNumber: 0, customerName: 1, amount: 2, operator: 3 }, defaultOperator: null },
          checkNames: place,
          discardBatch: place,
          submitBatch: { ...place, repeatReason: 'again' },
        }
        for (const [action, input] of Object.entries(attempts))
          assert.deepEqual(await act(service(), maker, action, input), { ok: false, code: 'not_a_draft' }, action)
      }
      await tamper()
      assert.ok((await decideBatch(service(), checker, batch.batchId)).ok)
      await tamper()
      await assertPaidOnce(service(), id)
      const { rows } = await service().database.pool.query(
        'select amount_minor::text as amount from transactions where transaction_id = $1',
        [id],
      )
      assert.deepEqual(rows, [{ amount: '400000' }])
    })

    test('refused: a file submitted in a version that a colleague has changed since it was shown', async () => {
      const shown = await upload(service(), maker, [{}])
      assert.ok((await act(service(), colleague, 'editRows', { ...shown, rows: [{ rowNumber: 2, fields: { amount: '9000' } }] })).ok)
      const answer = await act(service(), maker, 'submitBatch', { ...shown, repeatReason: null })
      assert.deepEqual(answer, { ok: false, code: 'changed_meanwhile' })
    })

    test('paid once: one externalId sent ten times at once, and refused with any other content', async () => {
      const payment = aPayment({ phoneNumber: newNumber() })
      const answers = await Promise.all(Array.from({ length: 10 }, () => act(service(), maker, 'sendForApproval', payment)))
      const ids = new Set(answers.map((answer) => (answer.ok ? String(answer.value['transactionId']) : answer.code)))
      assert.equal(ids.size, 1)
      const [id = ''] = ids
      for (const change of [{ amount: '5001' }, { phoneNumber: newNumber() }, { customerName: 'A friend' }, { type: 'COLLECT' }])
        assert.deepEqual(await act(service(), maker, 'sendForApproval', { ...payment, ...change }), {
          ok: false,
          code: 'external_id_taken',
        })
      assert.equal(await decide(service(), checker, id), 'done')
      await assertPaidOnce(service(), id)
      assert.deepEqual(await act(service(), maker, 'sendForApproval', payment), {
        ok: true,
        value: { transactionId: id },
      })
      await assertPaidOnce(service(), id)
    })

    test('two approvals required, one given, none paid: an amount above a limit, split over payments and a file to one number within a day', async () => {
      const phoneNumber = newNumber()
      await send(service(), maker, { phoneNumber, amount: '4000' })
      await send(service(), maker, { phoneNumber, amount: '4000' })
      const third = await send(service(), maker, { phoneNumber, amount: '4000' })
      const batch = await upload(service(), maker, [{ phone: phoneNumber, amount: '2000' }])
      const rows = await submit(service(), maker, batch)
      assert.equal(await decide(service(), checker, third), 'done')
      assert.ok((await decideBatch(service(), checker, batch.batchId)).ok)
      await assertNotPaid(service(), [third, ...rows])
    })

    test('two approvals required for the last of five payments to one number that are sent at once', async () => {
      const phoneNumber = newNumber()
      const ids = await Promise.all(Array.from({ length: 5 }, () => send(service(), maker, { phoneNumber, amount: '2400' })))
      const { rows } = await service().database.pool.query('select 1 from approval_items where transaction_id = any ($1) and steps = $2', [
        ids,
        [2],
      ])
      assert.equal(rows.length, 1)
    })

    test('either recalled and not paid, or paid and not recalled, when maker and checker act at once', async () => {
      for (let round = 0; round < 5; round++) {
        const id = await send(service(), maker)
        const contentHash = await shownHash(service(), checker, id)
        const [recalled, approved] = await Promise.all([
          act(service(), maker, 'recallWaiting', { transactionId: id, reason: 'A mistake' }),
          decide(service(), checker, id, { contentHash }),
        ])
        assert.notEqual(recalled.ok, approved === 'done')
        await (recalled.ok ? assertNotPaid(service(), [id]) : assertPaidOnce(service(), id))
      }
    })

    test('refused, and nothing of it shown: drafts, recalls and runs of a colleague', async () => {
      const externalId = randomUUID()
      const secret = `Friend ${externalId}`
      const content = { type: 'DEPOSIT', country: '', operator: '', phoneNumber: '', customerName: secret, amount: '' }
      assert.ok((await act(service(), colleague, 'keepDraft', { externalId, originId: null, content })).ok)
      assert.ok(!(await read(service(), maker, `/new?payment=${externalId}`)).text.includes(secret))
      assert.deepEqual(await act(service(), maker, 'discardDraft', { externalId }), { ok: false, code: 'not_found' })
      const id = await send(service(), colleague)
      const recall = { transactionId: id, reason: 'Not mine' }
      assert.deepEqual(await act(service(), maker, 'recallWaiting', recall), { ok: false, code: 'not_the_maker' })
      const batch = await upload(service(), colleague, [{}])
      await submit(service(), colleague, batch)
      const run = { batchId: batch.batchId, reason: 'Not mine' }
      for (const action of ['recallWholeBatch', 'pauseRun', 'stopRun'])
        assert.equal((await act(service(), maker, action, run)).ok, false, action)
    })

    test('not paid again: a retry of rows that were paid, that wait, or that a checker rejected', async () => {
      const batch = await upload(service(), maker, [{}, {}])
      const [paid = '', rejected = ''] = await submit(service(), maker, batch)
      assert.deepEqual(await act(service(), maker, 'retryRun', { batchId: batch.batchId }), { ok: false, code: 'still_open' })
      const excluded = [{ transactionId: rejected, reason: 'Unknown person' }]
      assert.ok((await decideBatch(service(), checker, batch.batchId, { excluded })).ok)
      await assertPaidOnce(service(), paid)
      assert.deepEqual(await act(service(), maker, 'retryRun', { batchId: batch.batchId }), { ok: false, code: 'nothing_to_retry' })
      await assertNotPaid(service(), [rejected])
    })

    test('not paid: a payment of a maker who was approved in another application, or calls its actions', async () => {
      const foreign = await newPerson(service(), ['maker', 'checker'], service().teranga)
      const id = await send(service(), maker)
      const contentHash = await shownHash(service(), checker, id)
      assert.equal(await decide(service(), foreign, id, { contentHash }), 'not_found')
      assert.equal(await decide(service(), foreign, id, { contentHash, slug: 'kora' }), 'not_found')
      assert.deepEqual(await act(service(), foreign, 'sendForApproval', aPayment(), 'kora'), { ok: false, code: 'not_found' })
      await assertNotPaid(service(), [id])
    })
  })
}

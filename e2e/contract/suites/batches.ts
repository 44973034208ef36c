import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { z } from 'zod'
import { aRequest, BASE, call, countWritten, expectError, expectOk } from '#e2e/contract/partner-program.ts'
import type { ContractService } from '#e2e/contract/service.ts'
import { OPERATOR_CODES } from '#lib/operators/operators.ts'
import { errorSchema, initiationSchema } from '#lib/schemas/api/responses.ts'

const batchSchema = z.array(initiationSchema)

/** depositMultiple: nothing starts when an element is wrong; one element of the answer for each of the request, in order. */
export function describeBatches(service: () => ContractService): void {
  const post = (body: unknown) => call(service(), service().partner, 'depositMultiple', { body })

  describe('POST /depositMultiple', () => {
    test('200 with initiation responses in the order of the request', async () => {
      const batch = OPERATOR_CODES.map((code, index) => aRequest({ amount: 100 + index }, code))
      const answers = expectOk(await post(batch), batchSchema)
      assert.deepEqual(
        answers.map((answer) => answer.externalId),
        batch.map((element) => element.externalId),
      )
      assert.deepEqual(
        answers.map((answer) => answer.amount),
        batch.map((element) => element['amount']),
      )
      assert.deepEqual(
        answers.map((answer) => answer.transferMethod),
        OPERATOR_CODES,
      )
      assert.equal(new Set(answers.map((answer) => answer.transactionId)).size, batch.length)
    })

    test('200 for a thousand elements; 400 for one more, none, and what is not an array', async () => {
      const batch = Array.from({ length: 1000 }, () => aRequest())
      assert.equal(expectOk(await post(batch), batchSchema).length, 1000)
      expectError(await post([...batch, aRequest()]), 400, `${BASE}/depositMultiple`)
      expectError(await post([]), 400)
      expectError(await post(aRequest()), 400)
      expectError(await post('"text"'), 400)
      expectError(await post('5'), 400)
    })

    test('400 that names index and field of each wrong element, and nothing is started', async () => {
      const batch = [aRequest(), aRequest({ amount: 0 }), aRequest(), aRequest({ countryName: 'MALI', phoneNumber: '5' })]
      const message = expectError(await post(batch), 400)
      assert.match(message, /\[1\] amount must be/)
      assert.match(message, /\[3\] phoneNumber must be/)
      assert.match(message, /\[3\] countryName must be CAMEROON/)
      assert.doesNotMatch(message, /\[0\]|\[2\]/)
      assert.equal(
        await countWritten(
          service(),
          batch.map((element) => element.externalId),
        ),
        0,
      )
      assert.match(expectError(await post([aRequest(), null, 5, []]), 400), /\[1\].*\[2\].*\[3\]/)
    })

    test('400 for the same externalId twice in one array, regardless of its letter case', async () => {
      const element = aRequest()
      for (const twin of [
        element,
        { ...element, externalId: element.externalId.toUpperCase() },
        aRequest({ externalId: element.externalId }),
      ]) {
        assert.match(expectError(await post([element, aRequest(), twin]), 400), /\[2\] externalId must be unique/)
      }
      assert.equal(await countWritten(service(), [element.externalId]), 0)
    })

    test('400 for an array with an externalId that has other content, and nothing is started', async () => {
      const taken = aRequest()
      assert.equal((await call(service(), service().partner, 'deposit', { body: taken })).status, 200)
      const batch = [aRequest(), aRequest({ externalId: taken.externalId, amount: 1 }), aRequest()]
      assert.match(expectError(await post(batch), 400), /\[1\] externalId must be unique/)
      assert.equal(
        await countWritten(
          service(),
          batch.map((element) => element.externalId),
        ),
        1,
      )
    })

    test('200 with the transactions of the first time for a repeated array, and for one that overlaps an earlier one', async () => {
      const batch = [aRequest(), aRequest({}, 'UGMTN'), aRequest()]
      const first = expectOk(await post(batch), batchSchema)
      const again = expectOk(await post(batch), batchSchema)
      assert.deepEqual(
        again.map((answer) => answer.transactionId),
        first.map((answer) => answer.transactionId),
      )
      const overlapping = expectOk(await post([aRequest(), ...batch]), batchSchema)
      assert.deepEqual(
        overlapping.slice(1).map((answer) => answer.transactionId),
        first.map((answer) => answer.transactionId),
      )
      assert.equal(
        await countWritten(
          service(),
          batch.map((element) => element.externalId),
        ),
        3,
      )
    })

    test('one start for fifty arrays at once that share an externalId with other content; the others name the element', async () => {
      const shared = aRequest()
      const arrays = Array.from({ length: 50 }, (_, index) => [
        aRequest(),
        aRequest({ externalId: shared.externalId, amount: 100 + index }),
      ])
      const answers = await Promise.all(arrays.map(post))
      let started = 0
      for (const answer of answers) {
        if (answer.status === 400) {
          assert.match(expectError(answer, 400), /\[1\] externalId must be unique/)
          continue
        }
        // Two arrays may both find the externalId free: the one that comes second at intake is told so in that place.
        const [first, second] = expectOk(answer, z.tuple([initiationSchema, z.union([initiationSchema, errorSchema])]))
        assert.equal(first.transactionStatus, 'PENDING')
        if ('transactionId' in second) started++
        else assert.match(second.message, /\[1\] externalId must be unique/)
      }
      assert.equal(started, 1)
      assert.equal(await countWritten(service(), [shared.externalId]), 1)
    })

    test('200 for a thousand elements of maximum length, 413 for a body of more than five megabytes', async () => {
      const longest = {
        customerName: '😀'.repeat(200),
        phoneNumber: '237699000111234',
        amount: 9_999_999_999.99,
        webhookUrl: `https://partner.invalid/${'x'.repeat(2_024)}`,
      }
      const batch = Array.from({ length: 1_000 }, () => aRequest(longest))
      assert.equal(expectOk(await post(batch), batchSchema).length, 1_000)
      const escaped = JSON.stringify(batch).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`)
      assert.equal(expectOk(await post(escaped), batchSchema).length, 1_000)
      expectError(await post(JSON.stringify([aRequest({ note: 'x'.repeat(5 * 1024 * 1024) })])), 413, `${BASE}/depositMultiple`)
    })
  })
}

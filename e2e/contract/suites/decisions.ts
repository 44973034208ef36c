import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { demandApproval, fundDeposits, newApiUser, newPartner, newPerson } from '#e2e/contract/arrange.ts'
import { aRequest, BASE, call, expectError, expectOk } from '#e2e/contract/partner-program.ts'
import type { ContractService, Partner } from '#e2e/contract/service.ts'
import { DEFAULT_POLICY_RULES } from '#lib/rules/approval-policy.ts'
import { initiationSchema, pageSchema, recordSchema } from '#lib/schemas/api/responses.ts'
import { setTransferService } from '#server/applications/terms.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { blockPerson } from '#server/people/accounts.ts'
import { setMembership } from '#server/people/membership.ts'
import { bandsFor } from '#server/policy/bands-for.ts'
import { anIntakeItem } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { takeIn } from '#server/transactions/intake.ts'

/** validateTransaction and rejectTransaction. */
export function describeDecisions(service: () => ContractService): void {
  describe('decisions on waiting transactions', () => {
    let partner: Partner
    let checker: string
    before(async () => {
      partner = await newPartner(service())
      checker = await newPerson(service(), partner, ['checker'])
      await demandApproval(service(), partner, 100_000_00n)
      await fundDeposits(service(), partner, 'OMCM', 1_000_000_000_00n)
    })

    async function makeWaiting(overrides: Record<string, unknown> = {}): Promise<string> {
      const made = expectOk(
        await call(service(), partner, 'deposit', { body: aRequest({ amount: 100_001, ...overrides }) }),
        initiationSchema,
      )
      assert.equal(made.transactionStatus, 'PENDING_APPROVAL')
      return made.transactionId
    }
    const validate = (transactionId: string, checkerId = checker, payeeNote = 'Checked by phone') =>
      call(service(), partner, 'validateTransaction', { query: { checkerId, transactionId, payeeNote } })
    const reject = (transactionId: string, checkerId = checker, reason = 'Wrong person') =>
      call(service(), partner, 'rejectTransaction', { query: { checkerId, transactionId, reason } })
    const statusOf = async (id: string) =>
      expectOk(await call(service(), partner, 'transaction-status', { query: { id } }), recordSchema).status

    test('PENDING_APPROVAL above the threshold, PENDING at it', async () => {
      const at = expectOk(
        await call(service(), partner, 'deposit', { body: aRequest({ amount: 100_000, phoneNumber: '237650000912' }) }),
        initiationSchema,
      )
      assert.equal(at.transactionStatus, 'PENDING')
      const id = await makeWaiting()
      const waiting = expectOk(
        await call(service(), partner, 'getByApplicationProductAndStatus', {
          method: 'GET',
          query: { transactionStatus: 'PENDING_APPROVAL', page: '0', size: '50' },
        }),
        pageSchema,
      )
      assert.ok(waiting.content.some((record) => record.id === id))
    })

    test('200 with the record for validateTransaction, and the transaction is submitted to the operator', async () => {
      const id = await makeWaiting()
      const record = expectOk(await validate(id), recordSchema)
      assert.equal(record.id, id)
      assert.equal(record.status, 'PENDING')
      await waitUntil('the operator has executed it', async () => (await statusOf(id)) === 'SUCCESS')
    })

    test('200 and FAILED for rejectTransaction', async () => {
      const id = await makeWaiting()
      assert.equal(expectOk(await reject(id), recordSchema).status, 'FAILED')
      assert.equal(await statusOf(id), 'FAILED')
    })

    test('200 for notes with any text that a person writes', async () => {
      expectOk(await validate(await makeWaiting(), checker, 'Zoé & Cie: 100 % « d’accord » 😀 + ?='), recordSchema)
      expectOk(await reject(await makeWaiting(), checker, '漢字 "quoted"'), recordSchema)
    })

    test('400 that names every parameter that is missing or wrong', async () => {
      const valid = { checkerId: checker, transactionId: randomUUID() }
      for (const [name, note] of [
        ['validateTransaction', 'payeeNote'],
        ['rejectTransaction', 'reason'],
      ] as const) {
        assert.match(
          expectError(await call(service(), partner, name), 400, `${BASE}/${name}`),
          new RegExp(`checkerId is required.*transactionId is required.*${note} is required`),
        )
        for (const text of ['', '   ', 'x'.repeat(1_001)])
          assert.match(
            expectError(await call(service(), partner, name, { query: { ...valid, [note]: text } }), 400),
            new RegExp(`${note} must be`),
          )
        assert.match(
          expectError(await call(service(), partner, name, { query: { checkerId: 'x', transactionId: 'y', [note]: 'z' } }), 400),
          /checkerId must be a UUID.*transactionId must be a UUID/,
        )
      }
    })

    test('404 for a transaction that does not exist or is another application’s, before the person is checked', async () => {
      const foreign = expectOk(await call(service(), service().stranger, 'deposit', { body: aRequest() }), initiationSchema)
      for (const id of [randomUUID(), foreign.transactionId]) {
        expectError(await validate(id), 404, `${BASE}/validateTransaction`)
        expectError(await reject(id, randomUUID()), 404, `${BASE}/rejectTransaction`)
      }
    })

    test('403 for anyone who is not an active checker of this application, before the state is checked', async () => {
      const waiting = await makeWaiting()
      const decided = await makeWaiting()
      expectOk(await reject(decided), recordSchema)
      const other = await newPartner(service())
      const blocked = await newPerson(service(), partner, ['checker'])
      must(await blockPerson(service().pool, { personId: blocked, isBlocked: true, actor: SYSTEM_ACTOR }))
      const inactive = await newPerson(service(), partner, ['checker'])
      must(
        await setMembership(service().pool, {
          applicationId: partner.applicationId,
          personId: inactive,
          isActive: false,
          actor: SYSTEM_ACTOR,
        }),
      )
      const people = {
        nobody: randomUUID(),
        maker: await newPerson(service(), partner, ['maker']),
        finance: await newPerson(service(), partner, ['finance']),
        administrator: await newPerson(service(), partner, ['administrator']),
        'a checker of another application': await newPerson(service(), other, ['checker']),
        blocked,
        inactive,
      }
      for (const [who, id] of Object.entries(people)) {
        for (const transactionId of [waiting, decided]) {
          assert.match(expectError(await validate(transactionId, id), 403), /checker/, who)
          expectError(await reject(transactionId, id), 403)
        }
      }
      assert.equal(await statusOf(waiting), 'PENDING_APPROVAL')
    })

    test('403 for the maker, even one who is a checker', async () => {
      const makerAndChecker = await newPerson(service(), partner, ['maker', 'checker'])
      const id = await makeWaiting()
      await service().pool.query('update transactions set maker_id = $3 where application_id = $1 and transaction_id = $2', [
        partner.applicationId,
        id,
        makerAndChecker,
      ])
      assert.match(expectError(await validate(id, makerAndChecker), 403), /maker/)
      assert.match(expectError(await reject(id, makerAndChecker), 403), /maker/)
      assert.equal(await statusOf(id), 'PENDING_APPROVAL')
    })

    test('400 for every state but PENDING_APPROVAL', async () => {
      const pending = expectOk(
        await call(service(), partner, 'collect', { body: aRequest({ phoneNumber: '237699000912' }) }),
        initiationSchema,
      ).transactionId
      const success = await makeWaiting({ phoneNumber: '237651000001' })
      expectOk(await validate(success), recordSchema)
      await waitUntil('it has succeeded', async () => (await statusOf(success)) === 'SUCCESS')
      const failed = await makeWaiting({ phoneNumber: '237651000002' })
      expectOk(await reject(failed), recordSchema)
      for (const [id, status] of [
        [pending, 'PENDING'],
        [success, 'SUCCESS'],
        [failed, 'FAILED'],
      ] as const) {
        assert.match(expectError(await validate(id), 400), new RegExp(`must be in PENDING_APPROVAL; it is in ${status}`))
        assert.match(expectError(await reject(id), 400), /must be in PENDING_APPROVAL/)
        assert.equal(await statusOf(id), status)
      }
    })

    test('200 for one of several decisions at once, 400 with the state for the others', async () => {
      const second = await newPerson(service(), partner, ['checker'])
      const id = await makeWaiting({ phoneNumber: '237651000912' })
      const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => (index % 2 ? validate(id, checker) : reject(id, second))))
      assert.equal(answers.filter((answer) => answer.status === 200).length, 1)
      for (const answer of answers.filter((one) => one.status !== 200)) expectError(answer, 400)
    })

    test('PENDING only after two different checkers, sent by another API user than the one that started it, if the rule requires two', async () => {
      const strict = await newPartner(service())
      const [one, two] = [await newPerson(service(), strict, ['checker']), await newPerson(service(), strict, ['checker'])]
      const second = await newApiUser(service(), strict)
      await demandApproval(service(), strict, 100_000_00n, [2])
      const { transactionId } = expectOk(
        await call(service(), strict, 'collect', { body: aRequest({ amount: 100_001 }) }),
        initiationSchema,
      )
      const decide = (checkerId: string, caller = second) =>
        call(service(), caller, 'validateTransaction', { query: { checkerId, transactionId, payeeNote: 'yes' } })
      assert.match(expectError(await decide(one, strict), 403), /API user that started/)
      assert.equal(expectOk(await decide(one), recordSchema).status, 'PENDING_APPROVAL')
      assert.match(expectError(await decide(one), 403), /already/)
      assert.match(expectError(await decide(two, strict), 403), /API user that started/)
      assert.equal(expectOk(await decide(two), recordSchema).status, 'PENDING')
    })

    test('403 for both decisions if the rule does not say that the API may decide, which is the default of a new rule', async () => {
      const silent = await newPartner(service())
      const checkerId = await newPerson(service(), silent, ['checker'])
      await demandApproval(service(), silent, 100_000_00n, [1], {})
      const { transactionId } = expectOk(
        await call(service(), silent, 'deposit', { body: aRequest({ amount: 100_001 }) }),
        initiationSchema,
      )
      for (const [name, note] of [
        ['validateTransaction', 'payeeNote'],
        ['rejectTransaction', 'reason'],
      ] as const) {
        const answer = await call(service(), silent, name, { query: { checkerId, transactionId, [note]: 'yes' } })
        assert.match(expectError(answer, 403, `${BASE}/${name}`), /rule "Large" does not allow decisions through the API/)
      }
      assert.equal(
        expectOk(await call(service(), silent, 'transaction-status', { query: { id: transactionId } }), recordSchema).status,
        'PENDING_APPROVAL',
      )
    })

    test('200 for a transaction that a person prepared under the default rule, sent by any API user', async () => {
      const plain = await newPartner(service())
      const checkerId = await newPerson(service(), plain, ['checker'])
      const makerId = await newPerson(service(), plain, ['maker'])
      const [band] =
        bandsFor({ version: 1, rules: DEFAULT_POLICY_RULES }, { type: 'DEPOSIT', operator: 'MOMOCM', currency: 'XAF', source: 'person' }) ??
        []
      assert.ok(band)
      const item = anIntakeItem(plain.applicationId, { source: 'person', makerId, actor: { kind: 'person', id: makerId }, bands: [band] })
      await takeIn(service().pool, [item])
      const query = { checkerId, transactionId: item.transactionId, payeeNote: 'Checked' }
      assert.match(
        expectError(await call(service(), plain, 'validateTransaction', { query: { ...query, checkerId: makerId } }), 403),
        /checker/,
      )
      assert.equal(expectOk(await call(service(), plain, 'validateTransaction', { query }), recordSchema).status, 'PENDING')
    })

    test('403 for validating at a transfer service that was disabled meanwhile; 200 for rejecting', async () => {
      const id = await makeWaiting({ phoneNumber: '237651000003' })
      const turn = (isEnabled: boolean) =>
        setTransferService(service().pool, {
          applicationId: partner.applicationId,
          operator: 'OMCM',
          type: 'DEPOSIT',
          service: { isEnabled, enforcesLimits: false, minimumMinor: null, maximumMinor: null },
          actor: SYSTEM_ACTOR,
        })
      must(await turn(false))
      try {
        assert.match(expectError(await validate(id), 403), /transfer service DEPOSIT of OMCM is disabled/)
        assert.equal(await statusOf(id), 'PENDING_APPROVAL')
        assert.equal(expectOk(await reject(id), recordSchema).status, 'FAILED')
      } finally {
        must(await turn(true))
      }
      await waitUntil('the service is on again', async () => {
        const answer = await call(service(), partner, 'deposit', { body: aRequest({ amount: 1, phoneNumber: '237651000004' }) })
        return answer.status === 200
      })
    })
  })
}

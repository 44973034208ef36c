import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { cookiesOf, postCredentials, signIn } from '#e2e/roles/callers.ts'
import { suspendMember } from '#server/people/membership.ts'
import { keyringOfProcess } from '#server/secrets-at-rest/keyring.ts'
import { totpSecretPlace } from '#server/secrets-at-rest/sealed-columns.ts'
import { must } from '#server/testing/partner.ts'
import { act, newPerson, type PayoutService, type Person, read } from '../payout-service.ts'
import { assertNotPaid, assertPaidOnce, decide, decideBatch, send, shownHash, submit, upload } from '../steps.ts'

/** Above the limit of the rule that requires two approvals. */
const FOR_TWO = { amount: '20000' }
/** Above the limit of the rule that requires a one-time code too. */
const WITH_CODE = { amount: '200000' }

/** One checker wants to approve more than one person may, or something else than what was shown. */
export function describeChecker(service: () => PayoutService): void {
  describe('a dishonest checker', () => {
    let maker: Person
    let checker: Person
    let colleague: Person
    before(async () => {
      maker = await newPerson(service(), ['maker'])
      checker = await newPerson(service(), ['checker'])
      colleague = await newPerson(service(), ['checker'])
    })

    test('one of two approvals counted, and nothing paid: twenty approvals of one person at once, over two sessions', async () => {
      const id = await send(service(), maker, FOR_TWO)
      const contentHash = await shownHash(service(), checker, id)
      const other = { ...checker, cookie: await signIn(service().baseUrl, checker.email, checker.password) }
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, index) => decide(service(), index % 2 ? other : checker, id, { contentHash })),
      )
      assert.equal(outcomes.filter((outcome) => outcome === 'done').length, 1)
      await assertNotPaid(service(), [id])
      assert.equal(await decide(service(), colleague, id), 'done')
      await assertPaidOnce(service(), id)
    })

    test('not paid: an approval with what was shown before a colleague decided, or with what was shown of another payment', async () => {
      const [id, other] = [await send(service(), maker, FOR_TWO), await send(service(), maker)]
      const before = await shownHash(service(), checker, id)
      assert.equal(await decide(service(), colleague, id), 'done')
      assert.equal(await decide(service(), checker, id, { contentHash: before }), 'content_changed')
      assert.equal(await decide(service(), checker, id, { contentHash: await shownHash(service(), checker, other) }), 'content_changed')
      await assertNotPaid(service(), [id, other])
    })

    test('not paid: a payment whose first approval came from a checker who is suspended when the second one is given', async () => {
      const leaver = await newPerson(service(), ['checker'])
      const administrator = await newPerson(service(), ['administrator'])
      const id = await send(service(), maker, FOR_TWO)
      assert.equal(await decide(service(), leaver, id), 'done')
      assert.ok((await act(service(), administrator, 'suspendPerson', { personId: leaver.personId, acknowledged: true })).ok)
      assert.equal(await decide(service(), checker, id), 'done')
      await assertNotPaid(service(), [id])
    })

    test('refused at the next request: decisions in a session that was signed out, or of a person who was suspended', async () => {
      const id = await send(service(), maker)
      const contentHash = await shownHash(service(), checker, id)
      const session = { ...checker, cookie: await signIn(service().baseUrl, checker.email, checker.password) }
      await act(service(), session, 'signOut', null).catch(() => undefined)
      const suspended = await newPerson(service(), ['checker'])
      const { personId, application } = suspended
      const by = await newPerson(service(), ['administrator'])
      const actor = {
        kind: 'person' as const,
        id: by.personId,
        applicationId: application.applicationId,
        roles: ['administrator' as const],
      }
      must(await suspendMember(service().database.pool, { applicationId: application.applicationId, personId, actor }))
      assert.equal(await decide(service(), session, id, { contentHash }), 'unauthenticated')
      assert.equal(await decide(service(), suspended, id, { contentHash }), 'not_found')
      await assertNotPaid(service(), [id])
    })

    test('one approval counted of two at once with one one-time code; none without a code or with a recovery code', async () => {
      const deciding = await newPerson(service(), ['checker'])
      const code = await enrol(service(), deciding)
      const ids = [await send(service(), maker, WITH_CODE), await send(service(), maker, WITH_CODE)]
      assert.equal(await decide(service(), deciding, ids[0] ?? ''), 'code_required')
      assert.equal(await decide(service(), deciding, ids[0] ?? '', { code: 'ABCD-EFGH-IJKL-MNOP' }), 'wrong_code')
      const current = code()
      const outcomes = await Promise.all(ids.map((id) => decide(service(), deciding, id, { code: current })))
      assert.deepEqual(outcomes.toSorted(), ['done', 'wrong_code'])
      await assertNotPaid(service(), ids)
    })

    test('not paid: a row of a batch that is decided alone, and a batch decided with rows of another one', async () => {
      const [batch, other] = [await upload(service(), maker, [{}, {}]), await upload(service(), maker, [{}])]
      const [rows, foreign] = [await submit(service(), maker, batch), await submit(service(), maker, other)]
      assert.equal(await decide(service(), colleague, rows[0] ?? '', { contentHash: '0'.repeat(64) }), 'in_batch')
      const excluded = [{ transactionId: foreign[0], reason: 'Not in this batch' }]
      const answer = await decideBatch(service(), colleague, batch.batchId, { excluded })
      assert.equal(answer.ok && answer.value['kind'], 'changed')
      await assertNotPaid(service(), [...rows, ...foreign])
    })

    test('not paid: a row that one decision left out, whatever a second decision at the same time says', async () => {
      const batch = await upload(service(), maker, [{}, {}])
      const [kept = '', left = ''] = await submit(service(), maker, batch)
      const answers = await Promise.all([
        decideBatch(service(), colleague, batch.batchId, { excluded: [{ transactionId: left, reason: 'Unknown person' }] }),
        decideBatch(service(), colleague, batch.batchId, { excluded: [{ transactionId: left, reason: 'Unknown person' }] }),
      ])
      assert.equal(answers.filter((answer) => answer.ok && answer.value['kind'] === 'done').length, 1)
      await assertPaidOnce(service(), kept)
      await assertNotPaid(service(), [left])
      assert.equal(await decide(service(), colleague, left, { contentHash: '0'.repeat(64) }), 'not_waiting')
      await assertNotPaid(service(), [left])
    })

    test('refused: to send payments, to make rules, to add people and to fund, without the role for it', async () => {
      const attempts = {
        sendForApproval: {},
        retryRun: { batchId: randomUUID() },
        saveRules: { rules: [] },
        proposeChange: { kind: 'person.roles', input: { personId: checker.personId, roles: ['checker', 'maker'], isActive: true } },
        confirmChange: { changeId: randomUUID() },
        revokeKey: { apiKeyId: randomUUID() },
      }
      for (const [action, input] of Object.entries(attempts)) {
        // A checker may propose one kind of change, a deputy for an absence of their own, so the command refuses the others.
        const code = { proposeChange: 'not_permitted', confirmChange: 'not_found' }[action] ?? 'forbidden'
        assert.deepEqual(await act(service(), colleague, action, input), { ok: false, code }, action)
      }
    })

    test('no session from the password alone where there is a second factor, under whatever name its cookies are sent', async () => {
      const person = await newPerson(service(), ['checker'])
      await enrol(service(), person)
      const answer = await postCredentials(service().baseUrl, person.email, person.password)
      const [sessionName = ''] = person.cookie.split('=')
      const values = cookiesOf(answer)
        .split('; ')
        .map((pair) => pair.slice(pair.indexOf('=') + 1))
      for (const cookie of [cookiesOf(answer), ...values.map((value) => `${sessionName}=${value}`)])
        assert.equal((await read(service(), { ...person, cookie }, 'approvals')).status, 401)
    })
  })
}

/** Sets up a second factor for a signed-in person. Returns what their device shows. */
async function enrol({ database }: PayoutService, { personId }: Person): Promise<() => string> {
  const device = new TOTP({ secret: new Secret({ size: 20 }) })
  const sealed = keyringOfProcess().seal(totpSecretPlace(personId), device.secret.base32)
  await database.pool.query('update people set totp_secret = $2, totp_enabled_at = now() where person_id = $1', [personId, sealed])
  return () => device.generate()
}

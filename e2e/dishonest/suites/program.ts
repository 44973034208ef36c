import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { signIn } from '#e2e/contract/service.ts'
import { aCollect } from '#e2e/processes/requests.ts'
import { signCallback } from '#server/operators/sandbox-protocol/messages.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import {
  type Application,
  act,
  BALANCE_MINOR,
  newPerson,
  OPERATOR_SECRET,
  type PayoutService,
  type Person,
  valueIn,
} from '../payout-service.ts'
import { assertNotPaid, assertPaidOnce, decide, newNumber, send } from '../steps.ts'

/** A partner's program, with the credentials of one application, wants the money or the payments of another one, or more than it may. */
export function describeProgram(service: () => PayoutService): void {
  describe('a dishonest program of a partner', () => {
    let checkers: Person[]
    before(async () => {
      checkers = [await newPerson(service(), ['checker']), await newPerson(service(), ['checker'])]
    })

    const call = async (path: string, { body, headers }: { body?: unknown; headers?: Readonly<Record<string, string>> } = {}) => {
      const { baseUrl, kora } = service()
      const answer = await fetch(`${baseUrl}/api/v1/transaction/${path}`, {
        method: 'POST',
        headers: { ...kora.headers, ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const json = (await answer.json()) as Readonly<Record<string, unknown>>
      return { status: answer.status, id: String(json['transactionId']), json }
    }
    const aDeposit = (overrides: Record<string, unknown> = {}) => aCollect({ phoneNumber: newNumber(), ...overrides })
    const deposit = (overrides: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
      call('deposit', { body: aDeposit(overrides), headers })
    const countOf = async ({ applicationId }: Application) =>
      Number(
        (await service().database.pool.query('select count(*) as n from transactions where application_id = $1', [applicationId])).rows[0]
          .n,
      )

    test('401 and nothing stored: each credential of one application with the two others of another one', async () => {
      const { kora, teranga } = service()
      const before = [await countOf(kora), await countOf(teranga)]
      for (const name of ['apiKey', 'apiId', 'Authorization']) {
        const foreign = { [name]: teranga.headers[name] ?? '' }
        assert.equal((await deposit({}, foreign)).status, 401, name)
        const others = Object.fromEntries(Object.entries(teranga.headers).filter(([header]) => header !== name))
        assert.equal((await deposit({}, others)).status, 401, `all but ${name}`)
      }
      assert.deepEqual([await countOf(kora), await countOf(teranga)], before)
    })

    test('404 and unchanged: payments of another application, read, queried, approved, rejected and listed by their number', async () => {
      const maker = await newPerson(service(), ['maker'], service().teranga)
      const theirs = await send(service(), maker)
      const [checkerId = ''] = checkers.map(({ personId }) => personId)
      const queries = [
        `transaction-status?id=${theirs}`,
        `chekTransactionStatus?transactionId=${theirs}`,
        `validateTransaction?checkerId=${checkerId}&transactionId=${theirs}&payeeNote=Mine`,
        `rejectTransaction?checkerId=${checkerId}&transactionId=${theirs}&reason=Mine`,
      ]
      for (const query of queries) assert.equal((await call(query)).status, 404, query)
      const { rows } = await service().database.pool.query('select status from transactions where transaction_id = $1', [theirs])
      assert.deepEqual(rows, [{ status: 'PENDING_APPROVAL' }])
      await assertNotPaid(service(), [theirs])
    })

    test('paid once: a request repeated thirty times at once and again later, and 400 with any other content', async () => {
      const body = aDeposit()
      const answers = await Promise.all(Array.from({ length: 30 }, () => call('deposit', { body })))
      assert.deepEqual([...new Set(answers.map(({ status, id }) => `${status} ${id}`))], [`200 ${answers[0]?.id}`])
      for (const change of [{ amount: 4_999 }, { phoneNumber: newNumber() }, { customerName: 'A friend' }])
        assert.equal((await call('deposit', { body: { ...body, ...change } })).status, 400)
      assert.equal((await call('collect', { body })).status, 400)
      await assertPaidOnce(service(), answers[0]?.id ?? '')
      assert.equal((await call('deposit', { body })).json['transactionStatus'], 'SUCCESS')
      await assertPaidOnce(service(), answers[0]?.id ?? '')
    })

    test('403 and not paid: a deposit above a limit, approved by the program that started it in the names of two checkers', async () => {
      const { id } = await deposit({ amount: 20_000 })
      for (const { personId } of checkers)
        assert.equal((await call(`validateTransaction?checkerId=${personId}&transactionId=${id}&payeeNote=Seen`)).status, 403)
      await assertNotPaid(service(), [id])
    })

    test('refused and not paid: a deposit above a limit that an engineer starts with a password that they received, and approves as a checker', async () => {
      const { baseUrl, kora, database } = service()
      const [thief, administrator] = [await newPerson(service(), ['engineer', 'checker']), await newPerson(service(), ['administrator'])]
      const username = `${randomUUID()}@kora.example`
      valueIn(await act(service(), thief, 'proposeChange', { kind: 'api_user.create', input: { username } }))
      const { rows } = await database.pool.query('select change_id as id from proposed_changes where subject = $1', [username])
      const changeId = rows[0].id
      valueIn(await act(service(), administrator, 'confirmChange', { changeId }))
      const { value: password } = valueIn(await act(service(), thief, 'collectSecret', { changeId }))
      const { headers } = await signIn(baseUrl, { ...kora, username, password: String(password) })
      const { id, json } = await deposit({ amount: 20_000 }, headers)
      assert.equal(json['transactionStatus'], 'PENDING_APPROVAL')
      assert.equal(await decide(service(), thief, id), 'has_password')
      assert.equal((await call(`validateTransaction?checkerId=${thief.personId}&transactionId=${id}&payeeNote=Seen`)).status, 403)
      await assertNotPaid(service(), [id])
    })

    test('403 and not paid: what a person prepared, approved by a program where no rule lets it', async () => {
      const id = await send(service(), await newPerson(service(), ['maker']))
      for (const { personId } of checkers)
        assert.equal((await call(`validateTransaction?checkerId=${personId}&transactionId=${id}&payeeNote=Seen`)).status, 403)
      await assertNotPaid(service(), [id])
    })

    test('waiting and not paid: deposits to one number that exceed a limit together, one by one and in one request', async () => {
      const phoneNumber = newNumber()
      const ids: string[] = []
      for (const amount of [4_000, 4_000, 4_000]) ids.push((await deposit({ phoneNumber, amount })).id)
      const other = newNumber()
      const many = await call('depositMultiple', { body: [1, 2, 3].map(() => aDeposit({ phoneNumber: other, amount: 4_000 })) })
      const last = Object.values(many.json).at(-1) as { transactionId: string }
      await assertNotPaid(service(), [ids[2] ?? '', last.transactionId])
    })

    test('paid up to the balance and not beyond it: deposits of everything at once', async () => {
      const { teranga, database } = service()
      const each = 9_000
      const possible = Math.floor(Number(BALANCE_MINOR) / 100 / (each * 1.015))
      const bodies = Array.from({ length: possible + 12 }, () => aDeposit({ amount: each }))
      const answers = await Promise.all(bodies.map((body) => call('deposit', { body, headers: teranga.headers })))
      const ids = answers.map(({ id }) => id)
      await waitUntil('every deposit has ended', async () => {
        const { rowCount } = await database.pool.query(
          "select 1 from transactions where transaction_id = any ($1) and status = 'PENDING'",
          [ids],
        )
        return rowCount === 0
      })
      assert.equal(service().operator.submitted.filter((reference) => ids.includes(reference)).length, possible)
    })

    test('401 and unchanged: callbacks about own payments without a signature, with a wrong, an old, or that of another body', async () => {
      const { operator, baseUrl, kora, database } = service()
      const script = { ...operator.script }
      operator.script.submit = ({ response }) => response.destroy()
      const { id } = await deposit()
      const body = JSON.stringify({
        reference: id,
        status: 'SUCCESS',
        operatorReference: 'mine',
        context: kora.applicationId,
        amount: '5000',
      })
      const signatures = [
        undefined,
        signCallback('a guess', body, new Date()),
        signCallback(OPERATOR_SECRET, body, new Date(Date.now() - 600_000)),
        signCallback(OPERATOR_SECRET, `${body} `, new Date()),
      ]
      for (const signature of signatures) {
        const headers = { 'content-type': 'application/json', ...(signature && { 'x-sandbox-signature': signature }) }
        assert.equal((await fetch(`${baseUrl}/operators/callback/MOMOCM`, { method: 'POST', headers, body })).status, 401)
      }
      const { rows } = await database.pool.query('select status from transactions where transaction_id = $1', [id])
      assert.deepEqual(rows, [{ status: 'PENDING' }])
      Object.assign(operator.script, script)
    })

    test('404 at the page of a customer for a deposit, another application’s id and a guess; nothing paid by a code for them', async () => {
      const { baseUrl } = service()
      const started = await deposit()
      for (const token of [String(started.json['payToken']), started.id, randomUUID()]) {
        assert.equal((await fetch(`${baseUrl}/pay/${token}`)).status, 404)
        const form = { method: 'POST', body: new URLSearchParams({ code: '123456' }), redirect: 'manual' } as const
        assert.equal((await fetch(`${baseUrl}/pay/${token}/code`, form)).status, 303)
      }
      await assertPaidOnce(service(), started.id)
    })

    test('every token of a family ended once a refresh token is used a second time after its successor was', async () => {
      const { baseUrl, teranga } = service()
      const refresh = async (token: string) => {
        const headers = { 'content-type': 'application/json' }
        const answer = await fetch(`${baseUrl}/public/refresh_token`, {
          method: 'POST',
          headers,
          body: JSON.stringify({ refreshToken: token }),
        })
        return { status: answer.status, json: (await answer.json()) as Readonly<Record<string, unknown>> }
      }
      const { refreshToken } = await signIn(baseUrl, teranga)
      const second = await refresh(refreshToken)
      await service().database.pool.query(
        "update refresh_tokens set replaced_at = replaced_at - interval '1 minute' where replaced_at is not null",
      )
      assert.equal((await refresh(refreshToken)).status, 401)
      assert.equal((await refresh(String(second.json['refresh_token']))).status, 401)
    })
  })
}

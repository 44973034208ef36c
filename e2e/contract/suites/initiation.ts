import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { aRequest, BASE, call, countWritten, expectError, expectOk } from '#e2e/contract/partner-program.ts'
import type { ContractService } from '#e2e/contract/service.ts'
import { COUNTRIES, COUNTRY_NAMES, OPERATOR_CODES, OPERATORS } from '#lib/operators/operators.ts'
import { initiationSchema } from '#lib/schemas/api/responses.ts'

/** Invalid values of each field, and the message that must refuse them. */
const WRONG_FIELDS: [field: string, value: unknown, message: RegExp][] = [
  ['transferMethod', 'XXCM', /transferMethod must be one of OMCM/],
  ['transferMethod', 'omcm', /transferMethod/],
  ['transferMethod', '', /transferMethod/],
  ['transferMethod', 7, /transferMethod/],
  ['transferMethod', 'toString', /transferMethod/],
  ['customerName', '', /customerName must be/],
  ['customerName', '   ', /customerName/],
  ['customerName', 'x'.repeat(201), /customerName/],
  ['customerName', null, /customerName/],
  ['customerName', 12, /customerName/],
  ['externalId', 'abc', /externalId must be a UUID version 4/],
  ['externalId', '6ba7b810-9dad-11d1-80b4-00c04fd430c8', /externalId/],
  ['externalId', '00000000-0000-0000-0000-000000000000', /externalId/],
  ['externalId', 1, /externalId/],
  ['phoneNumber', '+237699000111', /phoneNumber must be in international format without \+/],
  ['phoneNumber', '00237699000111', /phoneNumber/],
  ['phoneNumber', '699000111', /phoneNumber/],
  ['phoneNumber', '221770001111', /phoneNumber must start with 237/],
  ['phoneNumber', '237 699 000 111', /phoneNumber/],
  ['phoneNumber', '237699', /phoneNumber/],
  ['phoneNumber', '2376990001112223', /phoneNumber/],
  ['phoneNumber', 237699000111, /phoneNumber/],
  ['phoneNumber', '٢٣٧٦٩٩٠٠٠١١١', /phoneNumber/],
  ['amount', 0, /amount must be a number greater than zero/],
  ['amount', -1, /amount/],
  ['amount', -5000.5, /amount/],
  ['amount', '5000', /amount/],
  ['amount', 0.001, /amount/],
  ['amount', 10_000_000_000, /amount/],
  ['amount', null, /amount/],
  ['amount', true, /amount/],
  ['amount', [5000], /amount/],
  ['amount', { value: 5000 }, /amount/],
  ['webhookUrl', '/hooks', /webhookUrl must be an absolute http or https address/],
  ['webhookUrl', 'ftp://partner.example/x', /webhookUrl/],
  ['webhookUrl', 'javascript:alert(1)', /webhookUrl/],
  ['webhookUrl', 'https:partner.example', /webhookUrl/],
  ['webhookUrl', 'https://', /webhookUrl/],
  ['webhookUrl', 'https://partner.example/a b', /webhookUrl/],
  ['webhookUrl', `https://partner.example/${'x'.repeat(2_048)}`, /webhookUrl/],
  ['webhookUrl', null, /webhookUrl/],
  ['webhookUrl', 5, /webhookUrl/],
  ['countryName', 'Cameroon', /countryName must be one of CAMEROON/],
  ['countryName', 'CM', /countryName/],
  ['countryName', null, /countryName/],
]

const FIELDS = ['transferMethod', 'customerName', 'externalId', 'phoneNumber', 'amount', 'webhookUrl', 'countryName']

/** collect and deposit: one body, two directions. */
export function describeInitiation(service: () => ContractService): void {
  for (const endpoint of ['collect', 'deposit'] as const) {
    describe(`POST /${endpoint}`, () => {
      test('200 with the ten fields of the initiation response, which repeat the request', async () => {
        const body = aRequest({ amount: 5000, customerName: 'Zoé "Q" Ñandú 漢字 😀' })
        const initiation = expectOk(await call(service(), service().partner, endpoint, { body }), initiationSchema)
        assert.deepEqual(Object.keys(initiation), [
          'transactionId',
          'externalId',
          'transferMethod',
          'customerName',
          'customerPhone',
          'payToken',
          'amount',
          'feesSystem',
          'feesApp',
          'transactionStatus',
        ])
        assert.equal(initiation.externalId, body.externalId)
        assert.equal(initiation.transferMethod, 'OMCM')
        assert.equal(initiation.customerName, 'Zoé "Q" Ñandú 漢字 😀')
        assert.equal(initiation.customerPhone, '237699000111')
        assert.equal(initiation.transactionStatus, 'PENDING')
        // 1 % and 0.5 %: what the documented sample has too.
        assert.deepEqual([initiation.amount, initiation.feesSystem, initiation.feesApp], [5000, 50, 25])
        assert.ok(initiation.payToken.length >= 16)
        assert.equal(await countWritten(service(), [body.externalId]), 1)
      })

      test('200 for each operator in its own country', async () => {
        for (const code of OPERATOR_CODES) {
          const body = aRequest({}, code)
          const initiation = expectOk(await call(service(), service().partner, endpoint, { body }), initiationSchema)
          assert.equal(initiation.transferMethod, code)
        }
      })

      test('400 for every operator in every other country, naming the country that it belongs to', async () => {
        const externalIds: string[] = []
        for (const code of OPERATOR_CODES) {
          const right = OPERATORS[code].country.name
          for (const country of COUNTRY_NAMES.filter((name) => name !== right)) {
            const body = aRequest({ countryName: country, phoneNumber: `${COUNTRIES[country].dialCode}699000111` }, code)
            externalIds.push(body.externalId)
            const message = expectError(await call(service(), service().partner, endpoint, { body }), 400)
            assert.match(message, new RegExp(`countryName must be ${right} for transferMethod ${code}`))
          }
        }
        assert.equal(externalIds.length, 13 * 6)
        assert.equal(await countWritten(service(), externalIds), 0)
      })

      for (const field of FIELDS) {
        test(`400 for a body without ${field}`, async () => {
          const body = aRequest()
          delete body[field]
          const message = expectError(await call(service(), service().partner, endpoint, { body }), 400, `${BASE}/${endpoint}`)
          assert.match(message, new RegExp(`${field} is required`))
        })
      }

      test('400 for each wrong value of each field, naming the field, and nothing is written', async () => {
        const externalIds: string[] = []
        for (const [field, value, expected] of WRONG_FIELDS) {
          const body = aRequest({ [field]: value })
          externalIds.push(String(body.externalId))
          assert.match(
            expectError(await call(service(), service().partner, endpoint, { body }), 400),
            expected,
            `${field} = ${JSON.stringify(value)}`,
          )
        }
        assert.equal(await countWritten(service(), externalIds), 0)
      })

      test('400 that names every wrong field in one message', async () => {
        const message = expectError(
          await call(service(), service().partner, endpoint, { body: { amount: '1', countryName: 'MALI', transferMethod: 'OMCM' } }),
          400,
        )
        for (const field of FIELDS.filter((name) => name !== 'transferMethod')) assert.match(message, new RegExp(`\\b${field}\\b`))
      })

      test('200 for digits as a name, decimals, unknown fields, old and new lengths, fields in any order', async () => {
        const bodies = [
          aRequest({ customerName: '237699000111' }),
          aRequest({ amount: 100.5 }),
          aRequest({ amount: 0.01 }),
          aRequest({ amount: 9_999_999_999.99 }),
          aRequest({ currency: 'XAF', description: 'rent', provider: { name: 'x' }, amountMinor: 1, __proto__x: 1 }),
          aRequest({ phoneNumber: '22997000111' }, 'BJMTN'),
          aRequest({ phoneNumber: '2290197000111' }, 'BJMTN'),
          aRequest({ phoneNumber: '22507000111' }, 'CIOM'),
          aRequest({ phoneNumber: '2250707000111' }, 'CIOM'),
          aRequest({ customerName: '😀'.repeat(200) }),
          aRequest({ webhookUrl: 'http://203.0.113.7:8080/hook?x=1#y' }),
          aRequest({ externalId: randomUUID().toUpperCase() }),
          Object.fromEntries(Object.entries(aRequest()).reverse()),
        ]
        for (const body of bodies) {
          const initiation = expectOk(await call(service(), service().partner, endpoint, { body }), initiationSchema)
          assert.equal(initiation.amount, body['amount'])
          assert.equal(initiation.externalId, String(body['externalId']).toLowerCase())
        }
      })

      test('amounts as the shortest exact decimals', async () => {
        for (const [sent, written] of [
          ['100.50', '100.5'],
          ['5.000e3', '5000'],
          ['0.10', '0.1'],
          ['9999999999.99', '9999999999.99'],
        ]) {
          const body = JSON.stringify(aRequest({ amount: 1 })).replace('"amount":1', `"amount":${sent}`)
          const answer = await call(service(), service().partner, endpoint, { body })
          assert.equal(answer.status, 200, answer.text)
          assert.ok(answer.text.includes(`"amount":${written},`), answer.text)
        }
      })

      test('200 with the transaction of the first time for a repeated request', async () => {
        const body = aRequest()
        const first = expectOk(await call(service(), service().partner, endpoint, { body }), initiationSchema)
        const again = expectOk(await call(service(), service().partner, endpoint, { body }), initiationSchema)
        const upper = expectOk(
          await call(service(), service().partner, endpoint, { body: { ...body, externalId: body.externalId.toUpperCase() } }),
          initiationSchema,
        )
        assert.equal(again.transactionId, first.transactionId)
        assert.equal(again.payToken, first.payToken)
        assert.equal(upper.transactionId, first.transactionId)
        assert.equal(await countWritten(service(), [body.externalId]), 1)
      })

      test('400 for an externalId that has other content, whichever field differs', async () => {
        const body = aRequest()
        expectOk(await call(service(), service().partner, endpoint, { body }), initiationSchema)
        const others = [
          { amount: 5001 },
          { customerName: 'Somebody Else' },
          { phoneNumber: '237699000112' },
          { webhookUrl: 'https://partner.invalid/other' },
          { transferMethod: 'MOMOCM' },
        ]
        for (const other of others) {
          const message = expectError(await call(service(), service().partner, endpoint, { body: { ...body, ...other } }), 400)
          assert.match(message, /externalId must be unique/)
        }
        const otherWay = endpoint === 'collect' ? 'deposit' : 'collect'
        expectError(await call(service(), service().partner, otherWay, { body }), 400)
      })

      test('200 for two applications that use the same externalId', async () => {
        const body = aRequest()
        const mine = expectOk(await call(service(), service().partner, endpoint, { body }), initiationSchema)
        const theirs = expectOk(await call(service(), service().stranger, endpoint, { body }), initiationSchema)
        assert.notEqual(mine.transactionId, theirs.transactionId)
      })

      test('one transaction for fifty equal requests at once', async () => {
        const body = aRequest()
        const answers = await Promise.all(Array.from({ length: 50 }, () => call(service(), service().partner, endpoint, { body })))
        const ids = new Set(answers.map((answer) => expectOk(answer, initiationSchema).transactionId))
        assert.equal(ids.size, 1)
        assert.equal(await countWritten(service(), [body.externalId]), 1)
      })

      test('200 for one of fifty requests at once that share an externalId and differ in content, 400 for the others', async () => {
        const { externalId } = aRequest()
        const answers = await Promise.all(
          Array.from({ length: 50 }, (_, index) =>
            call(service(), service().partner, endpoint, { body: aRequest({ externalId, amount: 1000 + index }) }),
          ),
        )
        assert.equal(answers.filter((answer) => answer.status === 200).length, 1)
        for (const answer of answers.filter((one) => one.status !== 200))
          assert.match(expectError(answer, 400), /externalId must be unique/)
        assert.equal(await countWritten(service(), [externalId]), 1)
      })
    })
  }
}

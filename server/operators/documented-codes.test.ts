import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AIRTEL_ANSWERS, UNDER_WAY, UNKNOWN_ID } from './airtel/messages.ts'
import { type AnswerTable, failureReason, outcomeOfCode } from './answer-table.ts'
import { moovAnswersOf } from './moov/messages.ts'
import { moovSettings } from './moov/testing.ts'
import { MTN_ANSWERS } from './mtn/messages.ts'
import { ORANGE_BF_ANSWERS } from './orange-bf/messages.ts'
import { ORANGE_CM_ANSWERS } from './orange-cm/messages.ts'
import { judge, submitOutcomeOf } from './orange-sonatel/messages.ts'
import { WAVE_ANSWERS } from './wave/messages.ts'

const CALL = { kind: 'answered', httpStatus: 200, body: '{}' } as const
const REFUSED = 'Transaction refusée'
const FUNDS = 'Solde insuffisant'
const NUMBER = 'Numéro invalide'
const CUSTOMER = 'Transaction annulée par le client'
const TIMEOUT = 'Timeout opérateur'
const UNREGISTERED = 'Compte non inscrit'

/**
 * Codes as the operators document them, by what they mean as the answer to a submission. `refused`: nothing was executed, the transaction fails
 * with this message. `ended`: nothing is proven; a final status that carries the code has this message. `known`: the operator has the
 * reference. `fault`: it refused our own PIN, key or settings. `open`: nothing is proven, and the code says nothing about a failure either.
 */
type Meanings = {
  refused?: Record<string, string[]>
  ended?: Record<string, string[]>
  known?: string[]
  fault?: string[]
  open?: string[]
}

const moov = moovAnswersOf(moovSettings('https://moov.example'))

const DOCUMENTED: [operator: string, table: AnswerTable, meanings: Meanings][] = [
  [
    'MTN',
    MTN_ANSWERS,
    {
      refused: {
        [FUNDS]: ['NOT_ENOUGH_FUNDS'],
        [UNREGISTERED]: ['PAYER_NOT_FOUND', 'PAYEE_NOT_FOUND'],
        [REFUSED]: ['BAD_REQUEST', 'PAYER_LIMIT_REACHED', 'PAYEE_NOT_ALLOWED_TO_RECEIVE', 'SENDER_ACCOUNT_NOT_ACTIVE'],
      },
      // They are outcomes of a transfer that was accepted before.
      ended: {
        [CUSTOMER]: ['APPROVAL_REJECTED', 'PAYMENT_NOT_APPROVED', 'TRANSACTION_CANCELED'],
        [TIMEOUT]: ['EXPIRED', 'COULD_NOT_PERFORM_TRANSACTION'],
      },
      known: ['RESOURCE_ALREADY_EXIST'],
      fault: ['NOT_ALLOWED', 'NOT_ALLOWED_TARGET_ENVIRONMENT', 'INVALID_CALLBACK_URL_HOST', 'INVALID_CURRENCY'],
      open: ['INTERNAL_PROCESSING_ERROR', 'SERVICE_UNAVAILABLE'],
    },
  ],
  [
    'Airtel',
    AIRTEL_ANSWERS,
    {
      refused: {
        [FUNDS]: ['DP00800001007', 'DP00900001007'],
        [NUMBER]: ['DP00900001012', '521002'],
        [CUSTOMER]: ['DP00800001002', 'DP00800001008'],
        [UNREGISTERED]: ['DP00800001010', 'DP02200000002'],
        [REFUSED]: [
          // Limits, amounts, what is not honoured or not permitted, and any bad field.
          ...['DP00800001003', 'DP00800001004', 'DP00800001009'],
          ...['DP00900001003', 'DP00900001004', 'DP00900001005', 'DP00900001009', 'DP00900001010', 'DP00900001013'],
        ],
      },
      ended: { [TIMEOUT]: ['DP00800001005', 'DP00800001024', 'DP00800001029', 'DP00900001014'] },
      known: ['DP00900001011', 'DP00900001017', '521050', 'ESB000041'],
      fault: ['DP00800001026', 'DP00900001016', 'DP00900001018', 'DP00900001019', 'ROUTER114', 'ROUTER115', 'ROUTER116'],
      open: ['DP00800001000', 'DP00900001000', 'ESB000001', 'ESB000004', 'ESB000008', 'ESB000014', '0000900'],
    },
  ],
  [
    'Orange Cameroon',
    ORANGE_CM_ANSWERS,
    {
      refused: {
        [FUNDS]: ['60019'],
        [NUMBER]: ['HTTP 400 msisdn'],
        [CUSTOMER]: ['CANCELLED'],
        [TIMEOUT]: ['EXPIRED'],
        [REFUSED]: ['FAILED'],
      },
      known: ['60041'],
      fault: ['wrong PIN', 'wrong X-AUTH-TOKEN'],
      open: ['00068'],
    },
  ],
  ['Orange Burkina Faso', ORANGE_BF_ANSWERS, { refused: { [NUMBER]: ['990422', '00066'] }, open: ['00068'] }],
  [
    'Wave',
    WAVE_ANSWERS,
    {
      refused: {
        [FUNDS]: ['insufficient-funds'],
        [UNREGISTERED]: ['recipient-account-inactive'],
        [REFUSED]: [
          ...['request-validation-error', 'recipient-limit-exceeded', 'recipient-account-blocked', 'recipient-minor'],
          ...['country-mismatch', 'currency-mismatch', 'invalid-aggregated-merchant-id', 'aggregated-merchant-required'],
        ],
      },
      ended: {
        [CUSTOMER]: ['cancelled'],
        [NUMBER]: ['payer-mobile-mismatch'],
        [TIMEOUT]: ['service-unavailable'],
        [REFUSED]: [
          ...['reversed', 'blocked-account', 'cross-border-payment-not-allowed', 'customer-age-restricted'],
          ...['kyb-limits-exceeded', 'payment-failure'],
        ],
      },
      fault: [
        ...['missing-auth-header', 'invalid-auth', 'api-key-not-provided', 'no-matching-api-key', 'api-key-revoked'],
        ...['invalid-wallet', 'disabled-wallet', 'unauthorized-wallet', 'authorization-error'],
      ],
      open: ['idempotency-mismatch'],
    },
  ],
  [
    'Moov',
    moov,
    {
      refused: {
        [NUMBER]: ['3'],
        [FUNDS]: ['8', '10'],
        [UNREGISTERED]: ['555'],
        [REFUSED]: ['6', '7', '9', '11', '12', '13', '14', '15', '16', '17', '18', '19', '20'],
      },
    },
  ],
]

const byCode = (groups: Record<string, string[]> = {}) =>
  Object.entries(groups).flatMap(([message, codes]) => codes.map((code) => [code, message] as const))

for (const [operator, table, { refused, ended, known = [], fault = [], open = [] }] of DOCUMENTED) {
  test(`failed, known, our fault or nothing proven for each code that ${operator} documents, with the message of a failure`, () => {
    const expected = [
      ...byCode(refused).map(([code, message]) => [code, 'failed', message]),
      ...byCode(ended).map(([code, message]) => [code, 'unknown', message]),
      ...known.map((code) => [code, 'accepted', REFUSED]),
      ...fault.map((code) => [code, 'not_sent', REFUSED]),
      ...open.map((code) => [code, 'unknown', REFUSED]),
    ].sort()
    const found = Object.keys(table).map((code) => {
      const outcome = outcomeOfCode(table, code, CALL)
      assert.equal(outcome.kind === 'not_sent' && outcome.closesDirection !== undefined, outcome.kind === 'not_sent', code)
      return [code, outcome.kind, failureReason(table, code)]
    })
    assert.deepEqual(found.sort(), expected)
    assert.equal(outcomeOfCode(table, 'a code that is not documented', CALL).kind, 'unknown')
    assert.equal(outcomeOfCode(table, 'toString', CALL).kind, 'unknown')
  })
}

test('not_found for the ids that Airtel does not know, and pending for those that it is processing', () => {
  assert.deepEqual(
    [[...UNKNOWN_ID].sort(), [...UNDER_WAY].sort()],
    [
      ['DP00800001025', 'DP00900001015'],
      ['DP00800001006', 'DP00900001006'],
    ],
  )
})

test('failed, our fault or nothing proven for each code that Sonatel documents, with the message of a failure', () => {
  const expected: [outcome: string, codes: string[]][] = [
    [`failed ${UNREGISTERED}`, ['2000']],
    [`failed ${NUMBER}`, ['2001']],
    [`failed ${FUNDS}`, ['2020', '2021']],
    // Other balances, ceilings, a customer who is not authorised, a malformed request.
    [`failed ${REFUSED}`, ['2022', '2023', '2024', '2025', '2041', '2043', '4099']],
    [`failed ${TIMEOUT}`, ['4004']],
    // Our PIN, our account, and we ourselves.
    ['not_sent and closed', ['2010', '2011', '2012', '2013', '2042']],
    // The key of the PIN is read again.
    ['not_sent', ['4003']],
    ['unknown', ['2002', '2009', '2014', '2026', '2040', '2044', '2050', '4000', '4005', '5000']],
  ]
  for (const [outcome, codes] of expected)
    for (const code of codes) {
      const found = submitOutcomeOf({ kind: 'answered', httpStatus: 400, body: JSON.stringify({ code }) }, 'x', [])
      const detail = found.kind === 'failed' ? found.reason : found.kind === 'not_sent' && found.closesDirection ? 'and closed' : ''
      assert.equal(`${found.kind} ${detail}`.trim(), outcome, code)
      // With a status of the gateway's own the code proves nothing.
      assert.equal(submitOutcomeOf({ kind: 'answered', httpStatus: 500, body: JSON.stringify({ code }) }, 'x', []).kind, 'unknown', code)
    }
  for (const [status, message] of [
    ['FAILED', REFUSED],
    ['REJECTED', CUSTOMER],
    ['CANCELLED', CUSTOMER],
  ] as const) {
    const found = judge([{ transactionId: '1', status, code: undefined }], { httpStatus: 200, answer: '' }, { isNumberBound: true })
    assert.deepEqual([found.kind, 'reason' in found && found.reason], ['failed', message])
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { COUNTRIES, COUNTRY_NAMES, customerStepOf, OPERATOR_CODES, OPERATORS } from '#lib/operators/operators.ts'
import { parseTransactionRequest } from '#lib/schemas/api/transaction-request.ts'
import { parseJson } from '#lib/text/json.ts'
import { behaviourFor } from '#server/operators/simulator/behaviour.ts'
import { COUNTRY_STARTS, STEP_EXAMPLES } from './country-starts.ts'

test('each country and each operator once, with a number that is paid, one that is refused, and a collect that the API accepts', () => {
  assert.deepEqual(
    COUNTRY_STARTS.map(({ country }) => country),
    COUNTRY_NAMES,
  )
  assert.deepEqual(COUNTRY_STARTS.flatMap(({ operators }) => operators).toSorted(), [...OPERATOR_CODES].toSorted())
  for (const { country, operators, phone, refused, collect } of COUNTRY_STARTS) {
    for (const code of operators) assert.equal(OPERATORS[code].country.name, country)
    assert.ok(phone.startsWith(COUNTRIES[country].dialCode) && refused.phone.startsWith(COUNTRIES[country].dialCode), country)
    assert.equal(refused.phone.length, phone.length)
    assert.equal(behaviourFor(phone).result.kind, 'executed')
    assert.deepEqual(behaviourFor(refused.phone).result, { kind: 'failed', message: refused.message })
    const body = collect.run.body?.replace('$EXTERNAL_ID', crypto.randomUUID()) ?? ''
    const json = parseJson(body)
    assert.ok(json.ok, body)
    const parsed = parseTransactionRequest(json.value)
    assert.ok(parsed.ok, country)
    assert.deepEqual([parsed.value.transferMethod, parsed.value.phoneNumber], [operators[0], phone])
  }
})

test('one collect for each step of a customer, with a number that leaves a minute', () => {
  assert.deepEqual(
    STEP_EXAMPLES.map(({ operator }) => customerStepOf(operator)),
    ['prompt', 'link', 'code'],
  )
  for (const { collect } of STEP_EXAMPLES) {
    const [, phone = ''] = /"phoneNumber": "(\d+)"/.exec(collect.run.body ?? '') ?? []
    assert.equal(behaviourFor(phone).due, 'slow')
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupBankNumber, maskBankNumber, readBankNumber } from './bank-number.ts'

const IBAN = { ML: 'ML13ML0160120102600100668497', SN: 'SN08SN0100152000048500003035', CM: 'CM2110002000300277976315008' }

test('an IBAN with spaces and hyphens, in small letters, is its characters in capitals', () => {
  for (const number of Object.values(IBAN)) {
    const written = number.toLowerCase().replaceAll(/(.{4})/g, '$1 ')
    assert.deepEqual(readBankNumber(` ${written}-`, 'XOF'), { ok: true, value: { form: 'iban', number } })
  }
})

test('the RIB within each IBAN of both unions is a RIB', () => {
  for (const iban of Object.values(IBAN)) {
    const number = iban.slice(4)
    assert.deepEqual(readBankNumber(number, 'XAF'), { ok: true, value: { form: 'rib', number } })
  }
})

test('wrong_check for each digit of an IBAN or a RIB that is another one', () => {
  for (const number of [...Object.values(IBAN), IBAN.CM.slice(4), IBAN.SN.slice(4)]) {
    for (let place = 6; place < number.length; place++) {
      const wrong = `${number.slice(0, place)}${(Number(number[place]) + 1) % 10}${number.slice(place + 1)}`
      assert.deepEqual(readBankNumber(wrong, 'XAF'), { ok: false, error: 'wrong_check' }, wrong)
    }
  }
})

test('wrong_form for an IBAN of another length than its country has, a plain number in francs, text, and nothing', () => {
  for (const text of [IBAN.CM.slice(0, -1), `${IBAN.ML}0`, '10002000300277', 'Afriland First Bank', '', '12345'])
    assert.deepEqual(readBankNumber(text, 'XAF'), { ok: false, error: 'wrong_form' }, text)
})

test('a plain account number in Uganda, whose banks have no IBAN', () => {
  assert.deepEqual(readBankNumber('9030 0123 45678', 'UGX'), { ok: true, value: { form: 'account', number: '9030012345678' } })
  assert.deepEqual(readBankNumber('1234567', 'UGX'), { ok: false, error: 'wrong_form' })
})

test('four characters are left of a masked number; groups of four of the whole', () => {
  assert.equal(maskBankNumber(IBAN.CM), '•••• 5008')
  assert.equal(groupBankNumber('123456789'), '1234 5678 9')
})

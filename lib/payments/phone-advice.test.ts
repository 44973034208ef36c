import assert from 'node:assert/strict'
import { test } from 'node:test'
import { advisePhone, cleanPhone, countryOfPhone } from './phone-number.ts'

test('digits only: a number typed with spaces, brackets, points, hyphens, a plus or two zeros', () => {
  for (const typed of ['+237 6 77 20 93 41', '00237 677-20-93-41', '237.677.209.341', '(237) 677\u00a0209\u202f341', '237677209341'])
    assert.equal(cleanPhone(typed), '237677209341', typed)
  assert.equal(cleanPhone('23767720934x'), '23767720934x')
})

test('nothing to check: a number of its operator in each country', () => {
  for (const [phone, country, operator] of [
    ['237677209341', 'CAMEROON', 'MOMOCM'],
    ['237690441208', 'CAMEROON', 'OMCM'],
    ['2250707123456', 'IVORY_COAST', 'CIOM'],
    ['221771234567', 'SENEGAL', 'SNOM'],
    ['221761234567', 'SENEGAL', 'SNFREE'],
    ['22674123456', 'BURKINA_FASO', 'BFOM'],
    ['22366123456', 'MALI', 'MLMOOV'],
    ['2290197123456', 'BENIN', 'BJMTN'],
    ['2290195123456', 'BENIN', 'BJMOOV'],
    ['256772123456', 'UGANDA', 'UGMTN'],
    ['256702123456', 'UGANDA', 'UGAIRTEL'],
  ] as const)
    assert.equal(advisePhone(phone, country, operator), null, phone)
})

test('carrier: a prefix of another one; never for Wave, whose wallets belong to any number', () => {
  assert.deepEqual(advisePhone('237690441208', 'CAMEROON', 'MOMOCM'), { kind: 'carrier', carrier: 'Orange' })
  assert.deepEqual(advisePhone('2250107123456', 'IVORY_COAST', 'CIOM'), { kind: 'carrier', carrier: 'Moov' })
  for (const phone of ['221701234567', '221761234567', '221771234567']) assert.equal(advisePhone(phone, 'SENEGAL', 'SNWAVE'), null)
  assert.equal(advisePhone('2250507123456', 'IVORY_COAST', 'CIWAVE'), null)
  assert.equal(advisePhone('237690441208', 'CAMEROON', null), null)
})

test('old_number with 01 added: eight digits of Benin; and the prefix of its operator for eight digits of Ivory Coast', () => {
  assert.deepEqual(advisePhone('22997123456', 'BENIN', 'BJMTN'), { kind: 'old_number', suggestion: '2290197123456' })
  assert.deepEqual(advisePhone('22507123456', 'IVORY_COAST', 'CIOM'), { kind: 'old_number', suggestion: '2250707123456' })
})

test('dial_code: a national number, also an old one; nothing while it is too short', () => {
  assert.deepEqual(advisePhone('677209341', 'CAMEROON', 'MOMOCM'), { kind: 'dial_code', suggestion: '237677209341' })
  assert.deepEqual(advisePhone('97123456', 'BENIN', 'BJMTN'), { kind: 'dial_code', suggestion: '2290197123456' })
  for (const phone of ['', '6', '67720', '+', 'abc']) assert.equal(advisePhone(phone, 'CAMEROON', 'MOMOCM'), null, phone)
})

test('length: more or fewer digits than the country has', () => {
  assert.deepEqual(advisePhone('2376772093', 'CAMEROON', 'MOMOCM'), { kind: 'length', digits: 9 })
  assert.deepEqual(advisePhone('2216712345678', 'SENEGAL', 'SNWAVE'), { kind: 'length', digits: 9 })
})

test('the country of an international number; undefined for a national or short one', () => {
  assert.equal(countryOfPhone('2290197123456'), 'BENIN')
  for (const phone of ['0197123456', '229', '33612345678', 'x']) assert.equal(countryOfPhone(phone), undefined, phone)
})

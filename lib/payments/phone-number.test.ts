import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { phoneNumberForms } from './phone-number.ts'

test('both forms of a number of Benin, the new one first', () => {
  assert.deepEqual(phoneNumberForms('22997123456'), ['2290197123456', '22997123456'])
  assert.deepEqual(phoneNumberForms('2290197123456'), ['2290197123456', '22997123456'])
})

test('the new form of an old Ivorian mobile number, with the prefix of its operator', () => {
  for (const [old, now] of [
    ['22507123456', '2250707123456'],
    ['22559123456', '2250759123456'],
    ['22505123456', '2250505123456'],
    ['22594123456', '2250594123456'],
    ['22501123456', '2250101123456'],
    ['22542123456', '2250142123456'],
    ['22560123456', '2250160123456'],
  ] as const) {
    assert.deepEqual(phoneNumberForms(old), [now, old])
    assert.deepEqual(phoneNumberForms(now), [now, old])
  }
})

test('one form for a number that was never written in another way', () => {
  for (const number of [
    '237677209341',
    '221771234567',
    '256772123456',
    // A fixed line, and new numbers that no old one became.
    '22520123456',
    '2252720123456',
    '2250700123456',
    '2250177123456',
    '2290297123456',
    '229019712345',
    '22901971234567',
  ])
    assert.deepEqual(phoneNumberForms(number), [number])
})

test('the same forms for every form of a number, and none in common for different people', () => {
  const number = fc
    .tuple(fc.constantFrom('225', '229', '237', '22501', '22505', '22507', '22901'), fc.stringMatching(/^\d{6,12}$/))
    .map(([start, end]) => start + end)
    .filter((text) => /^\d{10,15}$/.test(text))
  fc.assert(
    fc.property(number, number, (one, other) => {
      const forms = phoneNumberForms(one)
      assert.ok(forms.includes(one) && forms.length <= 2)
      for (const form of forms) assert.deepEqual(phoneNumberForms(form), forms)
      if (!forms.includes(other)) assert.ok(!phoneNumberForms(other).some((form) => forms.includes(form)))
    }),
    { numRuns: 2_000 },
  )
})

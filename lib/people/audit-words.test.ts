import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTranslate } from '#lib/i18n/translate.ts'
import { feeFactName } from '#lib/money/fees.ts'
import { MESSAGES } from '#server/messages.ts'
import { AUDIT_ACTIONS, type AuditEntryDto } from './audit-actions.ts'
import { actionWords, describeAct, detailLines } from './audit-words.ts'

const ENTRY: AuditEntryDto = {
  sequence: '1',
  at: '2026-03-03T10:00:00.000Z',
  actor: { kind: 'person', id: 'a', name: 'Anna Ngo' },
  action: 'person.blocked',
  subject: 'b',
  subjectName: 'Ben Fouda',
  address: '192.0.2.1',
  details: {},
  names: {},
}

for (const locale of ['en', 'fr'] as const) {
  const t = createTranslate(locale, MESSAGES[locale])

  test(`a sentence of its own for every action that can be recorded, without gaps: ${locale}`, () => {
    const sentences = AUDIT_ACTIONS.map((action) =>
      describeAct(t, { ...ENTRY, action, details: { kind: 'person.roles', subject: 'b', name: 'Ben' } }),
    )
    for (const [index, sentence] of sentences.entries())
      assert.doesNotMatch(sentence, /[{}]|audit\.did|undefined/, AUDIT_ACTIONS[index] ?? '')
    assert.equal(new Set(sentences).size, AUDIT_ACTIONS.length)
    for (const action of AUDIT_ACTIONS) assert.doesNotMatch(actionWords(t, action), /[{}]/)
  })

  test(`a name in words for every detail that has one: ${locale}`, () => {
    const known = Object.keys(MESSAGES.en).filter((key) => key.startsWith('audit.detail.'))
    for (const key of known) {
      const [line] = detailLines(t, { ...ENTRY, details: { [key.slice('audit.detail.'.length)]: 'x' } })
      assert.equal(line?.name, MESSAGES[locale][key as keyof typeof MESSAGES.en])
    }
  })
}

const t = createTranslate('en', MESSAGES.en)

test('the name of the action where an entry is from another release', () => {
  assert.equal(describeAct(t, { ...ENTRY, action: 'pigeon.sent', subjectName: null }), 'pigeon.sent · b')
})

test('both sides of what an entry records beside "before" without "after"', () => {
  const details = { before: { isEnabled: false, minimumMinor: null }, isEnabled: true, minimumMinor: null, note: 'x' }
  assert.deepEqual(detailLines(t, { ...ENTRY, details }), [
    { name: 'In service', before: 'No', value: 'Yes' },
    { name: 'Note', before: null, value: 'x' },
  ])
})

test('the direction in words for the fact of its fees', () => {
  const fact = feeFactName('MOMOCM', 'DEPOSIT')
  const details = { before: { [fact]: '5000 0' }, after: { [fact]: '7500 0' } }
  assert.deepEqual(
    detailLines(t, { ...ENTRY, details }).map(({ name }) => name),
    ['Application’s fee, MOMOCM Deposit'],
  )
})

test('no before for a fact that only the proposed side has', () => {
  const details = { before: { depositMinor: '0' }, after: { depositMinor: '500', reference: 'FT-1' } }
  assert.deepEqual(detailLines(t, { ...ENTRY, details }), [
    { name: 'Deposit balance, in hundredths', before: '0', value: '500' },
    { name: 'Reference', before: null, value: 'FT-1' },
  ])
})

test('before and after of what differs, names in place of ids, and the other details as they are', () => {
  const details = {
    before: { roles: ['maker'], isActive: true },
    after: { roles: ['checker', 'finance'], isActive: true },
    proposedBy: 'p',
    pigeons: { count: 2 },
    address: '192.0.2.1',
  }
  assert.deepEqual(detailLines(t, { ...ENTRY, details, names: { p: 'Carl' } }), [
    { name: 'Roles', before: 'Maker', value: 'Checker, Finance' },
    { name: 'Proposed by', before: null, value: 'Carl' },
    { name: 'pigeons', before: null, value: '{"count":2}' },
  ])
})

test('the whole of what was or is where only one of them has parts, and a value that is none, not or empty in words', () => {
  const lines = (details: AuditEntryDto['details']) =>
    detailLines(t, { ...ENTRY, details, names: {} }).map(({ before, value }) => [before, value])
  assert.deepEqual(lines({ before: null, after: { isActive: true } }), [['None', '{"isActive":true}']])
  assert.deepEqual(lines({ before: '5', after: ['maker', 'pigeon'] }), [['5', 'Maker, pigeon']])
  assert.deepEqual([lines({ before: '5' }), lines({ after: '5' })], [[['5', 'None']], [['None', '5']]])
  assert.deepEqual(lines({ before: { a: 1, b: '' }, after: { a: null, b: '', c: false } }), [
    ['1', 'None'],
    [null, 'No'],
  ])
  assert.deepEqual(
    lines({ count: 7, factor: 'one_time_code', kind: 'x', subject: 'y' }).map(([before]) => before),
    [null, null],
  )
})

test('what a proposal is about by the name in its details, and every other act by its subject', () => {
  const act = { ...ENTRY, subject: 'an id', subjectName: null }
  assert.match(
    describeAct(t, { ...act, action: 'change.proposed', details: { subject: 'MOMOCM DEPOSIT', kind: 'fees.set' } }),
    /MOMOCM DEPOSIT/,
  )
  assert.match(describeAct(t, { ...act, action: 'change.proposed', details: { kind: 'fees.set' } }), /an id/)
  assert.match(describeAct(t, { ...act, action: 'person.suspended', details: { subject: 'another' } }), /an id/)
  assert.match(describeAct(t, { ...act, subjectName: 'Awa', action: 'person.suspended', details: {} }), /Awa/)
})

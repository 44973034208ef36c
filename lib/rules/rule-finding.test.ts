import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isKnown, type RuleFinding } from './rule-finding.ts'

const NOBODY = { kind: 'nobody_can_approve', rules: ['Large'], needed: 3, available: 1, needsCode: true } as const
const STUCK = { ...NOBODY, kind: 'makers_stuck', makers: ['Ama', 'Dora'] } as const
const CURRENCIES = { kind: 'currency_without_rule', type: 'DEPOSIT', isApi: true, currencies: ['XAF', 'UGX'] } as const
const OPERATORS = { kind: 'operators_without_rule', type: 'DEPOSIT', operators: ['OMCM', 'MOMOCM'] } as const
const AMOUNTS = { kind: 'amounts_without_rule', type: 'DEPOSIT', currency: 'XAF', upToMinor: '500', operators: ['OMCM', 'MOMOCM'] } as const

const PRESENT: readonly RuleFinding[] = [NOBODY, CURRENCIES, OPERATORS, AMOUNTS]

/** The same or less of what is present. */
const KNOWN: readonly RuleFinding[] = [
  ...PRESENT,
  { ...NOBODY, needed: 2, available: 0 },
  { ...NOBODY, needsCode: false },
  STUCK,
  { ...CURRENCIES, currencies: ['UGX'] },
  { ...OPERATORS, operators: ['MOMOCM'] },
  { ...AMOUNTS, upToMinor: '499' },
  { ...AMOUNTS, operators: ['OMCM'] },
]

/** More of what is present, or something else. */
const NEW: readonly RuleFinding[] = [
  { ...NOBODY, needed: 4 },
  { ...NOBODY, rules: ['Large', 'First'] },
  { ...NOBODY, rules: ['Other'] },
  { ...CURRENCIES, currencies: ['XAF', 'XOF'] },
  { ...CURRENCIES, isApi: false },
  { ...CURRENCIES, type: 'COLLECT' },
  { ...OPERATORS, operators: ['OMCM', 'SNOM'] },
  { ...OPERATORS, type: 'COLLECT' },
  // Compared as amounts, and not as texts.
  { ...AMOUNTS, upToMinor: '1000' },
  { ...AMOUNTS, currency: 'XOF' },
  { ...AMOUNTS, type: 'COLLECT' },
  { ...AMOUNTS, operators: null },
  { ...AMOUNTS, operators: ['SNOM'] },
]

test('known: what is present already, or less of it', () => {
  for (const finding of KNOWN) assert.ok(isKnown(finding, PRESENT), JSON.stringify(finding))
  assert.ok(isKnown({ ...AMOUNTS, operators: ['SNOM'] }, [{ ...AMOUNTS, operators: null }]))
})

test('new: more of what is present, something else, and everything where nothing is present', () => {
  for (const finding of NEW) assert.ok(!isKnown(finding, PRESENT), JSON.stringify(finding))
  for (const finding of KNOWN) assert.ok(!isKnown(finding, []), JSON.stringify(finding))
})

test('makers who are stuck: fewer of them are known, another one and what nobody can approve are new', () => {
  assert.ok(isKnown({ ...STUCK, makers: ['Ama'] }, [STUCK]))
  assert.ok(!isKnown({ ...STUCK, makers: ['Ama', 'Ben'] }, [STUCK]))
  assert.ok(!isKnown(NOBODY, [STUCK]))
  assert.ok(!isKnown({ ...NOBODY, needsCode: true }, [{ ...NOBODY, needsCode: false }]))
})

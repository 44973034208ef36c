import assert from 'node:assert/strict'
import { test } from 'node:test'
import en from '#lib/i18n/en.json' with { type: 'json' }
import fr from '#lib/i18n/fr.json' with { type: 'json' }
import { createTranslate } from '#lib/i18n/translate.ts'
import { differenceText, type ListDifferenceDto, signedPercent } from './list-difference.ts'

const SAME: ListDifferenceDto = {
  source: { batchId: '1', name: 'October' },
  groupName: null,
  people: 10,
  newPeople: 0,
  leftOut: 0,
  changedNames: 0,
  changedNumbers: 0,
  changedAmounts: 0,
  totals: [{ currency: 'XAF', beforeMinor: '10000', afterMinor: '10000' }],
}
const english = (difference: ListDifferenceDto) => differenceText(createTranslate('en', en), 'en', difference)
const french = (difference: ListDifferenceDto) => differenceText(createTranslate('fr', fr), 'fr', difference)

test('the sentence names what differs and nothing else, in both languages', () => {
  const totals = [{ currency: 'XAF', beforeMinor: '10000', afterMinor: '10400' }] as const
  const differing = { ...SAME, newPeople: 3, changedNumbers: 2, totals }
  assert.equal(english(differing), 'Compared with “October”: 3 new people, 2 changed numbers, +4% in total.')
  assert.equal(
    french(differing),
    'Par rapport à «\u00a0October\u00a0»\u00a0: 3 nouvelles personnes, 2 numéros modifiés, +4\u00a0% au total.',
  )
  assert.equal(english(SAME), 'The same people, numbers and amounts as “October”.')
  assert.equal(english({ ...SAME, source: null, groupName: 'Salaries', newPeople: 10 }), 'First list of the group “Salaries”: 10 people.')
})

test('each currency has its own percentage, and one that was not paid before has none', () => {
  const totals = [
    { currency: 'XAF', beforeMinor: '10000', afterMinor: '9500' },
    { currency: 'XOF', beforeMinor: '0', afterMinor: '500' },
  ] as const
  assert.equal(english({ ...SAME, totals }), 'Compared with “October”: −5% in XAF, XOF is new.')
})

test('percentages are rounded to tenths, exact beyond 2^53, and a tiny change is never shown as none', () => {
  assert.equal(signedPercent(3n, 4n, 'en'), '+33.3%')
  assert.equal(signedPercent(3n, 2n, 'fr'), '−33,3\u00a0%')
  assert.equal(signedPercent(10n ** 17n, 2n * 10n ** 17n, 'en'), '+100%')
  assert.equal(signedPercent(1_000_000n, 1_000_001n, 'en'), '< +0.1%')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { maskHolderName } from '#lib/operators/account-check.ts'
import { compareNames } from './compare-names.ts'

const same: readonly [string, string][] = [
  ['Clarisse Mbarga', 'CLARISSE M.'],
  ['Mbarga Clarisse', 'CLARISSE M.'],
  ['Clarisse', 'CLARISSE M.'],
  ['Hélène Ngo Bassong', 'NGO BASSONG HELENE'],
  ['M’Barga Jean', 'JEAN MBARGA'],
  ['Mme Aminata Diop', 'AMINATA DIOP'],
  ['Fatou Ndiaye', 'FATOUMATA N.'],
  ['Christophe Kouassi', 'CHRISTOPHR K.'],
  ['Emmanuel Okello', 'EMMANUE'],
  ['Cœur Traoré', 'COEUR T.'],
]
const unclear: readonly [string, string][] = [
  ['', 'CLARISSE M.'],
  ['Clarisse Mbarga', ''],
  ['C. Mbarga', 'CLARISSE M.'],
  ['C. M.', 'JEAN PAUL'],
  ['Mbarga', 'CLARISSE M.'],
  ['محمد علي', 'MOHAMED A.'],
  ['Mohamed Ali', 'محمد علي'],
  ['Mohamed Diallo', 'MOUHAMADOU D.'],
  ['Usman Kone', 'OUSMANE K.'],
  ['Khady Fall', 'KADIDIA F.'],
  ['Clarisse Ngo', 'CLARISSE M.'],
  ['Jo', 'CLARISSE M.'],
  ['12345', 'CLARISSE M.'],
  ['Иван', 'CLARISSE M.'],
]
const different: readonly [string, string][] = [
  ['Jean Fotso', 'CLARISSE M.'],
  ['Jeanne Mbarga', 'CLARISSE M.'],
  ['Paul Biyick', 'AMINATA DIOP'],
  ['Sylvie Tchoumi', 'ROBERT'],
]

for (const [names, outcome] of [
  [same, 'same'],
  [unclear, 'unclear'],
  [different, 'different'],
] as const)
  for (const [written, registered] of names)
    test(`${outcome}: "${written}" and "${registered}", whichever is compared with the other`, () => {
      assert.deepEqual([compareNames(written, registered), compareNames(registered, written)], [outcome, outcome])
    })

const word = fc.stringMatching(/^[a-z]{3,12}$/)

test('never different: a name, and the same name masked, in another order, in capitals or without its last word', () => {
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), fc.nat(4), (words, place) => {
      const name = words.join(' ')
      const turned = [...words.slice(place % words.length), ...words.slice(0, place % words.length)].join(' ')
      for (const form of [name.toUpperCase(), turned, words.slice(0, Math.max(1, words.length - 1)).join(' '), maskHolderName(name) ?? ''])
        assert.notEqual(compareNames(form, name), 'different')
    }),
  )
})

test('never different, and no exception, where one side has no whole word of our alphabet', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (left, right) => {
      const hasWord = (name: string) => /[a-z]{3}/i.test(name.normalize('NFKD').replace(/[\p{M}'’]/gu, ''))
      if (!hasWord(left) || !hasWord(right)) assert.notEqual(compareNames(left, right), 'different')
    }),
  )
})

test('the first word and the initials of the others are left of a name that an operator reports', () => {
  assert.equal(maskHolderName('CLARISSE', 'MBARGA'), 'CLARISSE M.')
  assert.equal(maskHolderName('Jean Paul', 'Ngo Bassong'), 'Jean P. N. B.')
  assert.equal(maskHolderName(null, 'CLARISSE M.'), 'CLARISSE M.')
  assert.equal(maskHolderName('Élise', ' Éto’o '), 'Élise É.')
  assert.equal(maskHolderName('<b>237677209341</b>\u202e', undefined), 'b b.')
  for (const nothing of [[], [null], ['', ' '], ['237677209341'], ['...']]) assert.equal(maskHolderName(...nothing), undefined)
  assert.ok((maskHolderName('x'.repeat(5_000_000)) ?? '').length <= 40)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locale } from '#lib/i18n/locale.ts'
import { createTranslate } from '#lib/i18n/translate.ts'
import { MESSAGES } from '#server/messages.ts'
import { approvalRuleSchema, BASE_RULE } from './approval-policy.ts'
import { ruleSentence } from './rule-sentence.ts'

const ALL = ['api', 'person', 'file']

function sentence(locale: Locale, rule: Record<string, unknown>): string {
  const parsed = approvalRuleSchema.parse({ name: 'A rule', sources: ALL, approvals: [1], ...rule })
  // Written with plain spaces here, so that the expected texts can be read.
  return ruleSentence(createTranslate(locale, MESSAGES[locale]), locale, parsed).replaceAll('\u00a0', ' ')
}

const LARGE = { limits: { XAF: '50000000' } }

const SENTENCES: readonly [rule: Record<string, unknown>, english: string, french: string][] = [
  [
    { ...LARGE, approvals: [2], needsCode: true },
    'Deposits above 500,000 XAF: two checkers, with a code',
    'Dépôts de plus de 500 000 XAF : deux valideurs, avec un code',
  ],
  [{}, 'Deposits: one checker', 'Dépôts : un valideur'],
  [{ types: ['COLLECT'] }, 'Collects: one checker', 'Encaissements : un valideur'],
  [{ types: ['DEPOSIT', 'COLLECT'] }, 'Collects and deposits: one checker', 'Encaissements et dépôts : un valideur'],
  [{ operators: ['MOMOCM'] }, 'Deposits at MTN Cameroon: one checker', 'Dépôts chez MTN Cameroun : un valideur'],
  [
    { operators: ['MOMOCM', 'OMCM', 'SNWAVE'] },
    'Deposits at MTN Cameroon, Orange Cameroon, or Wave Senegal: one checker',
    'Dépôts chez MTN Cameroun, Orange Cameroun ou Wave Sénégal : un valideur',
  ],
  [
    { countries: ['IVORY_COAST', 'MALI'] },
    'Deposits in Ivory Coast or Mali: one checker',
    'Dépôts en Côte d’Ivoire ou au Mali : un valideur',
  ],
  [
    { operators: ['BFOM'], countries: ['BURKINA_FASO'] },
    'Deposits at Orange Burkina Faso in Burkina Faso: one checker',
    'Dépôts chez Orange Burkina Faso au Burkina Faso : un valideur',
  ],
  [{ limits: { XOF: '0' } }, 'Deposits in XOF: one checker', 'Dépôts en XOF : un valideur'],
  [{ limits: { UGX: '0', XOF: '0' } }, 'Deposits in XOF or UGX: one checker', 'Dépôts en XOF ou UGX : un valideur'],
  [
    { limits: { UGX: '500000000', XOF: '50000000', XAF: '50000000' }, approvals: [2] },
    'Deposits above 500,000 XAF, 500,000 XOF, or 5,000,000 UGX: two checkers',
    'Dépôts de plus de 500 000 XAF, 500 000 XOF ou 5 000 000 UGX : deux valideurs',
  ],
  [
    { limits: { XAF: '50000000', XOF: '0' } },
    'Deposits above 500,000 XAF or 0 XOF: one checker',
    'Dépôts de plus de 500 000 XAF ou 0 XOF : un valideur',
  ],
  [
    { limits: { XAF: '50000000', XOF: '10000000' }, measure: 'dayTotal' },
    'Deposits of more than 500,000 XAF or 100,000 XOF with one phone number within 24 hours: one checker',
    'Dépôts de plus de 500 000 XAF ou 100 000 XOF avec un même numéro en 24 heures : un valideur',
  ],
  [{ sources: ['api'] }, 'Deposits started through the API: one checker', 'Dépôts lancés par l’API : un valideur'],
  [{ sources: ['person'] }, 'Deposits prepared by a person: one checker', 'Dépôts préparés par une personne : un valideur'],
  [{ sources: ['file'] }, 'Deposits from a file: one checker', 'Dépôts issus d’un fichier : un valideur'],
  [
    { sources: ['person', 'api'] },
    'Deposits started through the API or prepared by a person: one checker',
    'Dépôts lancés par l’API ou préparés par une personne : un valideur',
  ],
  [
    { sources: ['file', 'api'] },
    'Deposits started through the API or from a file: one checker',
    'Dépôts lancés par l’API ou issus d’un fichier : un valideur',
  ],
  [
    { sources: ['file', 'person'] },
    'Deposits prepared by a person or from a file: one checker',
    'Dépôts préparés par une personne ou issus d’un fichier : un valideur',
  ],
  [
    { limits: { UGX: '123456789050' } },
    'Deposits above 1,234,567,890.50 UGX: one checker',
    'Dépôts de plus de 1 234 567 890,50 UGX : un valideur',
  ],
  [
    { ...LARGE, measure: 'batchTotal', approvals: [3] },
    'Deposits in batches of more than 500,000 XAF: three checkers',
    'Dépôts dans un lot de plus de 500 000 XAF : trois valideurs',
  ],
  [
    { ...LARGE, measure: 'dayTotal' },
    'Deposits of more than 500,000 XAF with one phone number within 24 hours: one checker',
    'Dépôts de plus de 500 000 XAF avec un même numéro en 24 heures : un valideur',
  ],
  [
    { firstTimeOnly: true },
    'Deposits to a number never paid before: one checker',
    'Dépôts vers un numéro encore jamais payé : un valideur',
  ],
  [
    { firstTimeOnly: true, types: ['COLLECT'] },
    'Collects from a number that never paid before: one checker',
    'Encaissements d’un numéro qui n’a encore jamais payé : un valideur',
  ],
  [
    { firstTimeOnly: true, types: ['COLLECT', 'DEPOSIT'] },
    'Collects and deposits with a phone number for the first time: one checker',
    'Encaissements et dépôts avec un numéro pour la première fois : un valideur',
  ],
  [{ approvals: [4] }, 'Deposits: four checkers', 'Dépôts : quatre valideurs'],
  [{ approvals: [5, 5] }, 'Deposits: five checkers, then five more', 'Dépôts : cinq valideurs, puis cinq autres'],
  [{ approvals: [1, 1] }, 'Deposits: one checker, then one more', 'Dépôts : un valideur, puis un autre'],
  [{ apiMayDecide: true }, 'Deposits: one checker, also through the API', 'Dépôts : un valideur, aussi par l’API'],
  [{ expiresInHours: 24 }, 'Deposits: one checker, within one day', 'Dépôts : un valideur, sous un jour'],
  [{ expiresInHours: 720 }, 'Deposits: one checker, within 30 days', 'Dépôts : un valideur, sous 30 jours'],
  [{ expiresInHours: 1 }, 'Deposits: one checker, within one hour', 'Dépôts : un valideur, sous une heure'],
  [{ expiresInHours: 36 }, 'Deposits: one checker, within 36 hours', 'Dépôts : un valideur, sous 36 heures'],
  [
    {
      types: ['COLLECT', 'DEPOSIT'],
      sources: ['api', 'file'],
      operators: ['SNOM'],
      countries: ['SENEGAL'],
      limits: { XOF: '100000' },
      firstTimeOnly: true,
      approvals: [2, 1],
      needsCode: true,
      apiMayDecide: true,
      expiresInHours: 48,
    },
    'Collects and deposits at Orange Senegal in Senegal started through the API or from a file above 1,000 XOF with a phone number for the first time: two checkers, then one more, with a code, also through the API, within 2 days',
    'Encaissements et dépôts chez Orange Sénégal au Sénégal lancés par l’API ou issus d’un fichier de plus de 1 000 XOF avec un numéro pour la première fois : deux valideurs, puis un autre, avec un code, aussi par l’API, sous 2 jours',
  ],
]

for (const [rule, english, french] of SENTENCES) {
  test(english, () => {
    assert.equal(sentence('en', rule), english)
    assert.equal(sentence('fr', rule), french)
  })
}

test('a sentence for the default rule', () => {
  assert.equal(sentence('en', BASE_RULE), 'Collects and deposits prepared by a person or from a file: one checker, also through the API')
})

test('no-break spaces before a colon, between groups of digits and before a currency in French', () => {
  const parsed = approvalRuleSchema.parse({ name: 'A rule', sources: ALL, approvals: [1], ...LARGE })
  assert.equal(ruleSentence(createTranslate('fr', MESSAGES.fr), 'fr', parsed), 'Dépôts de plus de 500\u00a0000\u00a0XAF\u00a0: un valideur')
})

test('another sentence for every field that changes what a rule does', () => {
  const changes: Record<string, unknown>[] = [
    {},
    { types: ['COLLECT'] },
    { sources: ['api'] },
    { operators: ['OMCM'] },
    { countries: ['MALI'] },
    { limits: { XAF: '0' } },
    LARGE,
    { limits: { XAF: '50000000', XOF: '50000000' } },
    { ...LARGE, measure: 'batchTotal' },
    { ...LARGE, measure: 'dayTotal' },
    { firstTimeOnly: true },
    { approvals: [2] },
    { approvals: [1, 1] },
    { needsCode: true },
    { apiMayDecide: true },
    { expiresInHours: 24 },
  ]
  for (const locale of ['en', 'fr'] as const)
    assert.equal(new Set(changes.map((change) => sentence(locale, change))).size, changes.length, locale)
})

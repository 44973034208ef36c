import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOCALES } from '#lib/i18n/locale.ts'
import { JOURNAL_ACCOUNT_NAMES, JOURNAL_ACCOUNTS, type JournalAccount } from '#lib/reconciliation/journal.ts'
import { WALLETS } from '#lib/reconciliation/wallets.ts'
import type { StoredLine } from '#server/reconciliation/journal/journal-store.ts'
import { type BookedEntry, journalFile, LABEL_MAX } from './journal-files.ts'

const line = (account: JournalAccount, amountMinor: bigint, auxiliary: string | null = null): StoredLine => ({
  ...{ account, code: JOURNAL_ACCOUNTS[account], auxiliary, amountMinor },
})

const entry = (overrides: Partial<BookedEntry>): BookedEntry => ({
  number: 1,
  kind: 'day',
  wallet: 'OMCM',
  day: '2026-11-05',
  version: 1,
  reverses: null,
  reversedBy: null,
  currency: 'XAF',
  mappingVersion: 0,
  journal: 'MM',
  debitMinor: 1_234_550n,
  numberedAt: new Date('2026-11-06T10:00:00Z'),
  lines: [line('wallet', 1_234_550n), line('operator_fees', 100n), line('partners', -1_234_650n, 'kora-stores')],
  ...overrides,
})
const ENTRIES = [entry({}), entry({ number: 2, kind: 'reversal', reverses: 1, lines: [line('taxes', 500_000n), line('gain', -500_000n)] })]
const french = (format: 'csv' | 'sage' | 'odoo', entries = ENTRIES) => journalFile(entries, { format, currency: 'XAF', language: 'fr' })

test('Sage 100: semicolons, CRLF, Windows-1252, DD/MM/YY, decimal commas only where there are hundredths', () => {
  assert.equal(
    french('sage').toString('latin1'),
    [
      'MM;05/11/26;1;552;;OMCM Mobile money;12345,50;',
      'MM;05/11/26;1;6317;;OMCM Frais opérateur;1;',
      'MM;05/11/26;1;4731;kora-stores;OMCM Avoirs application;;12346,50',
      'MM;05/11/26;2;648;;Extourne 1 OMCM;5000;',
      'MM;05/11/26;2;7588;;Extourne 1 OMCM;;5000',
      '',
    ].join('\r\n'),
  )
  // One byte for é, as Windows-1252 has it.
  assert.ok(french('sage').includes(0xe9))
})

test('Odoo: the columns of a move in its first line only, both amounts in each', () => {
  assert.equal(
    french('odoo').toString(),
    [
      'date,ref,journal_id,line_ids/account_id,line_ids/partner_id,line_ids/name,line_ids/debit,line_ids/credit',
      '2026-11-05,MM/1,MM,552,,OMCM Mobile money,12345.50,0',
      ',,,6317,,OMCM Frais opérateur,1,0',
      ',,,4731,kora-stores,OMCM Avoirs application,0,12346.50',
      '2026-11-05,MM/2,MM,648,,Extourne 1 OMCM,5000,0',
      ',,,7588,,Extourne 1 OMCM,0,5000',
      '',
    ].join('\r\n'),
  )
})

test('CSV: UTF-8 with its mark, every cell of each line, the number of the reversed entry', () => {
  const [head, first, , , fourth] = french('csv').toString().split('\r\n')
  assert.equal(head, '\ufeffnumber,journal,date,wallet,version,account,third_party,label,debit,credit,currency,reverses')
  assert.equal(first, '1,MM,2026-11-05,OMCM,1,552,,OMCM Mobile money,12345.50,,XAF,')
  assert.equal(fourth, '2,MM,2026-11-05,OMCM,1,648,,Extourne 1 OMCM,5000,,XAF,1')
})

test('the same bytes twice, and no formula: a code or third party that begins with one is quoted as text in every format', () => {
  for (const format of ['csv', 'sage', 'odoo'] as const) {
    assert.deepEqual(french(format), french(format))
    const evil = [entry({ lines: [{ ...line('wallet', 100n, '@evil'), code: '=1+1' }, line('gain', -100n)] })]
    assert.match(french(format, evil).toString('latin1'), /[,;]'=1\+1[,;]'@evil[,;]/)
  }
})

test(`at most ${LABEL_MAX} letters of Windows-1252: the label of each account of each wallet in both languages`, () => {
  for (const language of LOCALES)
    for (const { wallet } of WALLETS) {
      const lines = JOURNAL_ACCOUNT_NAMES.map((account) => line(account, 100n))
      const entries = [entry({ wallet, lines }), entry({ wallet, number: 9_999_999, reverses: 9_999_998, lines })]
      const file = journalFile(entries, { format: 'sage', currency: 'XAF', language }).toString('latin1')
      for (const each of file.trimEnd().split('\r\n')) assert.ok((each.split(';')[5] ?? '').length <= LABEL_MAX, each)
    }
})

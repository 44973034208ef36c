import type { Locale } from '#lib/i18n/locale.ts'
import { createTranslate, type Translate } from '#lib/i18n/translate.ts'
import { type Currency, formatInFull } from '#lib/money/money.ts'
import type { JournalFormat } from '#lib/reconciliation/journal.ts'
import { MESSAGES } from '#server/messages.ts'
import type { StoredEntry, StoredLine } from '#server/reconciliation/journal/journal-store.ts'
import { csvField, safeText, type TableCell, tableHead, tableLines } from '#server/reports/export/csv.ts'

export type BookedEntry = StoredEntry & { lines: readonly StoredLine[] }
type File = { format: JournalFormat; currency: Currency; language: Locale }
/** A line with the texts of all formats. Amounts are exact decimals; of the two, one is empty. */
type Row = Pick<StoredLine, 'code' | 'auxiliary'> & { entry: BookedEntry; isFirst: boolean; label: string; debit: string; credit: string }

/** The longest label that Sage takes; every one fits (journal-files.test.ts). */
export const LABEL_MAX = 35

/** The bytes of journal entries as one file. They depend on the entries and the parameters alone. */
export function journalFile(entries: readonly BookedEntry[], { format, currency, language }: File): Buffer {
  const t = createTranslate(language, MESSAGES[language])
  const rows = entries.flatMap((entry) => entry.lines.map((line, place) => toRow(t, { entry, line, place, currency })))
  return WRITERS[format](rows)
}

type Place = { entry: BookedEntry; line: StoredLine; place: number; currency: Currency }

function toRow(t: Translate, { entry, line: { account, code, auxiliary, amountMinor }, place, currency }: Place): Row {
  const amount = formatInFull(amountMinor < 0n ? -amountMinor : amountMinor, currency)
  const label =
    entry.reverses === null
      ? `${entry.wallet} ${t(`journal.account.${account}`)}`
      : t('journal.reversalLabel', { number: String(entry.reverses), wallet: entry.wallet })
  return {
    ...{ entry, code, auxiliary, label, isFirst: place === 0 },
    debit: amountMinor > 0n ? amount : '',
    credit: amountMinor < 0n ? amount : '',
  }
}

const WRITERS: Record<JournalFormat, (rows: readonly Row[]) => Buffer> = { csv: generic, sage: sage100, odoo }

const GENERIC_HEADS = [
  'number',
  'journal',
  'date',
  'wallet',
  'version',
  'account',
  'third_party',
  'label',
  'debit',
  'credit',
  'currency',
  'reverses',
]

/** One line per line of an entry, every cell filled: for any program. */
function generic(rows: readonly Row[]): Buffer {
  const cells = rows.map(({ entry, code, auxiliary, label, debit, credit }): TableCell[] => [
    { decimal: String(entry.number) },
    { text: entry.journal },
    { day: entry.day },
    { text: entry.wallet },
    { decimal: String(entry.version) },
    { text: code },
    { text: auxiliary ?? '' },
    { text: label },
    { decimal: debit },
    { decimal: credit },
    { text: entry.currency },
    { decimal: entry.reverses === null ? '' : String(entry.reverses) },
  ])
  return Buffer.from(tableHead(GENERIC_HEADS) + tableLines(cells))
}

/**
 * Sage 100: semicolons, Windows-1252, without a head: journal, date (DD/MM/YY), piece, account, third party, label, debit, credit. Decimals have a
 * comma.
 */
function sage100(rows: readonly Row[]): Buffer {
  const lines = rows.map(({ entry: { journal, day, number }, code, auxiliary, label, debit, credit }) => {
    const date = `${day.slice(8)}/${day.slice(5, 7)}/${day.slice(2, 4)}`
    const texts = [journal, date, String(number), code, auxiliary ?? '', label].map((text) => csvField(safeText(text)))
    return `${[...texts, ...[debit, credit].map((amount) => amount.replace('.', ','))].join(';')}\r\n`
  })
  return windows1252(lines.join(''))
}

const ODOO_HEADS = [
  ...['date', 'ref', 'journal_id', 'line_ids/account_id', 'line_ids/partner_id', 'line_ids/name', 'line_ids/debit', 'line_ids/credit'],
]

/** Odoo: one move per entry; the columns of the move are filled in its first line only, because each value begins a new one. */
function odoo(rows: readonly Row[]): Buffer {
  const lines = rows.map(({ entry: { journal, day, number }, isFirst, code, auxiliary, label, debit, credit }) => {
    const move = isFirst ? [day, `${journal}/${number}`, journal] : ['', '', '']
    return `${[...move, code, auxiliary ?? '', label, debit || '0', credit || '0'].map((text) => csvField(safeText(text))).join(',')}\r\n`
  })
  return Buffer.from(`${ODOO_HEADS.join(',')}\r\n${lines.join('')}`)
}

/** Windows-1252 has the letters of Latin-1 in their places. Codes, slugs and labels have no others; anything else is a bug. */
function windows1252(text: string): Buffer {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: line ends
  if (!/^[\x00-\x7f\xa0-\xff]*$/.test(text)) throw new Error('A label has a letter that Windows-1252 has elsewhere')
  return Buffer.from(text, 'latin1')
}

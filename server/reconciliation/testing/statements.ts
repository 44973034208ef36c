import type { OperatorCode } from '#lib/operators/operators.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import type { StatementProblem } from '#lib/reconciliation/statement-problem.ts'
import type { Result } from '#lib/result.ts'
import { rowsXml, sheetXml, workbook } from '#server/testing/batches/workbook.ts'
import { readStatement } from '../read-statement/read-statement.ts'
import type { BadStatementRow, ReadingWallet, StatementLine, StatementSummary } from '../read-statement/statement-lines.ts'

/** A wallet of an operator whose number is not set, at the end of 2026, unless the overrides say otherwise. */
export function aReadingWallet(operator: OperatorCode, overrides: Partial<ReadingWallet> = {}): ReadingWallet {
  const { currency } = OPERATORS[operator].country
  const nowMs = Date.parse('2026-12-31T00:00:00Z')
  return { operator, currency, number: null, ownNumbers: [], zone: 'UTC', cutoffMinute: 0, nowMs, mapped: [], ...overrides }
}

export type ReadLines = { lines: StatementLine[]; bad: BadStatementRow[]; summary: StatementSummary }

/** Reads a file in pieces of odd sizes, so that pieces end within characters and rows. */
export async function readLines(content: string | Uint8Array, wallet: ReadingWallet): Promise<Result<ReadLines, StatementProblem>> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  const read: Pick<ReadLines, 'lines' | 'bad'> = { lines: [], bad: [] }
  const result = await readStatement(piecesOf(bytes), wallet, async (lines, bad) => {
    read.lines.push(...lines)
    read.bad.push(...bad)
  })
  return result.ok ? { ok: true, value: { ...read, summary: result.value } } : result
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 9_973) yield bytes.subarray(at, at + 9_973)
}

/** Rows as separated values, each cell in quotes. */
export function csv(rows: readonly (readonly string[])[], separator = ','): string {
  return rows.map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(separator)).join('\r\n')
}

/** The same rows as a workbook of texts. */
export async function xlsx(rows: readonly (readonly string[])[]): Promise<Buffer> {
  // The helper has letters for 26 columns; the address of a cell may be left out.
  return workbook({ sheet: sheetXml(rowsXml(rows).replaceAll(/ r="[^"]+" t=/g, ' t=')) })
}

/** The header of the 54 columns that MTN Cameroon prints. */
export const MTN_HEADER = [
  'Id',
  'External id',
  'Date',
  'Status',
  'Type',
  'Provider category',
  'From',
  'From name',
  'From handler name',
  'To',
  'To name',
  'To handler name',
  'To message',
  'Initiated by',
  'Initiated by',
  'On behalf of',
  'On behalf of',
  'Approved by',
  ...[
    'From / Fee',
    'From / External fee',
    'To / Fee',
    'To / External fee',
    'From / Refunded fee',
    'To / Refunded fee',
    'From / Taxes',
    'To / Taxes',
    'From / Refunded taxes',
    'To / Refunded taxes',
    'Discount',
    'From / Promotion',
    'To / Promotion',
    'Coupon',
    'Amount',
    'Balance',
    'External amount',
  ].flatMap((name) => [name, 'Currency']),
  'External FX rate',
  'External service provider',
]

/** A row of MTN with these cells; names that repeat are set by their place. */
export function mtnRow(cells: Readonly<Record<string, string>>): string[] {
  const row = MTN_HEADER.map((name) => cells[name] ?? '')
  for (const name of ['Amount', 'From / Fee', 'To / Fee']) row[MTN_HEADER.indexOf(name) + 1] = cells['Currency'] ?? 'XAF'
  for (const place of MTN_HEADER.keys()) if (MTN_HEADER[place] === 'Currency' && !row[place - 1]) row[place] = ''
  return row
}

export const WAVE_COLLECT_HEADER = [
  'timestamp',
  'transaction_id',
  'transaction_type',
  'amount',
  'fee',
  'currency',
  'counterparty_mobile',
  'client_reference',
  'checkout_api_session_id',
  'aggregated_merchant_id',
  'aggregated_merchant_name',
]
export const WAVE_PAYOUT_HEADER = [
  'Horodatage',
  'Identifiant de transaction',
  'Type de transaction',
  'Montant',
  'Frais',
  'Solde',
  'Devise',
  'Nom de contrepartie',
  'Numéro de téléphone de contrepartie',
  'Référence client',
  'Identifiant de session API',
  'Identifiant marchand agrégé',
  'Nom marchand agrégé',
]
/** Two rows: groups, and the names below them. */
export const ORANGE_CM_HEADER = [
  [
    'N°',
    'Date',
    'Heure',
    'Référence',
    'Service',
    'Paiement',
    'Statut',
    'Mode',
    'Correspondant',
    '',
    '',
    'Compte',
    '',
    'Débit',
    'Crédit',
    'Compte: 699000111',
    'Sous-réseau',
  ],
  ['', '', '', '', '', '', '', '', 'N° de Compte', 'Wallet', 'N° Pseudo', 'N° de Compte', 'Wallet', '', '', '', ''],
]
export const ORANGE_BF_HEADER = [
  'TRANSFER_DATE',
  'TRANSFER_STATUS',
  'TRANSFER_ID',
  'ORDER_ID',
  'MSISDN',
  'REFERENCE_NUMBER',
  'STATEMENT',
  'TRANSFER_AMOUNT',
  'CREDIT',
  'DEBIT',
  'FEES',
  'PREVIOUS_BAL',
  'AFTER_BAL',
  'REMARKS',
  'FTXN_ID',
]
export const MOOV_HEADER = [
  'Receipt No.',
  'Completion Time',
  'Initiation Time',
  'Details',
  'Transaction Status',
  'Currency',
  'Paid In',
  'Withdrawn',
  'Balance',
  'Reason Type',
  'Opposite Party',
  'Linked Transaction ID',
  'Remark',
]
export const AIRTEL_HEADER = [
  'Transaction ID',
  'Transaction Date',
  'Description',
  'Status',
  'Transaction Amount',
  'Credit/Debit',
  'Fee',
  'Balance',
]

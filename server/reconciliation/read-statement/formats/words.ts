import type { LineKind } from '#lib/reconciliation/classes.ts'
import { BadRow } from '../cells/cells.ts'

const FAILED =
  /fail|[eé]chec|echou|chou|expir|cancel|annul|declin|d[eé]clin|reject|rejet|refus|time.?out|timed out|err(or|eur)|unsucc|^tf$|abort|pending|attente|en cours|progress|process|initiat|authori/
const SUCCEEDED = /^(transaction )?(succ|complet|paid|approved|confirm|ts$|ok$|200$|r.{1,4}ussi|termin|effectu)/

/** Whether a printed status says that money moved. Throws BadRow for a word that is not known: neither reading may be guessed. */
export function hasMoved(printed: string): boolean {
  const status = printed.trim().toLowerCase()
  if (FAILED.test(status)) return false
  if (SUCCEEDED.test(status)) return true
  throw new BadRow('status')
}

/** The kinds that the name of a type says, most telling first. */
const KINDS: readonly (readonly [RegExp, LineKind])[] = [
  [/revers|refund|rembours|annul|contre.?pass/, 'reversal'],
  [/commission/, 'commission'],
  [/\btax|\bvat\b|\btva\b|levy|timbre/, 'tax'],
  [/\bfees?\b|charge|\bfrais\b/, 'fee'],
  [
    /\bfloat\b|top.?up|sweep|settle|\bbank|banque|approvision|(between )?own (account|transfer)|\bfunding\b|deposit of funds|withdraw.* funds|organi[sz]ation to organi[sz]ation|\bo2c\b|\bc2c\b/,
    'transfer',
  ],
]

/** The kind of line that a type of the operator is; `payment` unless its name says otherwise. */
export function kindOf(type: string): LineKind {
  const text = type.toLowerCase().replaceAll('_', ' ')
  return KINDS.find(([pattern]) => pattern.test(text))?.[1] ?? 'payment'
}

const CURRENCIES: Readonly<Record<string, readonly string[]>> = {
  XAF: ['xaf', 'fcfa', 'cfa', 'fcfa beac'],
  XOF: ['xof', 'fcfa', 'cfa', 'fcfa bceao'],
  UGX: ['ugx', 'ush', 'shs'],
}

/** Throws BadRow for another currency than that of the wallet. An empty cell says nothing. */
export function demandCurrency(printed: string, currency: string): void {
  const text = printed
    .toLowerCase()
    .replace(/[^a-z ]/g, '')
    .trim()
  if (text !== '' && !CURRENCIES[currency]?.includes(text)) throw new BadRow('currency')
}

import { z } from 'zod'
import { foldText } from '#lib/text/clean-text.ts'
import type { RowProblemKind, StatementProblem } from './statement-problem.ts'

/** The role of a column of a statement. The texts are `statements.column.<role>`. */
export const COLUMN_ROLES = [
  'time',
  'clock',
  'amount',
  'credit',
  'debit',
  'fee',
  'tax',
  'balance',
  'operatorId',
  'ourId',
  'phone',
  'type',
  'status',
  'currency',
] as const
export type ColumnRole = (typeof COLUMN_ROLES)[number]

export const MAPPED_COLUMNS_MAX = 80
const HEADER_LENGTH_MAX = 200
const place = z
  .int()
  .min(0)
  .max(MAPPED_COLUMNS_MAX - 1)
const word = z.string().trim().toLowerCase().min(1).max(60)

/** How the columns of a header are read, as one person says and another confirms. */
export const columnMappingSchema = z
  .strictObject({
    columns: z.strictObject({
      ...{ time: place, clock: place.optional(), amount: place.optional(), credit: place.optional(), debit: place.optional() },
      ...{ fee: place.optional(), tax: place.optional(), balance: place.optional(), operatorId: place.optional() },
      ...{ ourId: place.optional(), phone: place.optional(), type: place.optional(), status: place.optional(), currency: place.optional() },
    }),
    dateOrder: z.enum(['day_first', 'month_first']),
    /** Of times that print none. */
    zone: z.enum(['wallet', 'utc']),
    /** `net`: the amount is what the balance moves by, the fee included. */
    amountIs: z.enum(['gross', 'net']),
    /** Words of the status besides the usual ones. */
    paidWords: z.array(word).max(10),
    failedWords: z.array(word).max(10),
  })
  .refine(({ columns }) => (columns.amount === undefined) !== (columns.credit === undefined), { path: ['columns', 'amount'] })
  .refine(({ columns }) => (columns.credit === undefined) === (columns.debit === undefined), { path: ['columns', 'debit'] })
  .refine(({ columns }) => new Set(Object.values(columns)).size === Object.values(columns).length, { path: ['columns'] })
  .refine(({ paidWords, failedWords }) => !paidWords.some((each) => failedWords.includes(each)), { path: ['failedWords'] })
export type ColumnMapping = z.infer<typeof columnMappingSchema>

/** The header that a mapping is for, as the file prints it. */
export const mappedHeaderSchema = z.array(z.string().max(HEADER_LENGTH_MAX)).min(2).max(MAPPED_COLUMNS_MAX)

/** The first lines as a mapping reads them. Amounts are decimals; `at` is an instant. */
export type MappedPreview = {
  lines: readonly {
    row: number
    at: string
    kind: string
    amount: string
    fee: string
    balance: string | null
    operatorId: string | null
    ourId: string | null
    phone: string | null
  }[]
  bad: readonly { row: number; problem: RowProblemKind }[]
  problem: StatementProblem | null
}

/** Headers of statements, folded, most telling first. */
const NAMES: readonly (readonly [ColumnRole, RegExp])[] = [
  ['ourId', /external|client ref|reference client|ref client|merchant ref|partner|our id|reference number/],
  ['operatorId', /transaction id|transfer id|^id$|identifiant|receipt|recu|reference|^ref\b|numero de transaction|txn|n transaction/],
  ['balance', /balance|solde/],
  ['fee', /\bfees?\b|frais|commission|charge/],
  ['tax', /\btax|\btva\b|\bvat\b/],
  ['credit', /credit|paid in|entree|encaisse/],
  ['debit', /debit|withdrawn|paid out|sortie|decaisse/],
  ['amount', /amount|montant|valeur|value/],
  ['status', /status|statut|etat|state|result/],
  ['type', /type|service|operation|nature|libelle|description|details|motif/],
  ['currency', /currency|devise|monnaie/],
  ['phone', /phone|msisdn|telephone|mobile|numero|client|customer|counterparty|payer|payeur/],
  ['clock', /^(time|heure|hour)$/],
  ['time', /date|time|horodatage|heure/],
]

/** Guesses what the columns of a header are; a person corrects it. */
export function guessColumns(header: readonly string[]): Partial<Record<ColumnRole, number>> {
  const columns: Partial<Record<ColumnRole, number>> = {}
  for (const [place, name] of header.slice(0, MAPPED_COLUMNS_MAX).entries()) {
    const folded = foldText(name)
    const role = NAMES.find(([each, pattern]) => columns[each] === undefined && pattern.test(folded))?.[0]
    if (role && folded !== '') columns[role] = place
  }
  if (columns.credit !== undefined && columns.debit !== undefined) delete columns.amount
  else {
    delete columns.credit
    delete columns.debit
  }
  if (columns.time === undefined && columns.clock !== undefined) {
    columns.time = columns.clock
    delete columns.clock
  }
  return columns
}

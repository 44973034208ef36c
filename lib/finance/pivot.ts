import { CURRENCIES, type Currency, formatMinor } from '#lib/money/money.ts'
import { OPERATOR_CODES, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import {
  TRANSACTION_STATUSES,
  TRANSACTION_TYPES,
  type TransactionStatus,
  type TransactionType,
} from '#lib/payments/transactions/transaction-status.ts'
import type { UtcDay } from '#lib/time/time.ts'

/** By which transactions are grouped, in rows or in columns. */
export const PIVOT_DIMENSIONS = ['operator', 'brand', 'direction', 'status', 'day', 'month', 'currency'] as const
export type PivotDimension = (typeof PIVOT_DIMENSIONS)[number]

/** `net`: collects less deposits, before fees. `fees`: those of what succeeded, the service's and the application's. */
export const PIVOT_MEASURES = ['count', 'amount', 'fees', 'net'] as const
type PivotMeasure = (typeof PIVOT_MEASURES)[number]

/** How the rows and columns of a table are chosen; without `columns`, each row has one figure. */
export type PivotChoice = { rows: PivotDimension; columns: PivotDimension | null; measure: PivotMeasure }

/** One line per row, one column per group; without a group of columns, only the totals of the rows. Figures are exact decimals. */
export type PivotTable = {
  /** The currency and direction of the whole table, because neither is added together; null where rows or columns say it. */
  currency: Currency | null
  direction: TransactionType | null
  rows: string[]
  columns: string[]
  /** Null: no transaction. */
  cells: (string | null)[][]
  /** Null: they would add up different currencies, or collects and deposits. */
  rowTotals: (string | null)[]
  columnTotals: (string | null)[]
  total: string | null
}

/**
 * `too_many_days`, `too_many_months`: the rows or columns would be more than anybody reads. `fees_later`: the fees are still being summed.
 * There are no tables then.
 */
export type PivotProblem = 'too_many_days' | 'too_many_months' | 'fees_later'

export type PivotDto = {
  zone: string
  /** Both included; null: open. */
  from: UtcDay | null
  to: UtcDay | null
  problem: PivotProblem | null
  tables: PivotTable[]
}

/** The sums of one group of transactions. `period`: a day or a month, as the choice needs; empty where it needs neither. */
export type PivotFact = {
  operator: OperatorCode
  type: TransactionType
  status: TransactionStatus
  period: string
  count: bigint
  amountMinor: bigint
  feesMinor: bigint
}

/** The figures that are never added together, by measure: numbers of transactions always are. */
const APART: Readonly<Record<PivotMeasure, readonly ('currency' | 'direction')[]>> = {
  count: [],
  amount: ['currency', 'direction'],
  fees: ['currency'],
  net: ['currency'],
}

const BRANDS = [...new Set(OPERATOR_CODES.map((code) => OPERATORS[code].brand))]

/** The groups of a dimension in their usual order; days and months are in the order of time. */
const ORDERS: Readonly<Partial<Record<PivotDimension, readonly string[]>>> = {
  operator: OPERATOR_CODES,
  brand: BRANDS,
  direction: TRANSACTION_TYPES,
  status: TRANSACTION_STATUSES,
  currency: CURRENCIES,
}

/** The period by which a choice needs the sums; null if it does not depend on time. */
export function periodOf({ rows, columns }: Pick<PivotChoice, 'rows' | 'columns'>): 'day' | 'month' | null {
  return [rows, columns].includes('day') ? 'day' : [rows, columns].includes('month') ? 'month' : null
}

/** Returns the choice with which rows and columns are different groups. */
export function withoutRepeat<Choice extends PivotChoice>(choice: Choice): Choice {
  return choice.columns === choice.rows ? { ...choice, columns: null } : choice
}

/**
 * Returns the tables of some sums: one for each currency, and for each direction where amounts of both would be added together, unless rows
 * or columns tell them apart. A total that would still add them together is null.
 */
export function toPivotTables(facts: readonly PivotFact[], choice: PivotChoice): PivotTable[] {
  const { rows, columns, measure } = choice
  const apart = APART[measure].filter((dimension) => dimension !== rows && dimension !== columns)
  const groups = Map.groupBy(facts, (fact) => apart.map((dimension) => groupOf(fact, dimension)).join())
  return [...groups.values()]
    .map((group) => toTable(group, choice, apart))
    .sort((left, right) => placeOf('currency', left.currency) - placeOf('currency', right.currency) || byDirection(left, right))
}

function byDirection(left: PivotTable, right: PivotTable): number {
  return placeOf('direction', left.direction) - placeOf('direction', right.direction)
}

function toTable(facts: readonly PivotFact[], choice: PivotChoice, apart: readonly ('currency' | 'direction')[]): PivotTable {
  const [first] = facts
  const rows = groupsOf(facts, choice.rows)
  const columns = choice.columns === null ? [] : groupsOf(facts, choice.columns)
  const byRow = Map.groupBy(facts, (fact) => groupOf(fact, choice.rows))
  const byColumn = Map.groupBy(facts, (fact) => (choice.columns === null ? '' : groupOf(fact, choice.columns)))
  const { measure } = choice
  return {
    currency: first && apart.includes('currency') ? OPERATORS[first.operator].country.currency : null,
    direction: first && apart.includes('direction') ? first.type : null,
    rows,
    columns,
    cells: rows.map((row) => {
      const own = Map.groupBy(byRow.get(row) ?? [], (fact) => (choice.columns === null ? '' : groupOf(fact, choice.columns)))
      return columns.map((column) => sumOf(own.get(column) ?? [], measure))
    }),
    rowTotals: rows.map((row) => sumOf(byRow.get(row) ?? [], measure)),
    columnTotals: columns.map((column) => sumOf(byColumn.get(column) ?? [], measure)),
    total: sumOf(facts, measure),
  }
}

function groupsOf(facts: readonly PivotFact[], dimension: PivotDimension): string[] {
  return inOrder(
    facts.map((fact) => groupOf(fact, dimension)),
    dimension,
  )
}

/** Returns the columns of several tables as those of one, in their usual order. */
export function columnsOf(tables: readonly PivotTable[], columns: PivotDimension | null): string[] {
  return columns === null
    ? []
    : inOrder(
        tables.flatMap((table) => table.columns),
        columns,
      )
}

function inOrder(groups: readonly string[], dimension: PivotDimension): string[] {
  const found = new Set(groups)
  return ORDERS[dimension]?.filter((group) => found.has(group)) ?? [...found].sort()
}

function placeOf(dimension: 'currency' | 'direction', group: string | null): number {
  return group === null ? 0 : (ORDERS[dimension]?.indexOf(group) ?? 0)
}

function groupOf({ operator, type, status, period }: PivotFact, dimension: PivotDimension): string {
  switch (dimension) {
    case 'operator':
      return operator
    case 'brand':
      return OPERATORS[operator].brand
    case 'direction':
      return type
    case 'status':
      return status
    case 'day':
      return period
    case 'month':
      return period.slice(0, 7)
    case 'currency':
      return OPERATORS[operator].country.currency
  }
}

/** The exact figure of some sums; null if there are none, or if they are of what is never added together. */
function sumOf(facts: readonly PivotFact[], measure: PivotMeasure): string | null {
  const kinds = new Set(facts.map((fact) => APART[measure].map((dimension) => groupOf(fact, dimension)).join()))
  if (kinds.size !== 1) return null
  const sum = facts.reduce((total, fact) => total + measureOf(fact, measure), 0n)
  return measure === 'count' ? String(sum) : formatMinor(sum)
}

function measureOf({ count, amountMinor, feesMinor, type }: PivotFact, measure: PivotMeasure): bigint {
  switch (measure) {
    case 'count':
      return count
    case 'amount':
      return amountMinor
    case 'fees':
      return feesMinor
    case 'net':
      return type === 'COLLECT' ? amountMinor : -amountMinor
  }
}

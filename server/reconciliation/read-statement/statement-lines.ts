import { createHash } from 'node:crypto'
import type { BatchCell } from '#lib/batches/batch-fields.ts'
import type { Currency } from '#lib/money/money.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { phoneNumberForms } from '#lib/payments/phone-number.ts'
import type { LineKind } from '#lib/reconciliation/classes.ts'
import type { RowProblemKind } from '#lib/reconciliation/statement-problem.ts'
import { dialCodeOf } from '#lib/reconciliation/wallets.ts'
import { DAY_MS } from '#lib/time/time.ts'
import { findAccounts, isSameNumber } from './cells/account-numbers.ts'
import { BadRow } from './cells/cells.ts'
import { CELLS_MIN, countFilled, isError, isFormula, isTotal, sampleOf, textOf } from './cells/row-cells.ts'
import { StatementRow } from './cells/statement-row.ts'
import { createZoneClock } from './cells/times.ts'
import type { RawLine, RowContext, StatementFormat } from './formats/format.ts'
import { type MappedHeader, mappedColumns, mappedFormat, signatureOf } from './formats/mapped.ts'
import type { Columns } from './header.ts'
import { KeyCounter } from './key-counter.ts'
import { type Recognised, recogniseHeader } from './recognise-format.ts'
import { SectionTotals } from './section-totals.ts'
import { UnreadableStatement } from './unreadable-statement.ts'

/** The wallet that a statement is read for. `nowMs`: lines of later days are not believed. */
export type ReadingWallet = {
  operator: OperatorCode
  currency: Currency
  /** The number of the account; null if nobody has set it. */
  number: string | null
  /** The numbers of all wallets of the operator. */
  ownNumbers: readonly string[]
  zone: string
  cutoffMinute: number
  nowMs: number
  /** The headers whose columns people have said. */
  mapped: readonly MappedHeader[]
}

/** A line as it is stored; amounts in hundredths, as text. */
export type StatementLine = {
  row_number: number
  line_key: string
  at: string
  local_day: string
  kind: LineKind
  gross_minor: string
  fee_minor: string
  tax_minor: string
  net_minor: string
  balance_minor: string | null
  operator_id: string | null
  our_id: string | null
  our_application_id: string | null
  phone_forms: readonly string[]
  type: string
  status: string
  /** How many lines above it in the file have the same key. */
  occurrence: number
}

export type BadStatementRow = { row_number: number; problem: RowProblemKind; cells: readonly string[] }

/** The facts of a file that was read to its end. Times are instants; sums are hundredths. */
export type StatementSummary = {
  format: StatementFormat['id']
  accounts: string[]
  firstAt: string
  lastAt: string
  firstDay: string
  lastDay: string
  isNewestFirst: boolean
  printsBalances: boolean
  lines: number
  failed: number
  bad: number
  inMinor: string
  outMinor: string
  openingMinor: string | null
  closingMinor: string | null
}

const LINES_MAX = 2_000_000
/** Non-empty rows among which the header must be; banners are above it. */
const HEADER_WITHIN = 40
type Ends = { atMs: number; day: string; balance: bigint | null; net: bigint }

/** Turns the rows of one file into lines: finds the header, then reads row by row. Throws UnreadableStatement. */
export class StatementLines {
  readonly #wallet: ReadingWallet
  readonly #clock: ReturnType<typeof createZoneClock>
  readonly #context: RowContext
  readonly #totals = new SectionTotals()
  readonly #keys = new KeyCounter()
  readonly #accounts = new Set<string>()
  #format: StatementFormat | undefined
  #columns: Columns = new Map()
  #header: string[] = []
  #above: string[][] = []
  #moved: Extract<Recognised, { kind: 'moved' }> | undefined
  #isOtherSection = false
  #dates: 'unknown' | 'day_first' | 'month_first' = 'unknown'
  #lines: StatementLine[] = []
  #bad: BadStatementRow[] = []
  #first: Ends | undefined
  #last: Ends | undefined
  #range = { firstMs: Number.POSITIVE_INFINITY, lastMs: Number.NEGATIVE_INFINITY, firstDay: '9999', lastDay: '0' }
  #counts = { lines: 0, failed: 0, bad: 0 }
  #sums = { in: 0n, out: 0n }
  #day = { number: Number.NaN, text: '' }
  #printsBalances = false
  #chain: 'unknown' | 'up' | 'down' = 'unknown'

  constructor(wallet: ReadingWallet) {
    this.#wallet = wallet
    this.#clock = createZoneClock(wallet.zone)
    const dialCode = dialCodeOf(wallet.operator)
    this.#context = { dialCode, currency: wallet.currency, ownNumbers: new Set(wallet.ownNumbers) }
  }

  add(rowNumber: number, cells: readonly BatchCell[]): void {
    const filled = countFilled(cells)
    if (filled === 0) return
    if (cells.some(isFormula)) throw new UnreadableStatement('formula', { row: rowNumber })
    if (this.#format === undefined || this.#format.hasSections) {
      const texts = cells.map(textOf)
      if (this.#takeHeader(texts)) return
      if (this.#format === undefined) return this.#awaitHeader(texts)
    }
    if (this.#isHeaderAgain(cells)) return
    if (isTotal(cells)) return this.#takeTotal(cells)
    if (filled < CELLS_MIN) return this.#takeNote(cells.map(textOf))
    this.#takeLine(rowNumber, cells)
  }

  /** The lines and bad rows since the last call. */
  take(): { lines: StatementLine[]; bad: BadStatementRow[] } {
    const taken = { lines: this.#lines, bad: this.#bad }
    this.#lines = []
    this.#bad = []
    return taken
  }

  get waiting(): number {
    return this.#lines.length + this.#bad.length
  }

  /** Returns the facts of the file. Throws UnreadableStatement for a file without a known header or without lines. */
  finish(): StatementSummary {
    if (!this.#format) throw this.#unknown()
    const { number } = this.#wallet
    if (number === null && this.#format.hasSections && this.#accounts.size > 1) {
      throw new UnreadableStatement('several_accounts', { accounts: [...this.#accounts].join(', ') })
    }
    const [first, last] = [this.#first, this.#last]
    if (!first || !last) {
      if (this.#isOtherSection) throw this.#wrongWallet()
      throw new UnreadableStatement('no_rows')
    }
    const isNewestFirst = first.atMs > last.atMs
    const [oldest, newest] = isNewestFirst ? [last, first] : [first, last]
    const { firstMs, lastMs, firstDay, lastDay } = this.#range
    return {
      format: this.#format.id,
      accounts: [...this.#accounts].slice(0, 5),
      firstAt: new Date(firstMs).toISOString(),
      lastAt: new Date(lastMs).toISOString(),
      firstDay,
      lastDay,
      isNewestFirst,
      printsBalances: this.#printsBalances,
      ...this.#counts,
      inMinor: String(this.#sums.in),
      outMinor: String(this.#sums.out),
      openingMinor: oldest.balance === null ? null : String(oldest.balance - oldest.net),
      closingMinor: newest.balance === null ? null : String(newest.balance),
    }
  }

  #takeHeader(texts: string[]): boolean {
    const found = recogniseHeader(texts, this.#above.at(-1))
    if (found?.kind === 'moved') {
      this.#moved ??= found
      // The upper row of the header of another section.
      if (this.#format) return this.#above.push(texts) > 0
    }
    if (found?.kind !== 'columns') return this.#format === undefined && this.#takeMapped(texts)
    if (!found.format.operators.includes(this.#wallet.operator)) {
      throw new UnreadableStatement('wrong_operator', { format: found.format.id })
    }
    this.#begin(found.format, found.columns)
    this.#header = texts
    return true
  }

  /** Portals print the header on each page, and people put files below each other. The names must be the same at the same places. */
  #isHeaderAgain(cells: readonly BatchCell[]): boolean {
    const first = cells[0]
    if (first === undefined || textOf(first) !== this.#header[0]) return false
    return this.#header.every((name, place) => textOf(cells[place] ?? '') === name)
  }

  /** A header whose columns two people have said. */
  #takeMapped(texts: string[]): boolean {
    const { mapped } = this.#wallet
    const signature = mapped.length === 0 ? '' : signatureOf(texts)
    const found = mapped.find((each) => each.signature === signature)
    if (!found) return false
    this.#begin(mappedFormat(found.mapping), mappedColumns(found.mapping))
    this.#header = texts
    this.#dates = found.mapping.dateOrder
    return true
  }

  #begin(format: StatementFormat, columns: Columns): void {
    this.#format = format
    this.#columns = columns
    this.#takeAccounts(this.#above)
    this.#above = []
    this.#totals.begin()
  }

  #awaitHeader(texts: string[]): void {
    this.#above.push(texts)
    if (this.#above.length >= HEADER_WITHIN) throw this.#unknown()
  }

  #unknown(): UnreadableStatement {
    if (this.#moved) {
      const { format, expected, found } = this.#moved
      const names = expected.filter((name) => !name.endsWith('?'))
      return new UnreadableStatement('columns_moved', { format: format.id, expected: names.join(', '), found: found.join(', ') })
    }
    const filled = (row: readonly string[]) => row.filter((text) => text !== '')
    const widest = this.#above.reduce<string[]>((left, right) => (filled(right).length > filled(left).length ? right : left), [])
    const found = filled(widest).slice(0, 20).join(', ')
    // A table with a header and a line below it. What is no table is nothing for a person to say.
    const isTable = this.#above.filter((row) => filled(row).length >= CELLS_MIN).length > 1
    return new UnreadableStatement('unknown_format', { found }, isTable ? this.#above.map(sampleOf) : undefined)
  }

  /** The accounts that the rows above a header name: the file, or this section of it, belongs to one of them. */
  #takeAccounts(above: readonly (readonly string[])[]): void {
    const named = findAccounts(above)
    for (const account of named) this.#accounts.add(account)
    const { number } = this.#wallet
    const isOurs = number === null || named.length === 0 || named.some((account) => isSameNumber(account, number))
    this.#isOtherSection = !isOurs
    if (!isOurs && !this.#format?.hasSections) throw this.#wrongWallet()
  }

  #wrongWallet(found = [...this.#accounts].join(', ')): UnreadableStatement {
    return new UnreadableStatement('wrong_wallet', { found, expected: this.#wallet.number ?? '' })
  }

  #takeNote(texts: string[]): void {
    // Between sections: the banner of the next one.
    if (this.#format?.hasSections) this.#above.push(texts)
  }

  #takeTotal(cells: readonly BatchCell[]): void {
    if (!this.#format?.hasSections || this.#isOtherSection) return
    this.#totals.check(new StatementRow(cells, this.#columns))
  }

  #takeLine(rowNumber: number, cells: readonly BatchCell[]): void {
    if (this.#isOtherSection) return
    try {
      if (cells.some(isError)) throw new BadRow('error')
      const raw = this.#format?.read(new StatementRow(cells, this.#columns, this.#dates === 'month_first'), this.#context)
      if (raw) this.#store(rowNumber, raw)
    } catch (error) {
      if (!(error instanceof BadRow)) throw error
      this.#counts.bad++
      this.#bad.push({ row_number: rowNumber, problem: error.kind, cells: cells.map(textOf) })
    }
    if (this.#counts.lines + this.#counts.bad > LINES_MAX) throw new UnreadableStatement('too_many_lines', { lines: LINES_MAX })
  }

  #store(rowNumber: number, raw: RawLine): void {
    this.#checkDates(raw)
    const { number } = this.#wallet
    if (raw.ownAccount !== null && /\d{6}/.test(raw.ownAccount)) {
      if (number !== null && !isSameNumber(raw.ownAccount, number)) throw this.#wrongWallet(raw.ownAccount)
      if (this.#accounts.size < 5) this.#accounts.add(raw.ownAccount.replace(/\D/g, ''))
    }
    const atMs = this.#clock.instantOf(raw.time)
    if (atMs > this.#wallet.nowMs + DAY_MS) throw new BadRow('future')
    const hasMoved = raw.kind !== 'failed'
    const kind: LineKind = raw.kind === 'payment' && raw.grossMinor === 0n ? 'other' : raw.kind
    const [fee, tax] = hasMoved ? [raw.feeMinor, raw.taxMinor] : [0n, 0n]
    const net = hasMoved ? raw.grossMinor - fee - tax : 0n
    const day = this.#dayOf(this.#clock.wallOf(atMs) - this.#wallet.cutoffMinute * 60_000)
    const ends = { atMs, day, balance: raw.balanceMinor, net }
    this.#printsBalances ||= raw.balanceMinor !== null
    if (this.#format?.balancesChain) this.#checkChain(rowNumber, ends)
    if (this.#format?.hasSections) this.#totals.add(raw)
    this.#count(ends, kind)
    const key = keyOf(raw, atMs)
    this.#lines.push({
      row_number: rowNumber,
      line_key: key,
      occurrence: this.#keys.count(key),
      at: new Date(atMs).toISOString(),
      local_day: day,
      kind,
      gross_minor: String(raw.grossMinor),
      fee_minor: String(fee),
      tax_minor: String(tax),
      net_minor: String(net),
      balance_minor: raw.balanceMinor === null ? null : String(raw.balanceMinor),
      operator_id: raw.operatorId,
      our_id: raw.ourId,
      our_application_id: raw.ourApplicationId,
      phone_forms: raw.phone === null ? [] : phoneNumberForms(raw.phone),
      type: cut(raw.type, 120),
      status: cut(raw.status, 60),
    })
  }

  /** Most lines are of the day of the line before. */
  #dayOf(wallMs: number): string {
    const number = Math.floor(wallMs / DAY_MS)
    if (number !== this.#day.number) this.#day = { number, text: new Date(wallMs).toISOString().slice(0, 10) }
    return this.#day.text
  }

  /** One file writes all dates in one order. If the first ones could be read both ways and a later one proves the unusual order, nothing is certain. */
  #checkDates({ time: { order } }: RawLine): void {
    if (order === 'certain') return
    const proved = order === 'month_first' || (order === 'usual' && this.#dates === 'month_first') ? 'month_first' : 'day_first'
    if (this.#dates !== 'unknown' && this.#dates !== proved) throw new UnreadableStatement('mixed_dates')
    this.#dates = proved
  }

  #checkChain(rowNumber: number, next: Ends): void {
    const before = this.#last
    if (!before || before.balance === null || next.balance === null) return
    const [isUp, isDown] = [next.balance - next.net === before.balance, before.balance - before.net === next.balance]
    if ((this.#chain === 'up' && !isUp) || (this.#chain === 'down' && !isDown) || !(isUp || isDown)) {
      throw new UnreadableStatement('balance_broken', { row: rowNumber })
    }
    if (isUp !== isDown) this.#chain = isUp ? 'up' : 'down'
  }

  #count(ends: Ends, kind: LineKind): void {
    this.#first ??= ends
    this.#last = ends
    const range = this.#range
    range.firstMs = Math.min(range.firstMs, ends.atMs)
    range.lastMs = Math.max(range.lastMs, ends.atMs)
    if (ends.day < range.firstDay) range.firstDay = ends.day
    if (ends.day > range.lastDay) range.lastDay = ends.day
    this.#counts.lines++
    if (kind === 'failed') this.#counts.failed++
    if (ends.net > 0n) this.#sums.in += ends.net
    else this.#sums.out -= ends.net
  }
}

/**
 * The key by which a line is the same line in another file: the operator's id with its amount, because one id can stand for both sides of a transfer and
 * for its fee, and whether it moved money, because a pending line may succeed later. Without an id, a digest of the content.
 */
function keyOf(raw: RawLine, atMs: number): string {
  const hasMoved = raw.kind !== 'failed'
  if (raw.operatorId !== null) return `${cut(raw.operatorId, 100)}|${raw.grossMinor}|${hasMoved ? 'moved' : 'failed'}`
  const content = [
    atMs,
    raw.grossMinor,
    raw.feeMinor,
    raw.taxMinor,
    raw.balanceMinor,
    raw.phone,
    hasMoved,
    raw.type.replace(/[^a-z0-9]/gi, ''),
  ]
  return `#${createHash('sha256').update(content.join('|')).digest('base64url').slice(0, 24)}`
}

/** The beginning of a text. A character of two halves can be cut in its middle, and half of one cannot be stored. */
function cut(text: string, length: number): string {
  return text.slice(0, length).toWellFormed()
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import { isOperatorCode, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import type { Account, Books } from '../books.ts'
import { refuse } from '../http.ts'
import type { Simulation } from '../simulation.ts'
import type { Layout } from './layout.ts'
import { mtnLayout } from './mtn-layout.ts'
import { ORANGE_CM_LAYOUT } from './orange-cm-layout.ts'
import { AIRTEL_LAYOUT, MOOV_LAYOUT, ORANGE_BF_LAYOUT, UNKNOWN_LAYOUT } from './plain-layouts.ts'
import { localTimeOf } from './print-times.ts'
import { readStatement } from './statement-lines.ts'
import { hasTwoAccounts, offsetMsOf, walletNumberOf } from './wallets.ts'
import { WAVE_COLLECTS, WAVE_PAYOUTS } from './wave-layouts.ts'
import { writeFile } from './write-file.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** Files that are not as expected, which a person should be able to try out. */
const VARIANTS = ['overlap', 'moved-column', 'other-wallet', 'zone-shift'] as const
type Variant = (typeof VARIANTS)[number]

/** `account`: of an operator whose statements are of one. */
type Wanted = { operator: OperatorCode; account: Account | undefined; day: string; variant: Variant | undefined }

/** Answers GET /statements/<CODE>?day=YYYY-MM-DD&account=&variant= with the file that the operator would have for this day. */
export function sendStatement({ books }: Simulation, request: IncomingMessage, response: ServerResponse): void {
  const wanted = readWanted(request)
  if (typeof wanted === 'string') return refuse(response, 400, 'INVALID', wanted)
  if (books.isLostDay(wanted.operator, wanted.day)) return refuse(response, 404, 'NO_STATEMENT', 'There is no statement of this day')
  const { name, file } = printStatement(books, wanted)
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-disposition': `attachment; filename="${name}"` }).end(file)
}

/** Writes the statement of a day as its operator does. */
export function printStatement(
  books: Books,
  { operator, account, day, variant }: Wanted,
): { name: string; file: Buffer; lineCount: number } {
  const offsetMs = offsetMsOf(operator)
  const fromMs = Date.parse(`${day}T00:00:00Z`) - offsetMs + (variant === 'overlap' ? DAY_MS / 2 : 0)
  const beforeMs = fromMs + DAY_MS
  const shownMs = offsetMs + (variant === 'zone-shift' ? HOUR_MS : 0)
  const time = (atMs: number) => localTimeOf(atMs, shownMs)
  const layout = layoutOf(operator, account)
  const isWave = OPERATORS[operator].brand === 'Wave'
  const statement = readStatement(books, { operator, account: isWave ? undefined : account, fromMs, beforeMs })
  const { rows, firstHeading } = layout.sheet({
    ...statement,
    lines: isWave
      ? statement.lines.filter((line) => (line.account === 'collect' && isOfCustomers(line.kind)) === (account === 'collect'))
      : statement.lines,
    operator,
    account,
    walletNumber: variant === 'other-wallet' ? otherNumber(walletNumberOf(operator, account)) : walletNumberOf(operator, account),
    currency: OPERATORS[operator].country.currency,
    from: time(fromMs),
    to: time(beforeMs - 1),
    time,
  })
  const printed = variant === 'moved-column' ? rows.map((row, index) => (index < firstHeading ? row : withMovedColumn(row))) : rows
  const name = [layout.name, operator, ...(account === undefined || isWave ? [] : [account]), day, ...(variant ? [variant] : [])].join('-')
  return { name: `${name}.${layout.ending}`, file: writeFile(printed, layout.ending), lineCount: statement.lines.length }
}

/** The statement that the address asks for, or the reason why it asks for none. */
function readWanted({ url = '/' }: IncomingMessage): Wanted | string {
  const { pathname, searchParams } = new URL(url, 'http://simulator')
  const operator = pathname.split('/')[2]
  if (!isOperatorCode(operator)) return 'The path ends with the code of an operator'
  const day = searchParams.get('day') ?? ''
  if (!/^\d{4}-\d\d-\d\d$/.test(day) || Number.isNaN(Date.parse(`${day}T00:00:00Z`))) return 'day is a date, YYYY-MM-DD'
  const account = searchParams.get('account') ?? 'collect'
  if (account !== 'collect' && account !== 'deposit') return 'account is collect or deposit'
  const variant = searchParams.get('variant') ?? undefined
  if (variant !== undefined && !isVariant(variant)) return `variant is one of ${VARIANTS.join(', ')}`
  const isWave = OPERATORS[operator].brand === 'Wave'
  if (variant === 'other-wallet' && !namesWallet(operator)) return 'The statements of this operator name no wallet'
  return { operator, day, variant, account: isWave || hasTwoAccounts(operator) ? account : undefined }
}

function isVariant(text: string): text is Variant {
  return (VARIANTS as readonly string[]).includes(text)
}

function layoutOf(operator: OperatorCode, account: Account | undefined): Layout {
  switch (OPERATORS[operator].protocol) {
    case 'mtn-momo':
      return mtnLayout(operator === 'MOMOCM' ? 54 : 56)
    case 'wave':
      return account === 'deposit' ? WAVE_PAYOUTS : WAVE_COLLECTS
    case 'orange-cm':
      return ORANGE_CM_LAYOUT
    case 'orange-bf':
      return ORANGE_BF_LAYOUT
    case 'moov':
      return MOOV_LAYOUT
    case 'airtel':
      return AIRTEL_LAYOUT
    default:
      return UNKNOWN_LAYOUT
  }
}

function namesWallet(operator: OperatorCode): boolean {
  return ['mtn-momo', 'orange-cm', 'moov', 'airtel'].includes(OPERATORS[operator].protocol)
}

/** Payments and what went back of them are in the file of collects; the rest of the wallet is in the other one. */
function isOfCustomers(kind: string): boolean {
  return kind === 'payment' || kind === 'reversal'
}

function otherNumber(number: string): string {
  return `${number.slice(0, -3)}999`
}

/** The third column first, as when an operator changes its layout without a word. */
function withMovedColumn(row: string[]): string[] {
  const [first = '', second = '', third = '', ...rest] = row
  return row.length < 3 ? row : [third, first, second, ...rest]
}

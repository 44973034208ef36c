import { closeSync, mkdirSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs'
import path from 'node:path'

/** A transfer as its sender requested it, regardless of the protocol. */
export type TransferOrder = {
  reference: string
  direction: 'COLLECT' | 'DEPOSIT'
  /** A decimal number as text. */
  amount: string
  currency: string
  phoneNumber: string
  customerName: string
  /** Sent back in callbacks as it came. */
  context: string
  callbackUrl?: string | undefined
  /** Other fields that the protocol returns unchanged. */
  details?: Readonly<Record<string, string>>
}

/** One transfer as the operator knows it. */
export type BookEntry = TransferOrder & {
  operator: string
  /** The protocol by which it came, and in which its callbacks are sent. */
  protocol: string
  status: 'PENDING' | 'SUCCESS' | 'FAILED'
  message?: string
  /** When the result is there, in milliseconds since 1970; null: never. */
  dueAtMs: number | null
  acceptedAtMs: number
  /** How often the money moved: more than once would be the operator's own mistake. */
  timesExecuted: number
  /** Every submission that arrived with this reference, those that were refused included. */
  submissions: number
  /** Submissions that arrived although the reference was in the books: each is a mistake of the sender. */
  duplicates: number
  /** When the money moved; undefined if it did not. */
  executedAtMs?: number | undefined
  /** The fee that the operator kept. Only transfers of the sandbox's history have a fee. */
  fee?: string | undefined
  /** The money returned, by refunds and reversals. */
  refunds: readonly Refund[]
}

/** Money of an executed transfer that went back to its payer. */
type Refund = { id: string; amount: string; atMs: number; account?: Account }

/** Money of ours that moved without a transfer of ours: the operator's charges, money brought in, a stranger's payment. */
export type Movement = {
  /** The operator's own name of it. */
  id: string
  operator: string
  account: Account
  kind: 'payment' | 'reversal' | 'fee' | 'tax' | 'commission' | 'own_transfer' | 'funding' | 'other'
  /** A decimal number as text, negative out of the account. */
  amount: string
  atMs: number
  /** The text that its sender wrote beside it. */
  context?: string
  phoneNumber?: string
}

/** An entry of the file: one JSON object per line. */
export type BookLine =
  | { what: 'turned_away'; reference: string }
  | { what: 'accepted'; operator: string; protocol: string; dueAtMs: number | null; atMs: number; request: TransferOrder }
  | { what: 'duplicate'; reference: string }
  | { what: 'executed'; reference: string; atMs: number; fee?: string }
  | ({ what: 'moved' } & Movement)
  /** The operator has no statement of this day (YYYY-MM-DD, of its own zone) and never will. */
  | { what: 'day_lost'; operator: string; day: string }
  | { what: 'refunded'; reference: string; account: Account; refund: Refund }
  | { what: 'failed'; reference: string; message: string }
  | { what: 'opening'; operator: string; collect: string; deposit: string }

/** The sender's money at one operator, in hundredths: the account of each direction, and one account for both. */
type Accounts = { collectMinor: bigint; depositMinor: bigint; bothMinor: bigint }
export type Account = 'collect' | 'deposit'

const FILE_NAME = 'books.jsonl'

/** The opening balance of each account before the first transfer, unless the books say otherwise. */
const OPENING_MINOR = 10_000_000_000n

/**
 * The operator's own ledger. Each line is written to the operating system before the operator answers, so a killed operator finds
 * everything that it ever reported. It is also kept in memory (about 800 bytes per transfer): a forgotten reference could be
 * executed twice.
 */
export class Books {
  #entries = new Map<string, BookEntry>()
  #turnedAway = new Map<string, number>()
  #accounts = new Map<string, Accounts>()
  #openDepositsMinor = new Map<string, bigint>()
  #movements: Movement[] = []
  #lostDays = new Set<string>()
  #file: number

  /** Opens the books in this folder and reads its entries. */
  constructor(folder: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const file = path.join(folder, FILE_NAME)
    this.#file = openSync(file, 'a')
    this.#load(file)
  }

  find(reference: string): BookEntry | undefined {
    return this.#entries.get(reference)
  }

  entries(): IterableIterator<BookEntry> {
    return this.#entries.values()
  }

  movements(): readonly Movement[] {
    return this.#movements
  }

  /** Whether the operator has no statement of this day, as YYYY-MM-DD. */
  isLostDay(operator: string, day: string): boolean {
    return this.#lostDays.has(`${operator} ${day}`)
  }

  /** How many submissions of this reference were refused so far. */
  timesTurnedAway(reference: string): number {
    return this.#turnedAway.get(reference) ?? 0
  }

  turnAway(reference: string): void {
    this.#write({ what: 'turned_away', reference })
  }

  accept(
    { operator, protocol }: Pick<BookEntry, 'operator' | 'protocol'>,
    request: TransferOrder,
    dueAtMs: number | null,
    atMs: number,
  ): BookEntry {
    this.#write({ what: 'accepted', operator, protocol, dueAtMs, atMs, request })
    const entry = this.#entries.get(request.reference)
    if (!entry) throw new Error(`Transfer ${request.reference} was not entered`)
    return entry
  }

  countDuplicate(reference: string): void {
    this.#write({ what: 'duplicate', reference })
  }

  /** Moves the money, once. */
  execute(reference: string, atMs: number): void {
    if (this.#entries.get(reference)?.status === 'PENDING') this.#writeExecution(reference, atMs)
  }

  /** Moves the money of a transfer that was reported as failed before: the operator contradicts itself. Once. */
  executeAfterFailure(reference: string, atMs: number): void {
    if (this.#entries.get(reference)?.status === 'FAILED') this.#writeExecution(reference, atMs)
  }

  fail(reference: string, message: string): void {
    if (this.#entries.get(reference)?.status === 'PENDING') this.#write({ what: 'failed', reference, message })
  }

  /**
   * Pays money of an executed transfer back to its payer, for one of ours out of this account. False, and nothing moves, if that much of
   * it has not been executed or has gone back before.
   */
  refund(reference: string, account: Account, refund: Refund): boolean {
    const entry = this.#entries.get(reference)
    if (entry?.status !== 'SUCCESS') return false
    const backMinor = entry.refunds.reduce((sum, { amount }) => sum + minorOf(amount), minorOf(refund.amount))
    if (backMinor > minorOf(entry.amount)) return false
    this.#write({ what: 'refunded', reference, account, refund })
    return true
  }

  /** Brings money of ours to an account, or takes it away. */
  fund(funding: Omit<Movement, 'kind'>): void {
    this.#write({ what: 'moved', kind: 'funding', ...funding })
  }

  /** The amount that the account for both directions can pay out: open deposits are already deducted from it. */
  availableMinorOf(operator: string): bigint {
    return this.accountsOf(operator).bothMinor - (this.#openDepositsMinor.get(operator) ?? 0n)
  }

  /** The balances that the executed transfers have left of the opening balances. */
  accountsOf(operator: string): Accounts {
    return this.#accounts.get(operator) ?? { collectMinor: OPENING_MINOR, depositMinor: OPENING_MINOR, bothMinor: OPENING_MINOR }
  }

  close(): void {
    closeSync(this.#file)
  }

  #writeExecution(reference: string, atMs: number): void {
    this.#write({ what: 'executed', reference, atMs })
  }

  #write(line: BookLine): void {
    writeSync(this.#file, `${JSON.stringify(line)}\n`)
    this.#apply(line)
  }

  #apply(line: BookLine): void {
    if (line.what === 'turned_away') {
      this.#turnedAway.set(line.reference, this.timesTurnedAway(line.reference) + 1)
      return
    }
    if (line.what === 'opening') {
      const [collectMinor, depositMinor] = [minorOf(line.collect), minorOf(line.deposit)]
      this.#accounts.set(line.operator, { collectMinor, depositMinor, bothMinor: collectMinor + depositMinor })
      return
    }
    if (line.what === 'moved') {
      const { what: _what, ...movement } = line
      this.#movements.push(movement)
      this.#move(line.operator, line.account, minorOf(line.amount))
      return
    }
    if (line.what === 'day_lost') {
      this.#lostDays.add(`${line.operator} ${line.day}`)
      return
    }
    if (line.what === 'accepted') {
      const submissions = this.timesTurnedAway(line.request.reference) + 1
      this.#turnedAway.delete(line.request.reference)
      this.#entries.set(line.request.reference, {
        ...line.request,
        operator: line.operator,
        protocol: line.protocol,
        status: 'PENDING',
        dueAtMs: line.dueAtMs,
        acceptedAtMs: line.atMs,
        timesExecuted: 0,
        submissions,
        duplicates: 0,
        refunds: [],
      })
      this.#countOpenDeposit(line.operator, line.request, 1n)
      return
    }
    const entry = this.#entries.get(line.reference)
    if (!entry) return
    if (line.what === 'duplicate') {
      entry.submissions++
      entry.duplicates++
    } else if (line.what === 'refunded') {
      entry.refunds = [...entry.refunds, { ...line.refund, account: line.account }]
      const sign = entry.direction === 'COLLECT' ? -1n : 1n
      this.#move(entry.operator, line.account, sign * minorOf(line.refund.amount))
    } else {
      if (entry.status === 'PENDING') this.#countOpenDeposit(entry.operator, entry, -1n)
      if (line.what === 'executed') this.#applyExecution(entry, line)
      else Object.assign(entry, { status: 'FAILED', message: line.message })
    }
  }

  #applyExecution(entry: BookEntry, { atMs, fee }: { atMs: number; fee?: string }): void {
    entry.status = 'SUCCESS'
    entry.fee = fee
    entry.timesExecuted++
    entry.executedAtMs = atMs
    const isCollect = entry.direction === 'COLLECT'
    const movedMinor = (isCollect ? 1n : -1n) * minorOf(entry.amount) - minorOf(fee ?? '0')
    this.#move(entry.operator, isCollect ? 'collect' : 'deposit', movedMinor)
  }

  #countOpenDeposit(operator: string, { direction, amount }: Pick<TransferOrder, 'direction' | 'amount'>, sign: bigint): void {
    if (direction === 'DEPOSIT')
      this.#openDepositsMinor.set(operator, (this.#openDepositsMinor.get(operator) ?? 0n) + sign * minorOf(amount))
  }

  #move(operator: string, account: Account, movedMinor: bigint): void {
    const { collectMinor, depositMinor, bothMinor } = this.accountsOf(operator)
    this.#accounts.set(operator, {
      collectMinor: account === 'collect' ? collectMinor + movedMinor : collectMinor,
      depositMinor: account === 'deposit' ? depositMinor + movedMinor : depositMinor,
      bothMinor: bothMinor + movedMinor,
    })
  }

  #load(file: string): void {
    const text = readFileSync(file)
    // A process that was killed while it wrote can leave half a line; it was never reported.
    const length = text.lastIndexOf(0x0a) + 1
    if (length < text.length) truncateSync(file, length)
    for (const line of text.subarray(0, length).toString('utf8').split('\n')) {
      // The file is our own: a line that is not a BookLine is a defect and throws.
      if (line !== '') this.#apply(JSON.parse(line) as BookLine)
    }
  }
}

/** Every transfer that was sent with one reference, in order, where the operator does not recognise it. */
export function transactionsOf(books: Books, reference: string): BookEntry[] {
  const found: BookEntry[] = []
  for (let entry = books.find(reference); entry; entry = books.find(laterReference(reference, found.length))) found.push(entry)
  return found
}

/** The name in the books of a transfer whose reference this many earlier ones had. */
export function laterReference(reference: string, earlier: number): string {
  return earlier === 0 ? reference : `${reference} ${earlier + 1}`
}

function minorOf(amount: string): bigint {
  return BigInt(Math.round(Number(amount) * 100))
}

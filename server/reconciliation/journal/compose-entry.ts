import { JOURNAL_ACCOUNT_NAMES, type JournalAccount, type JournalCodes } from '#lib/reconciliation/journal.ts'
import type { CertificateBody } from '../certificates/certificate.ts'

/** An amount on an account in hundredths: above zero a debit, below zero a credit. */
export type EntryLine = { account: JournalAccount; auxiliary: string | null; amountMinor: bigint }

/**
 * The lines of the journal entry of a certificate, which sum to zero; none if nothing moved. Debits of the wallet are what came in. Of the six accounts of
 * the ledger, four are money of the application, and clearing is the wallet. `slugOf`: the auxiliary account of an application.
 */
export function composeEntry({ ours, book }: CertificateBody, slugOf: (applicationId: string) => string): EntryLine[] {
  const moved = sum(ours.postings, ({ kind, effectMinor }) => (kind === 'move' ? BigInt(effectMinor) : 0n))
  const isGoodwill = (kind: string) => kind === 'concede'
  const earned = ours.applications.filter(({ kind }) => !isGoodwill(kind))
  // What the service pays out of its own pocket, or keeps.
  const losses = [
    ...ours.applications.filter(({ kind }) => isGoodwill(kind)).map(({ revenueMinor }) => -BigInt(revenueMinor)),
    ...book.map(({ lossMinor }) => BigInt(lossMinor)),
  ]
  const of = (account: JournalAccount, amountMinor: bigint): EntryLine => ({ account, auxiliary: null, amountMinor })
  const lines = [
    of('wallet', sum(ours.postings, ({ effectMinor }) => BigInt(effectMinor)) + sum(book, ({ walletMinor }) => BigInt(walletMinor))),
    of('transfers', sum(book, ({ transitMinor }) => BigInt(transitMinor)) - moved),
    ...partnerLines(ours.applications, slugOf),
    ...book.map(({ kind, suspenseMinor }) => of(suspenseAccount(kind, BigInt(suspenseMinor)), BigInt(suspenseMinor))),
    of(
      'operator_fees',
      sum(book, ({ operatorFeeMinor }) => BigInt(operatorFeeMinor)),
    ),
    of(
      'taxes',
      sum(book, ({ taxMinor }) => BigInt(taxMinor)),
    ),
    of(
      'commission',
      sum(book, ({ commissionMinor }) => BigInt(commissionMinor)),
    ),
    of('service_fees', -sum(earned, ({ revenueMinor }) => BigInt(revenueMinor))),
    ...losses.map((amountMinor) => of(amountMinor > 0n ? 'loss' : 'gain', amountMinor)),
  ]
  return merge(lines)
}

type Row = CertificateBody['ours']['applications'][number]

function partnerLines(applications: readonly Row[], slugOf: (applicationId: string) => string): EntryLine[] {
  return applications.map(({ applicationId, collectMinor, depositMinor, heldMinor, feesMinor }) => ({
    account: 'partners',
    auxiliary: slugOf(applicationId),
    amountMinor: -(BigInt(collectMinor) + BigInt(depositMinor) + BigInt(heldMinor) + BigInt(feesMinor)),
  }))
}

/** What leaves suspense leaves the account that it entered. */
function suspenseAccount(kind: string, amountMinor: bigint): JournalAccount {
  return amountMinor < 0n === (kind !== 'release') ? 'suspense_in' : 'suspense_out'
}

/** One line per account and auxiliary, in their order; nothing that is zero. */
function merge(lines: readonly EntryLine[]): EntryLine[] {
  const place = (account: JournalAccount) => JOURNAL_ACCOUNT_NAMES.indexOf(account)
  const merged = new Map<string, EntryLine>()
  for (const line of lines) {
    const key = `${line.account} ${line.auxiliary}`
    merged.set(key, { ...line, amountMinor: line.amountMinor + (merged.get(key)?.amountMinor ?? 0n) })
  }
  return [...merged.values()]
    .filter(({ amountMinor }) => amountMinor !== 0n)
    .toSorted((left, right) => place(left.account) - place(right.account) || ((left.auxiliary ?? '') < (right.auxiliary ?? '') ? -1 : 1))
}

/** The lines that undo these. */
export function reverseLines<Line extends { amountMinor: bigint }>(lines: readonly Line[]): Line[] {
  return lines.map((line) => ({ ...line, amountMinor: -line.amountMinor }))
}

/** The code of an account of a wallet in a chart. */
export function codeOf({ accounts, wallets }: JournalCodes, account: JournalAccount, wallet: string): string {
  return (account === 'wallet' ? wallets[wallet] : undefined) ?? accounts[account]
}

/** Whether two entries book the same amounts on the same accounts. */
export function isSameEntry(left: readonly EntryLine[], right: readonly EntryLine[]): boolean {
  const text = (lines: readonly EntryLine[]) =>
    lines.map(({ account, auxiliary, amountMinor }) => `${account} ${auxiliary} ${amountMinor}`).join()
  return text(left) === text(right)
}

function sum<Item>(items: readonly Item[], of: (item: Item) => bigint): bigint {
  return items.reduce((total, item) => total + of(item), 0n)
}

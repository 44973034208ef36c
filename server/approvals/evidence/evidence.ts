import type { ApprovalEvidence, RiskFlag } from '#lib/approvals/approvals.ts'
import { riskFlags } from '#lib/approvals/evidence.ts'
import { formatMinor } from '#lib/money/money.ts'
import type { AccountCheck } from '#lib/operators/account-check.ts'
import { compareNames } from '#lib/payments/compare-names.ts'
import { phoneNumberForms } from '#lib/payments/phone-number.ts'
import { DAY_MS } from '#lib/time/time.ts'
import { readKnownAccount, readKnownAccounts } from '#server/account-checks/check-account.ts'
import type { Queryable } from '#server/database/pool.ts'
import { findTransaction, type Transaction } from '#server/transactions/transaction-store.ts'
import {
  type PhoneRow,
  type ReplacedRow,
  selectDepositBalances,
  selectDepositFloat,
  selectNamesakes,
  selectOfPhone,
  selectOfPhones,
  selectRefunded,
  selectReplaced,
} from './evidence-store.ts'

/** How many transactions of a number are read, the newest first; if there are more, the page shows "at least". */
export const LOOKED_AT_MAX = 500
const NEAR_EQUAL_MAX = 5
const CONTRADICTED_MAX = 5

/** Returns what the application's own rows say about one transaction; undefined when it has no such transaction. */
export async function readEvidence(
  queryable: Queryable,
  applicationId: string,
  transactionId: string,
): Promise<ApprovalEvidence | undefined> {
  const transaction = await findTransaction(queryable, applicationId, transactionId)
  if (!transaction) return undefined
  const [others, float, namesakes, replaced, known, refunded] = await Promise.all([
    selectOfPhone(queryable, applicationId, phoneNumberForms(transaction.phoneNumber), transactionId, LOOKED_AT_MAX),
    transaction.type === 'DEPOSIT' ? selectDepositFloat(queryable, applicationId, transaction.operator) : undefined,
    selectNamesakes(queryable, applicationId, [transactionId]),
    selectReplaced(queryable, applicationId, [transactionId]),
    readKnownAccount(queryable, applicationId, transaction),
    transaction.type === 'DEPOSIT' ? selectRefunded(queryable, applicationId, transactionId) : undefined,
  ])
  const cost = transaction.amountMinor + transaction.feeSystemMinor + transaction.feeAppMinor
  return {
    ...weighHistory(transaction, others, others.length === LOOKED_AT_MAX),
    namesakes: otherNumbers(transaction, namesakes),
    replaces: toReplaced(replaced[0]),
    account: toAccount(known, transaction.customerName),
    refund: refunded
      ? {
          collectId: refunded.collectId,
          collected: formatMinor(refunded.collectedMinor),
          at: refunded.at.toISOString(),
          otherCount: refunded.otherCount,
          others: formatMinor(refunded.othersMinor),
        }
      : null,
    balance:
      float === undefined
        ? null
        : {
            now: formatMinor(float.depositMinor),
            // Money that is already held is not in the free balance: then this deposit reduces the balance no further.
            afterThis: formatMinor(float.depositMinor - (transaction.status === 'PENDING_APPROVAL' ? cost : 0n)),
            afterAllWaiting: formatMinor(float.depositMinor - float.waitingMinor),
            waitingCount: float.waitingCount,
          },
  }
}

/** The fields compared with the other transactions of a number, for a transaction or for a payment that is still being written. */
type Weighed = Pick<Transaction, 'type' | 'currency' | 'operator' | 'amountMinor' | 'customerName' | 'createdAt'>

/** The part of the evidence that comes from the other transactions with the number, newest first. */
export function weighHistory(
  transaction: Weighed,
  others: readonly PhoneRow[],
  isMore: boolean,
): Omit<ApprovalEvidence, 'balance' | 'namesakes' | 'replaces' | 'account' | 'refund'> {
  const alike = others.filter((other) => other.type === transaction.type && other.currency === transaction.currency)
  const earlier = alike.filter((other) => other.createdAt < transaction.createdAt)
  const paid = earlier.filter((other) => other.status === 'SUCCESS')
  const last = paid[0] ?? earlier[0]
  return {
    isFirst: paid.length === 0,
    failedBefore: earlier.filter((other) => other.status === 'FAILED').length,
    nearEqual: alike
      .filter((other) => isNearEqual(transaction, other))
      .slice(0, NEAR_EQUAL_MAX)
      .map((other) => ({
        transactionId: other.transactionId,
        amount: formatMinor(other.amountMinor),
        at: other.createdAt.toISOString(),
        status: other.status,
        isSameName: foldName(other.customerName) === foldName(transaction.customerName),
      })),
    contradicted: alike
      .filter((other) => other.isContradicted && other.amountMinor === transaction.amountMinor)
      .slice(0, CONTRADICTED_MAX)
      .map((other) => ({
        transactionId: other.transactionId,
        amount: formatMinor(other.amountMinor),
        at: other.createdAt.toISOString(),
      })),
    history: summarise(transaction, paid, isMore),
    nameBefore:
      last && last.customerName.trim() !== transaction.customerName.trim()
        ? {
            name: last.customerName,
            at: last.createdAt.toISOString(),
            isOtherSpelling: foldName(last.customerName) === foldName(transaction.customerName),
          }
        : null,
    operatorBefore: last && last.operator !== transaction.operator ? last.operator : null,
  }
}

/** The numbers that are not another form of the transaction's own. */
export function otherNumbers(transaction: Pick<Transaction, 'phoneNumber'>, namesakes: readonly { phoneNumber: string }[]): string[] {
  const own = phoneNumberForms(transaction.phoneNumber)
  return namesakes.map(({ phoneNumber }) => phoneNumber).filter((phoneNumber) => !own.includes(phoneNumber))
}

/** The account at the operator beside the name on the payment. */
export function toAccount(known: AccountCheck | undefined, customerName: string): ApprovalEvidence['account'] {
  if (!known) return null
  const { answer, holderName, checkedAt } = known
  return { answer, holderName, checkedAt, isOtherName: holderName !== null && compareNames(customerName, holderName) === 'different' }
}

/** The transaction that this one replaces, for JSON. */
function toReplaced(row: ReplacedRow | undefined): ApprovalEvidence['replaces'] {
  return row
    ? {
        transactionId: row.originId,
        event: row.event,
        by: row.by,
        programName: row.programName,
        reason: row.reason,
        at: row.at.toISOString(),
      }
    : null
}

function isNearEqual(transaction: Weighed, other: PhoneRow): boolean {
  const gapMs = Math.abs(other.createdAt.getTime() - transaction.createdAt.getTime())
  const difference = other.amountMinor - transaction.amountMinor
  return other.status !== 'FAILED' && gapMs <= DAY_MS && (difference < 0n ? -difference : difference) * 100n <= transaction.amountMinor
}

function summarise({ amountMinor }: Weighed, paid: readonly PhoneRow[], isMore: boolean): ApprovalEvidence['history'] {
  const newest = paid[0]
  const oldest = paid.at(-1)
  if (!newest || !oldest) return null
  const amounts = paid.map((other) => other.amountMinor).sort((left, right) => (left < right ? -1 : left > right ? 1 : 0))
  const median = amounts[Math.ceil(amounts.length / 2) - 1] ?? newest.amountMinor
  return {
    count: paid.length,
    isMore,
    since: oldest.createdAt.toISOString(),
    median: formatMinor(median),
    largest: formatMinor(amounts.at(-1) ?? median),
    // A ratio for reading only, with one decimal.
    timesMedian: Number((amountMinor * 10n + median / 2n) / median) / 10,
    lastAt: newest.createdAt.toISOString(),
    lastAmount: formatMinor(newest.amountMinor),
  }
}

/** A name without accents, case, marks and word order: equal for two spellings of one name. */
function foldName(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .sort()
    .join(' ')
}

/**
 * The risk flags of several transactions, from the same evidence that the panel shows for one. A transaction that no longer waits has none.
 * Five statements, however many transactions there are.
 */
export async function readRisks(
  queryable: Queryable,
  applicationId: string,
  transactions: readonly Transaction[],
  // Among thousands of rows that wait, the same name with other numbers says nothing, and comparing them all takes long.
  { comparesNames = true }: { comparesNames?: boolean } = {},
): Promise<ReadonlyMap<string, readonly RiskFlag[]>> {
  const waiting = transactions.filter((transaction) => transaction.status === 'PENDING_APPROVAL')
  if (waiting.length === 0) return new Map()
  const ids = waiting.map((transaction) => transaction.transactionId)
  const [others, namesakes, balances, replaced, accounts] = await Promise.all([
    selectOfPhones(
      queryable,
      applicationId,
      waiting.map(({ transactionId, phoneNumber }) => ({ transactionId, phoneNumbers: phoneNumberForms(phoneNumber) })),
      LOOKED_AT_MAX,
    ),
    comparesNames ? selectNamesakes(queryable, applicationId, ids) : [],
    selectDepositBalances(queryable, applicationId, [...new Set(waiting.map((transaction) => transaction.operator))]),
    selectReplaced(queryable, applicationId, ids),
    readKnownAccounts(queryable, applicationId, waiting),
  ])
  const othersOf = Map.groupBy(others, (other) => other.forId)
  const namesakesOf = Map.groupBy(namesakes, (namesake) => namesake.transactionId)
  const accountOf = new Map(accounts.map((account) => [`${account.operator} ${account.phoneNumber}`, account]))
  const depositMinor = new Map(balances.map((balance) => [balance.operator, balance.depositMinor]))
  return new Map(
    waiting.map((transaction) => {
      const { transactionId, operator } = transaction
      const own = (othersOf.get(transactionId) ?? []).slice(0, LOOKED_AT_MAX)
      const evidence = {
        ...weighHistory(transaction, own, own.length === LOOKED_AT_MAX),
        replaces: toReplaced(replaced.find((row) => row.transactionId === transactionId)),
        account: toAccount(accountOf.get(`${operator} ${transaction.phoneNumber}`), transaction.customerName),
        refund: null,
        namesakes: otherNumbers(transaction, namesakesOf.get(transactionId) ?? []),
        balance: balanceAfter(transaction, depositMinor.get(operator) ?? 0n),
      }
      return [transactionId, riskFlags(evidence)]
    }),
  )
}

/** The deposit balance after a deposit alone; collects take nothing from it. */
function balanceAfter({ type, amountMinor, feeSystemMinor, feeAppMinor }: Transaction, depositMinor: bigint) {
  if (type !== 'DEPOSIT') return null
  const afterThis = formatMinor(depositMinor - amountMinor - feeSystemMinor - feeAppMinor)
  return { now: formatMinor(depositMinor), afterThis, afterAllWaiting: afterThis, waitingCount: 1 }
}

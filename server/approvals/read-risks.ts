import type { RiskFlag } from '#lib/approvals.ts'
import { formatMinor } from '#lib/money.ts'
import { phoneNumberForms } from '#lib/phone-number.ts'
import { riskFlags } from '#lib/risk-flags.ts'
import type { Queryable } from '#server/database/pool.ts'
import type { Transaction } from '#server/transactions/transaction.ts'
import { selectDepositBalances, selectNamesakes, selectOfPhones, selectReplaced } from './evidence-store.ts'
import { LOOKED_AT_MAX, otherNumbers, toReplaced, weighHistory } from './read-evidence.ts'

/**
 * The risk flags of several transactions, from the same evidence that the panel shows for one. A transaction that no longer waits has none.
 * Four statements, however many transactions there are.
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
  const [others, namesakes, balances, replaced] = await Promise.all([
    selectOfPhones(
      queryable,
      applicationId,
      waiting.map(({ transactionId, phoneNumber }) => ({ transactionId, phoneNumbers: phoneNumberForms(phoneNumber) })),
      LOOKED_AT_MAX,
    ),
    comparesNames ? selectNamesakes(queryable, applicationId, ids) : [],
    selectDepositBalances(queryable, applicationId, [...new Set(waiting.map((transaction) => transaction.operator))]),
    selectReplaced(queryable, applicationId, ids),
  ])
  const othersOf = Map.groupBy(others, (other) => other.forId)
  const namesakesOf = Map.groupBy(namesakes, (namesake) => namesake.transactionId)
  const depositMinor = new Map(balances.map((balance) => [balance.operator, balance.depositMinor]))
  return new Map(
    waiting.map((transaction) => {
      const { transactionId, operator } = transaction
      const own = (othersOf.get(transactionId) ?? []).slice(0, LOOKED_AT_MAX)
      const evidence = {
        ...weighHistory(transaction, own, own.length === LOOKED_AT_MAX),
        replaces: toReplaced(replaced.find((row) => row.transactionId === transactionId)),
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

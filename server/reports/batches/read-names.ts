import type { BatchNamesDto, RowAccount } from '#lib/batches/batches.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { readKnownAccounts } from '#server/account-checks/check-account.ts'
import { toAccount } from '#server/approvals/evidence/evidence.ts'
import type { Queryable } from '#server/database/pool.ts'
import { type CheckedAccountRow, findNameCheck, selectCheckedRows } from './name-check-report-store.ts'

type Place = { applicationId: string; batchId: string }
type NamedRow = { operator: OperatorCode | null; phoneNumber: string | null; customer: string | null }

/** How far the check of the names of a batch is, and the rows whose account has another name or cannot be paid; null if nobody asked for it. */
export async function readNames(queryable: Queryable, place: Place): Promise<BatchNamesDto | null> {
  const wish = await findNameCheck(queryable, place)
  if (!wish) return null
  const rows = await selectCheckedRows(queryable, place)
  const accounts = await readAccounts(queryable, place.applicationId, rows.map(toNamed))
  const doubtful = rows.filter((_, index) => isDoubtful(accounts[index] ?? null)).map(({ rowNumber }) => rowNumber)
  const { state, receiverCount } = wish
  return {
    state,
    receiverCount,
    checkedCount: new Set(rows.map(({ operator, phoneNumber }) => `${operator} ${phoneNumber}`)).size,
    doubtful,
  }
}

/** The operators' answers, at most 24 hours old, about the account of each row; null where nothing is known. */
export async function readAccounts(queryable: Queryable, applicationId: string, rows: readonly NamedRow[]): Promise<(RowAccount | null)[]> {
  const asked = rows.flatMap(({ operator, phoneNumber }) => (operator && phoneNumber ? [{ operator, phoneNumber }] : []))
  if (asked.length === 0) return rows.map(() => null)
  const known = new Map(
    (await readKnownAccounts(queryable, applicationId, asked)).map((each) => [`${each.operator} ${each.phoneNumber}`, each]),
  )
  return rows.map(({ operator, phoneNumber, customer }) => toAccount(known.get(`${operator} ${phoneNumber}`), customer ?? ''))
}

function toNamed({ operator, phoneNumber, customerName }: CheckedAccountRow): NamedRow {
  return { operator, phoneNumber, customer: customerName }
}

function isDoubtful(account: RowAccount | null): boolean {
  return account !== null && (account.isOtherName || account.answer !== 'active')
}

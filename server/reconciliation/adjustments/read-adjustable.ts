import { z } from 'zod'
import type { AdjustmentKind } from '#lib/finance/finance-dto.ts'
import type { Queryable } from '#server/database/pool.ts'
import { listAdjustments } from '#server/ledger/ledger-store.ts'
import { type AdjustableRow, type FeesRow, findInAnyLedger, selectFees, selectLedgersWithFees } from './adjustable-store.ts'

/** An application has one for each operator, so that those of one application always fit. */
const FEES_SHOWN_MAX = 100

export type Adjustable = AdjustableRow & { adjustments: readonly AdjustmentKind[] }

/**
 * Returns the transaction with an id of any application, for the installation's people, who may adjust the books of all; undefined if there is none, or
 * the text is no id.
 */
export async function readAdjustable(queryable: Queryable, transactionId: string): Promise<Adjustable | undefined> {
  const id = z.uuid().safeParse(transactionId)
  const found = id.success ? await findInAnyLedger(queryable, id.data) : undefined
  if (!found) return undefined
  const adjustments = await listAdjustments(queryable, found.ledger, [found.transactionId])
  return { ...found, adjustments: adjustments.get(found.transactionId) ?? [] }
}

export type FeesPage = { rows: FeesRow[]; isMore: boolean; ledgers: { ledger: string; application: string }[] }

/** Returns the fees that may be taken out, of one application or of all, and the applications that have any. */
export async function readFees(queryable: Queryable, ledger: string | null): Promise<FeesPage> {
  const [rows, ledgers] = await Promise.all([selectFees(queryable, ledger, FEES_SHOWN_MAX + 1), selectLedgersWithFees(queryable)])
  return { rows: rows.slice(0, FEES_SHOWN_MAX), isMore: rows.length > FEES_SHOWN_MAX, ledgers }
}

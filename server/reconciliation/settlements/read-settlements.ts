import { formatMinor } from '#lib/money/money.ts'
import { isOperatorCode, OPERATORS } from '#lib/operators/operators.ts'
import type { SettledAdjustment, SettledDayDto, SettledTransaction, SettlementDto } from '#lib/reconciliation/settlements.ts'
import type { Queryable } from '#server/database/pool.ts'
import { readWallet } from '../wallets/wallet-store.ts'
import {
  type AdjustmentRow,
  findSignedDay,
  listSignedDays,
  readSettlementSums,
  type SettledRow,
  type SettlementSums,
  type SignedDay,
  selectSettled,
  selectSettledAdjustments,
} from './settlement-store.ts'

/** As many as two people agree on in a day; more would be a mistake that nobody reads line by line. */
const ADJUSTMENTS_MAX = 10_000

/** The signed days of operators where the ledger of an application moved, the newest first; `from` and `to` are days of the operators. */
export async function listSettlements(
  queryable: Queryable,
  applicationId: string,
  range: { wallet: string | null; from: string; to: string },
): Promise<SettledDayDto[]> {
  return (await listSignedDays(queryable, applicationId, range)).map(toDay)
}

export type Settlement = {
  report: SettlementDto
  /** One page, in order of time. */
  transactions: SettledTransaction[]
  /** All of them. */
  adjustments: SettledAdjustment[]
}

/** The settlement of an application on a signed day of a wallet; undefined while nobody has signed it, and for a wallet that does not exist. */
export async function readSettlement(
  queryable: Queryable,
  applicationId: string,
  { wallet: id, day, page, size }: { wallet: string; day: string; page: number; size: number },
): Promise<Settlement | undefined> {
  const signed = await findSignedDay(queryable, id, day)
  const wallet = signed && (await readWallet(queryable, signed.installation, id))
  if (!signed || !wallet) return undefined
  const scope = { applicationId: signed.installation, wallet, from: day, to: day }
  const rows = await selectSettled(queryable, applicationId, scope, { offset: BigInt(page) * BigInt(size), limit: size })
  const adjustments = await selectSettledAdjustments(queryable, applicationId, signed, ADJUSTMENTS_MAX)
  return {
    report: toReport(signed, await readSettlementSums(queryable, applicationId, signed)),
    transactions: rows.map(toTransaction),
    adjustments: adjustments.map(toAdjustment),
  }
}

function toDay({ installation: _, hash, ...signed }: SignedDay): SettledDayDto {
  return {
    ...signed,
    currency: isOperatorCode(signed.operator) ? OPERATORS[signed.operator].country.currency : '',
    startsAt: signed.startsAt.toISOString(),
    endsAt: signed.endsAt.toISOString(),
    signedAt: signed.signedAt.toISOString(),
    certificateHash: hash,
  }
}

function toReport(signed: SignedDay, sums: SettlementSums): SettlementDto {
  const { openingMinor, transactionsMinor, adjustmentsMinor, transactionCount, adjustmentCount } = sums
  return {
    ...toDay(signed),
    opening: formatMinor(openingMinor),
    closing: formatMinor(openingMinor + transactionsMinor + adjustmentsMinor),
    transactionCount,
    transactionsNet: formatMinor(transactionsMinor),
    adjustmentCount,
    adjustmentsNet: formatMinor(adjustmentsMinor),
  }
}

function toTransaction({
  grossMinor,
  feeSystemMinor,
  feeAppMinor,
  netMinor,
  completedAt,
  operatorTime,
  ...row
}: SettledRow): SettledTransaction {
  return {
    ...row,
    gross: formatMinor(grossMinor),
    feesSystem: formatMinor(feeSystemMinor),
    feesApp: formatMinor(feeAppMinor),
    net: formatMinor(netMinor),
    completedAt: completedAt.toISOString(),
    operatorTime: operatorTime?.toISOString() ?? null,
  }
}

function toAdjustment({ netMinor, at, ...row }: AdjustmentRow): SettledAdjustment {
  return { ...row, net: formatMinor(netMinor), at: at.toISOString() }
}

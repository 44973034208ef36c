import { OPERATOR_CODES, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import type { FAILURE_MESSAGES, TransactionSource, TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { Random } from '#lib/seeded-random.ts'
import { type Beneficiary, makeBeneficiary, NAMED_BENEFICIARIES, type SeedApplication } from '../seed-applications.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
export const HISTORY_DAYS = 120

/** The operator's answer: a failure by its message, or none yet. */
type OperatorFate = 'success' | 'submitted' | 'unconfirmed' | keyof typeof FAILURE_MESSAGES
/** The outcome where an approval is needed. `partial`: all but one of the checkers have approved. */
type ApprovalFate = 'approve' | 'reject' | 'recall' | 'expire' | 'wait' | 'partial'

export type PlannedTransaction = {
  atMs: number
  source: TransactionSource
  type: TransactionType
  operator: OperatorCode
  amountMinor: bigint
  beneficiary: Beneficiary
  webhookUrl: string
  makerId: string | null
  batchId: string | null
  batchSumMinor: bigint | null
  operatorFate: OperatorFate
  approvalFate: ApprovalFate
  /** The operator later says the opposite of the failure that it reported. */
  isContradicted: boolean
}

type Planning = { random: Random; nowMs: number; application: SeedApplication; makerIds: string[] }

type Draft = Partial<
  Pick<
    PlannedTransaction,
    | 'source'
    | 'type'
    | 'operator'
    | 'operatorFate'
    | 'approvalFate'
    | 'makerId'
    | 'batchId'
    | 'amountMinor'
    | 'beneficiary'
    | 'isContradicted'
  >
> & { ending?: string }

const OPERATOR_FATES: Record<OperatorFate, number> = {
  success: 900,
  insufficientFunds: 34,
  invalidNumber: 17,
  cancelledByCustomer: 22,
  operatorTimeout: 14,
  notRegistered: 13,
  submitted: 0,
  unconfirmed: 0,
}
const APPROVAL_FATES: Record<ApprovalFate, number> = { approve: 90, reject: 6, recall: 2, expire: 2, wait: 0, partial: 0 }
/** Thousands of the currency's unit, above the thresholds of the approval rules. */
const LARGE_PAYOUTS: { operator: OperatorCode; from: number; to: number }[] = [
  { operator: 'OMCM', from: 510, to: 790 },
  { operator: 'UGMTN', from: 2_100, to: 4_200 },
  { operator: 'MOMOCM', from: 810, to: 980 },
  { operator: 'CIOM', from: 520, to: 900 },
]
/** How busy each hour of a UTC day is. */
const HOURS = [1, 1, 1, 1, 1, 2, 5, 9, 14, 17, 18, 17, 14, 13, 15, 17, 18, 16, 13, 10, 7, 5, 3, 2]

/**
 * Plans what one application starts within the last four months, in order of time: a partner's program most of it,
 * people and their files the rest; more on working days and around the end of the month.
 */
export function planHistory(planning: Planning): PlannedTransaction[] {
  const regulars = new Map(OPERATOR_CODES.map((code) => [code, [...(NAMED_BENEFICIARIES[code] ?? [])]]))
  const planned: PlannedTransaction[] = []
  planOpen(planning, regulars, planned)
  // More than the balance can hold in any case: ends as refused for funds.
  planned.push(
    planOne(planning, regulars, planning.nowMs - 9.3 * DAY_MS, {
      source: 'api',
      type: 'DEPOSIT',
      operator: 'MLMOOV',
      amountMinor: 9_000_000_000n,
      approvalFate: 'approve',
    }),
  )
  if (planning.application.hasContradiction)
    planned.push(
      planOne(planning, regulars, planning.nowMs - 1.6 * DAY_MS, {
        source: 'api',
        type: 'COLLECT',
        operatorFate: 'operatorTimeout',
        isContradicted: true,
      }),
    )
  while (planned.length < planning.application.transactionCount) {
    const atMs = pickInstant(planning)
    const source = planning.random.weighted({ api: 930, person: 55, file: 6 })
    if (source === 'file') planned.push(...planFile(planning, regulars, atMs, 'approve', planning.random.between(6, 24)))
    else planned.push(planOne(planning, regulars, atMs, { source }))
  }
  if (planning.application.transactionCount > 1_000) planned.push(...planFiles(planning, regulars))
  // The person who opens the sandbox as its first maker has something that was returned.
  const returned = { source: 'person', approvalFate: 'reject', makerId: planning.makerIds[0] } as const
  planned.push(planOne(planning, regulars, planning.nowMs - 31 * HOUR_MS, returned))
  return planned.sort((left, right) => left.atMs - right.atMs)
}

/** Plans the transactions that are still open today: at the operators, unconfirmed, and waiting for checkers. */
function planOpen(planning: Planning, regulars: Map<OperatorCode, Beneficiary[]>, planned: PlannedTransaction[]): void {
  const { random, nowMs, application } = planning
  const isLarge = application.transactionCount > 1_000
  for (const minutes of isLarge ? [2, 3, 5, 8, 13, 21, 34, 55, 80] : [4, 17]) {
    // 912: the simulator leaves these pending forever.
    planned.push(planOne(planning, regulars, nowMs - minutes * 60_000, { source: 'api', operatorFate: 'submitted', ending: '912' }))
  }
  for (const hours of isLarge ? [0.4, 1.2, 4.5, 10.8, 25.5, 47, 71] : [2.3]) {
    planned.push(
      planOne(planning, regulars, nowMs - hours * HOUR_MS, { source: 'api', type: 'DEPOSIT', operatorFate: 'unconfirmed', ending: '907' }),
    )
  }
  for (let index = 0; index < (isLarge ? 26 : 7); index++) {
    const ageMs = (0.1 + index ** 1.6 * (isLarge ? 0.8 : 8) + random.next()) * HOUR_MS
    const large = index % 2 === 0 ? undefined : LARGE_PAYOUTS[((index - 1) / 2) % LARGE_PAYOUTS.length]
    planned.push(
      planOne(planning, regulars, nowMs - Math.min(ageMs, 6.4 * DAY_MS), {
        source: 'person',
        type: 'DEPOSIT',
        approvalFate: index % 4 < 2 ? 'partial' : 'wait',
        ...(large && isLarge ? { operator: large.operator, amountMinor: BigInt(random.between(large.from, large.to)) * 100_000n } : {}),
      }),
    )
  }
  for (const [operator, named] of Object.entries(NAMED_BENEFICIARIES) as [OperatorCode, readonly Beneficiary[]][])
    for (const beneficiary of isLarge ? named : [])
      planned.push(
        planOne(planning, regulars, nowMs - random.between(1, 30) * HOUR_MS, {
          source: 'person',
          operator,
          approvalFate: 'wait',
          beneficiary,
        }),
      )
  if (isLarge) planned.push(...planFile(planning, regulars, nowMs - 3.2 * HOUR_MS, 'wait', 14))
}

/** Files to look at: one that is half done, one that was rejected, and one with rows to retry. */
function planFiles(planning: Planning, regulars: Map<OperatorCode, Beneficiary[]>): PlannedTransaction[] {
  const approved = { approvalFate: 'approve' } as const
  const fates = ['invalidNumber', 'notRegistered', 'insufficientFunds', 'operatorTimeout'] as const
  return [
    ...planFile(planning, regulars, planning.nowMs - 9 * HOUR_MS, 'approve', 12, (index) => ({
      ...approved,
      ...(index < 6 ? { operatorFate: 'success' } : { operatorFate: 'submitted', ending: '912' }),
    })),
    ...planFile(planning, regulars, planning.nowMs - 31 * HOUR_MS, 'reject', 8),
    ...planFile(planning, regulars, planning.nowMs - 55 * HOUR_MS, 'approve', 11, (index) => ({
      ...approved,
      operatorFate: fates[index] ?? 'success',
    })),
  ]
}

/** One file: many deposits of one maker at one instant. */
function planFile(
  planning: Planning,
  regulars: Map<OperatorCode, Beneficiary[]>,
  atMs: number,
  approvalFate: ApprovalFate,
  rows: number,
  change: (index: number) => Draft = () => ({}),
): PlannedTransaction[] {
  const batchId = planning.random.uuid()
  const makerId = planning.random.pick(planning.makerIds)
  // A payroll stays in one country, so that its total is one currency.
  const first = planning.random.weighted(planning.application.shares)
  const codes = Object.values(OPERATORS)
    .filter((operator) => operator.country.code === OPERATORS[first].country.code)
    .map((operator) => operator.code)
  const items = Array.from({ length: rows }, (_, index) =>
    planOne(planning, regulars, atMs, {
      source: 'file',
      type: 'DEPOSIT',
      operator: planning.random.pick(codes),
      makerId,
      batchId,
      approvalFate: approvalFate === 'approve' ? undefined : approvalFate,
      ...change(index),
    }),
  )
  const batchSumMinor = items.reduce((sum, item) => sum + item.amountMinor, 0n)
  return items.map((item) => ({ ...item, batchSumMinor }))
}

function planOne(planning: Planning, regulars: Map<OperatorCode, Beneficiary[]>, atMs: number, draft: Draft): PlannedTransaction {
  const { random, nowMs, application } = planning
  const source = draft.source ?? 'api'
  const operator = draft.operator ?? random.weighted(application.shares)
  const usualType = draft.type ?? (source !== 'api' || random.chance(0.42) ? 'DEPOSIT' : 'COLLECT')
  // There Orange answers a collect with its result, and no query about it: none is open.
  const type = operator === 'BFOM' && draft.operatorFate === 'submitted' ? 'DEPOSIT' : usualType
  const approvalFate = draft.approvalFate ?? random.weighted(APPROVAL_FATES)
  return {
    atMs,
    source,
    type,
    operator,
    amountMinor: draft.amountMinor ?? pickAmount(random, operator),
    beneficiary:
      draft.beneficiary ?? (draft.ending ? makeBeneficiary(random, operator, draft.ending) : pickBeneficiary(random, operator, regulars)),
    webhookUrl: random.pick(application.receivers),
    makerId: source === 'api' ? null : (draft.makerId ?? random.pick(planning.makerIds)),
    batchId: draft.batchId ?? null,
    batchSumMinor: null,
    isContradicted: draft.isContradicted ?? false,
    operatorFate: draft.operatorFate ?? random.weighted(OPERATOR_FATES),
    // Nothing that is younger than its expiry has expired.
    approvalFate: approvalFate === 'expire' && nowMs - atMs < 9 * DAY_MS ? 'approve' : approvalFate,
  }
}

/** Most payments go to people who were paid before. */
function pickBeneficiary(random: Random, operator: OperatorCode, regulars: Map<OperatorCode, Beneficiary[]>): Beneficiary {
  const known = regulars.get(operator) ?? []
  regulars.set(operator, known)
  if (known.length >= 3 && !random.chance(known.length < 45 ? 0.35 : 0.04)) return random.pick(known)
  const beneficiary = makeBeneficiary(random, operator)
  known.push(beneficiary)
  return beneficiary
}

/** Many small amounts and few large ones, most of them round. */
function pickAmount(random: Random, operator: OperatorCode): bigint {
  const { currency } = OPERATORS[operator].country
  const spread = random.next() + random.next() + random.next() - 1.5
  const units = Math.exp(9.4 + spread * 2.1) * (currency === 'UGX' ? 6 : 1)
  const step = random.pick([5, 25, 100, 100, 500, 500, 1_000])
  const rounded = Math.min(Math.max(Math.round(units / step) * step, 500), currency === 'UGX' ? 4_500_000 : 900_000)
  return BigInt(rounded) * 100n
}

function pickInstant({ random, nowMs }: Planning): number {
  for (;;) {
    const ageMs = random.chance(0.015) ? random.between(4 * 60_000, 6 * HOUR_MS) : random.next() * HISTORY_DAYS * DAY_MS
    const instant = new Date(nowMs - ageMs)
    const weekday = [0.45, 1, 1, 1, 1, 1.15, 0.8][instant.getUTCDay()] ?? 1
    const monthEnd = instant.getUTCDate() >= 25 && instant.getUTCDate() <= 28 ? 1.5 : 1
    const growth = 1.2 - 0.5 * (ageMs / (HISTORY_DAYS * DAY_MS))
    const weight = ((HOURS[instant.getUTCHours()] ?? 1) / 18) * (weekday / 1.15) * (monthEnd / 1.5) * (growth / 1.2)
    if (ageMs > 4 * 60_000 && random.chance(ageMs < 6 * HOUR_MS ? 0.5 : weight)) return instant.getTime()
  }
}

import type { ApprovalEvidence, BatchEnd } from '#lib/approvals/approvals.ts'
import type { Locale } from '#lib/i18n/locale.ts'
import type { MessageKey, Translate } from '#lib/i18n/translate.ts'
import type { Currency } from '#lib/money/money.ts'
import { isOperatorCode, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import type { FailureCase } from '#lib/payments/failure-case.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { formatAmount, moneyText } from '#lib/text/format.ts'
import { formatTime } from '#lib/time/format-time.ts'
import type { BatchColumns, BatchField, RepairKind, RowEdits, RowProblem, RowRepair, RowTexts, RowWarning } from './batch-fields.ts'
import type { BatchEndPlace, StagedBatch } from './batch-stage.ts'
import type { FileReading } from './file-problem.ts'

/** The states of a batch. `checking`: its columns are not known yet. */
export type BatchState = 'checking' | 'draft' | 'submitting' | 'submitted' | 'discarded'

/** Rows of a batch on one page of the dry run, and batches on one page of the list. */
export const BATCH_PAGE_SIZE = 50

/** The filters of a batch's rows. An address without one shows the problems while there are any. */
export const ROW_FILTERS = ['all', 'problems', 'warnings', 'repairs', 'excluded'] as const
export type RowFilter = (typeof ROW_FILTERS)[number]

/** Amounts are exact decimals, instants ISO 8601. */
/** How far ahead a batch can be planned. */
export const RELEASE_DAYS_MAX = 30
/** A batch that is sent this much later than planned says so. */
export const RELEASE_LATE_MS = 15 * 60_000

export type CurrencySum = { currency: Currency; count: number; amount: string }

export type BatchListItem = StagedBatch & {
  batchId: string
  name: string
  makerName: string
  /** Who decided on its transactions, by name. */
  decidedBy: string[]
  rowCount: number
  readyCount: number
  problemCount: number
  sums: CurrencySum[]
  createdAt: string
  submittedAt: string | null
}

/** The operator's answer about the account of a row, at most 24 hours old; names are masked. */
export type RowAccount = NonNullable<ApprovalEvidence['account']>

/** The check of the names of a file. `doubtful`: rows whose account has another name, or cannot be paid. */
export type BatchNamesDto = {
  state: 'open' | 'complete' | 'limited' | 'stopped'
  receiverCount: number
  checkedCount: number
  doubtful: readonly number[]
}

export type BatchRowDto = RowTexts & {
  rowNumber: number
  operator: OperatorCode | null
  phoneNumber: string | null
  amount: string | null
  /** The value of each field from the file or the maker, for the form. */
  typed: Record<BatchField, string>
  edits: RowEdits
  /** The value of the file in each field that the maker has replaced. */
  inFile: RowEdits
  problems: RowProblem[]
  repairs: RowRepair[]
  warnings: RowWarning[]
  exclusion: string | null
  /** In a retry: why the payment that this row repeats was not made. */
  earlier: { failure: FailureCase; message: string | null; at: string } | null
}

/**
 * One field of some rows, as many as one repair may change; `total`: how many there are. `edit`: what a maker typed; null where the value is
 * that of the file.
 */
export type BatchCellsDto = { cells: { rowNumber: number; name: string | null; value: string; edit: string | null }[]; total: number }

/** The nearest pages of a list of rows that have one with a problem. */
export type ProblemPages = { previous: number | null; next: number | null }

/** A row with what is known about its account; null: nothing. */
export type CheckedBatchRow = BatchRowDto & { account: RowAccount | null }

/** The effect of the file at one operator. `balance…` are null for collects, which take nothing from the deposit balance. */
export type BatchOperatorSum = {
  operator: OperatorCode
  currency: Currency
  count: number
  amount: string
  fees: string
  balanceNow: string | null
  balanceAfter: string | null
  /** After this file and every deposit that waits for approval. */
  balanceAfterWaiting: string | null
}

type BatchRepairDto = {
  kind: RepairKind
  count: number
  isAccepted: boolean
  examples: { rowNumber: number; before: string; after: string }[]
}

/** The approvals that the batch needs under the rules. */
export type BatchApprovalNeed = { rules: string[]; steps: number[]; needsCode: boolean; currencies: Currency[]; firstTimeOnly: boolean }

export type BatchDto = {
  batchId: string
  name: string
  type: TransactionType
  state: BatchState
  version: number
  /** Null for a batch that a program sent. */
  fileName: string | null
  reading: FileReading
  headers: string[]
  columns: BatchColumns | null
  defaultOperator: OperatorCode | null
  makerName: string
  createdByName: string
  createdAt: string
  changedAt: string
  submittedAt: string | null
  rowCount: number
  readyCount: number
  problemCount: number
  excludedCount: number
  startedCount: number
  warningCount: number
  repairCount: number
  /** Rows that could not be started although the batch was submitted. */
  refusedCount: number
  sums: CurrencySum[]
  operators: BatchOperatorSum[]
  repairs: BatchRepairDto[]
  approvals: BatchApprovalNeed[]
  checkers: string[]
  /** The submitted batch with the same payments. */
  twin: { batchId: string; name: string; makerName: string; submittedAt: string } | null
  /** Some of the first rows as read, to assign columns by. */
  samples: string[][]
}

/** Where a row of a submitted batch is. `waiting`: for a decision. `queued`: approved, not sent. `sent`: an operator may have it. */
export type BatchRowPlace = 'waiting' | 'queued' | 'paused' | 'sent' | 'succeeded' | BatchEndPlace

/** A count and the exact sum of the amounts. */
type BatchFigure = { count: number; amount: string }

/** How far the rows of a batch are at one operator. Places without rows are missing. */
export type BatchRunOperator = {
  operator: OperatorCode
  currency: Currency
  total: BatchFigure
  places: Partial<Record<BatchRowPlace, BatchFigure>>
  /** Of `sent`: how many have an unknown outcome. */
  unconfirmed: number
}

/** Why a retry leaves a failed row out: it may have been paid. `unanswered`: the operator did not confirm the failure before the retry. */
export type LeftOutReason = 'contradicted' | 'asked' | 'unanswered'

/** Failed rows that are not paid again: how many, and the first of them. */
export type LeftOutRows = { count: number; rows: readonly { transactionId: string; customerName: string; reason: LeftOutReason }[] }

type BatchLink = { batchId: string; name: string }

/** The rows of a submitted batch that another one repeats: that failed, that came back without an approval, that were not submitted. */
export const REPEATED_ROWS = ['failed', 'returned', 'unsubmitted'] as const
export type RepeatedRows = (typeof REPEATED_ROWS)[number]

/** Rows of a submitted batch that started no transaction: how many, and the first of them with what the maker or the service said. */
type UnsubmittedRows = {
  count: number
  rows: readonly { rowNumber: number; name: string | null; exclusion: string | null; problems: readonly RowProblem[] }[]
}

/** A batch after submission, as one person may see and use it. */
export type BatchRunDto = StagedBatch & {
  batchId: string
  name: string | null
  state: 'waiting' | 'running' | 'paused' | 'stopped' | 'finished'
  /** How the wait of its rows ended, once none waits: by event, person and reason, most rows first. */
  ends: readonly BatchEnd[]
  /** Who paused, resumed or stopped it last. */
  changed: { by: string; at: string; reason: string | null } | null
  /** The time at which it is, or was, sent by the service; `isLate`: more than 15 minutes after it. Null: none was chosen, or a person holds it. */
  release: { at: string; releasedAt: string | null; isLate: boolean } | null
  operators: readonly BatchRunOperator[]
  decisions: readonly { checkerName: string; decision: 'validated' | 'rejected'; count: number; at: string }[]
  /** The batch whose failed rows this one repeats, and the ones that repeat rows of this one. */
  parent: BatchLink | null
  retries: readonly (BatchLink & { rows: number })[]
  /** Failed rows of this batch that no retry takes until somebody has clarified them with the operator. */
  withheld: LeftOutRows
  /** Rows that failed, are in no retry and may be retried. */
  retryable: number
  /** Rows that were rejected, recalled or not decided in time, and are in no retry. */
  returned: number
  unsubmitted: UnsubmittedRows
  can: { pause: boolean; resume: boolean; plan: boolean; stop: boolean; recall: boolean; repeat: Readonly<Record<RepeatedRows, boolean>> }
}

/** How findings are written: language, and the zone of times. */
export type BatchWords = { t: Translate; locale: Locale; timeZone: string }

/** Why a row cannot be submitted, in a sentence that says what to do. */
export function problemText({ t, locale }: BatchWords, { field, kind, values = {} }: RowProblem): string {
  const { operator, country, minimum, maximum, multiple } = values
  return t(`batches.problem.${kind}`, {
    ...values,
    field: t(`payment.field.${field}`),
    ...(operator ? { operator: operatorText(t, operator) } : {}),
    ...(country ? { country: t(`country.${country}` as MessageKey) } : {}),
    ...(minimum ? { minimum: formatAmount(minimum, locale) } : {}),
    ...(maximum ? { maximum: formatAmount(maximum, locale) } : {}),
    ...(multiple ? { multiple: formatAmount(multiple, locale) } : {}),
  })
}

/** The text of a warning to review before submitting. */
export function warningText({ t, locale, timeZone }: BatchWords, warning: RowWarning): string {
  switch (warning.kind) {
    case 'duplicate':
      return t('batches.warning.duplicate', { count: warning.count, row: warning.row })
    case 'paid':
      return t('batches.warning.paid', { amount: moneyText(warning, locale), time: formatTime(t, timeZone, new Date(warning.at), 'full') })
    case 'name':
      return t('batches.warning.name', { name: warning.before })
    case 'limits':
      return t('batches.warning.limits', {
        minimum: formatAmount(warning.minimum, locale),
        maximum: moneyText({ amount: warning.maximum, currency: warning.currency }, locale),
      })
    case 'rounded':
      return t('batches.warning.rounded')
    case 'formula':
      return t('batches.warning.formula', { field: t(`payment.field.${warning.field}`) })
  }
}

/** An operator as people name it: `MTN Cameroon`. */
export function operatorText(t: Translate, code: string): string {
  if (!isOperatorCode(code)) return code
  const { brand, country } = OPERATORS[code]
  return `${brand} ${t(`country.${country.name}`)}`
}

import { z } from 'zod'
import { AMOUNT_MINOR_MAX, formatMinor, parseAmountMinor } from '#lib/money/money.ts'
import { areContradictory, type OperatorLimitSettings } from '#lib/operators/amount-limits.ts'
import { AMOUNT_SETTINGS_NAME } from '#lib/operators/operator-settings.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { TRANSACTION_TYPES, type TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { err, ok } from '#lib/result.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { describeFields, type OperatorSettings } from './operator-settings.ts'
import { ALL_OPERATORS, type FieldProblem, fieldProblems, problemSentences, type SettingsKind } from './protocol.ts'

/** In units of the currency, as people name amounts, with at most two decimals. */
const amount = z
  .number()
  .positive({ abort: true })
  .max(Number(formatMinor(AMOUNT_MINOR_MAX)), { abort: true })
  .refine((value) => parseAmountMinor(String(value)) !== undefined, { params: { problem: 'format' } })
  .optional()

const schema = z.strictObject({
  collectMinimum: amount,
  collectMaximum: amount,
  collectMultipleOf: amount,
  depositMinimum: amount,
  depositMaximum: amount,
  depositMultipleOf: amount,
})
type AmountDocument = z.output<typeof schema>

/**
 * The amounts that an operator takes, in each direction. Apart from how it is reached: they are the same through every protocol and for an
 * operator of the environment, and another maximum must not try a refused PIN again, as other settings do.
 */
export const AMOUNT_SETTINGS: SettingsKind = {
  name: AMOUNT_SETTINGS_NAME,
  operators: ALL_OPERATORS,
  secretFields: new Set(),
  fields: describeFields(schema, new Set()),
  check(document) {
    const parsed = schema.safeParse(document)
    if (!parsed.success) return err(fieldProblems(parsed.error, document))
    const problems = TRANSACTION_TYPES.flatMap((type): FieldProblem[] =>
      areContradictory(limitsIn(parsed.data, type))
        ? [{ path: `${type.toLowerCase()}Maximum`, problem: 'range', message: 'leaves no amount: it is below the minimum or the multiple' }]
        : [],
    )
    return problems.length > 0 ? err(problems) : ok(undefined)
  },
}

function limitsIn(document: AmountDocument, type: TransactionType): OperatorLimitSettings {
  const { collectMinimum, collectMaximum, collectMultipleOf, depositMinimum, depositMaximum, depositMultipleOf } = document
  const [minimum, maximum, multiple] =
    type === 'COLLECT' ? [collectMinimum, collectMaximum, collectMultipleOf] : [depositMinimum, depositMaximum, depositMultipleOf]
  return { minimumMinor: toMinor(minimum), maximumMinor: toMinor(maximum), multipleMinor: toMinor(multiple) }
}

function toMinor(value: number | undefined): bigint | null {
  return value === undefined ? null : (parseAmountMinor(String(value)) ?? null)
}

/** The amounts that the operators take, as the settings say. Follows them. */
export type FollowedLimits = {
  follow(settings: readonly OperatorSettings[]): void
  /** Undefined: nothing is set for this direction. */
  limitsOf(operator: OperatorCode, type: TransactionType): OperatorLimitSettings | undefined
}

export function followLimits(): FollowedLimits {
  let present = new Map<string, OperatorLimitSettings>()
  return {
    follow(settings) {
      const found = settings
        .filter(({ protocol }) => protocol === AMOUNT_SETTINGS_NAME)
        .flatMap(({ operator, document }) => read(operator, document))
      present = new Map(found)
    },
    limitsOf: (operator, type) => present.get(`${operator}:${type}`),
  }
}

function read(operator: OperatorCode, document: unknown): [string, OperatorLimitSettings][] {
  const parsed = schema.safeParse(document)
  if (!parsed.success) {
    // Stored by a release with another schema: without limits until they are set again, as before they were set.
    reportUnexpected('operators: settings', new Error(problemSentences(fieldProblems(parsed.error, document)).join('; ')), {
      message: `The amounts of ${operator} do not fit`,
    })
    return []
  }
  return TRANSACTION_TYPES.flatMap((type): [string, OperatorLimitSettings][] => {
    const limits = limitsIn(parsed.data, type)
    return Object.values(limits).some((minor) => minor !== null) ? [[`${operator}:${type}`, limits]] : []
  })
}

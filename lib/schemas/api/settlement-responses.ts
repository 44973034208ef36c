import { z } from 'zod'
import { ADJUSTMENT_KINDS } from '#lib/finance/finance-dto.ts'
import { CURRENCIES } from '#lib/money/money.ts'
import { OPERATOR_CODES } from '#lib/operators/operators.ts'
import { TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import { TRANSACTION_CLASSES } from '#lib/reconciliation/classes.ts'

// Responses of version 2 of the API.

const text = (description: string) => z.string().meta({ description })
const amount = (description: string) => z.number().meta({ description })
const instant = (description: string) => z.iso.datetime().meta({ description })
const count = (description: string) => z.int().min(0).meta({ description })

const day = {
  wallet: text('The account at the operator: the operator code, with -collect or -deposit where the operator has two accounts'),
  operator: z.enum(OPERATOR_CODES).meta({ description: 'The operator code' }),
  account: z.enum(['collect', 'deposit', 'both']).meta({ description: 'Which of your balances the account holds' }),
  currency: z.enum(CURRENCIES).meta({ description: 'The currency of all amounts' }),
  day: z.iso.date().meta({ description: 'The day of the operator, in its own time zone' }),
  startsAt: instant('When the day begins, ISO 8601 in UTC'),
  endsAt: instant('When the day ends; this instant belongs to the next one'),
  version: z.int().min(1).meta({ description: 'Counts from 1. A day that was reopened is signed again with the next version' }),
  state: z.enum(['signed', 'to_be_signed_again']).meta({
    description: 'to_be_signed_again: an earlier day was reopened. The report is unchanged and will be signed again',
  }),
  signedAt: instant('When two people had signed the day'),
  certificateHash: text('SHA-256 of the certificate of the day, hexadecimal. The report of a version never has another one'),
}

export const settledDaySchema = z
  .strictObject(day)
  .meta({ id: 'SettledDay', description: 'A day of an account that two people have signed' })

const settledTransactionSchema = z.strictObject({
  transactionId: text('The transactionId of the response that started the transaction'),
  externalId: text('Your own id of the transaction'),
  transactionType: z.enum(TRANSACTION_TYPES).meta({ description: 'COLLECT or DEPOSIT' }),
  operatorReference: z.string().nullable().meta({ description: 'The operator’s own id of the payment; null where it has none' }),
  gross: amount('The amount that moved at the operator'),
  feesSystem: amount('The fee of the service'),
  feesApp: amount('The fee of the application'),
  net: amount('The change of your balance: above zero for a collect, below zero for a deposit'),
  completedAt: instant('When it succeeded'),
  operatorTime: z.iso
    .datetime()
    .nullable()
    .meta({ description: 'When the statement of the operator has it; null while no line is matched' }),
  class: z
    .enum(TRANSACTION_CLASSES)
    .meta({ description: 'How it compares with the statement; matched: the operator has it on the same day' }),
  adjustments: z
    .array(z.enum(ADJUSTMENT_KINDS))
    .meta({ description: 'The changes that two people made in the books later; the status stays' }),
})

const settledAdjustmentSchema = z.strictObject({
  kind: z.enum(['fund', 'move', 'correct', 'withdraw', ...ADJUSTMENT_KINDS]).meta({
    description:
      'fund: money was paid in. move: from the collect to the deposit balance. withdraw: to your bank account. late, reverse, concede: about a final transaction',
  }),
  id: text('The transaction, or the change that two people made'),
  transactionId: z.string().nullable().meta({ description: 'The transaction that it is about; null if it is about none' }),
  net: amount('The change of your balance'),
  at: instant('When it was posted'),
})

/** Answer of one settlement report. */
export const settlementReportSchema = z
  .strictObject({
    ...day,
    opening: amount('Your balance in the account when the day began, with money that is reserved for deposits in progress'),
    closing: amount('The same when the day ended: opening plus transactionsNet plus adjustmentsNet'),
    transactionCount: count('How many transactions the whole day has'),
    transactionsNet: amount('The sum of net of all transactions of the day, on every page'),
    adjustmentCount: count('How many adjustments the day has'),
    adjustmentsNet: amount('The sum of net of all adjustments'),
    page: count('The requested page, from 0'),
    size: z.int().min(1).meta({ description: 'The requested size of a page' }),
    transactions: z.array(settledTransactionSchema).meta({ description: 'The transactions of this page, in order of completedAt' }),
    adjustments: z
      .array(settledAdjustmentSchema)
      .meta({ description: 'Everything else that changed your balance; the same on every page' }),
  })
  .meta({ id: 'SettlementReport', description: 'The changes that a signed day of an account made to the balance of your application' })

/** An exact decimal as the number that JSON writes in the same digits: amounts and sums have at most 15. Throws if it would be another. */
export function jsonNumber(decimal: string): number {
  const value = Number(decimal)
  if (String(value) !== decimal) throw new Error(`${decimal} is no exact JSON number`)
  return value
}

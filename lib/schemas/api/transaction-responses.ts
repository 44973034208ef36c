import { z } from 'zod'
import { CURRENCIES } from '#lib/money/money.ts'
import { COUNTRY_NAMES, OPERATOR_CODES } from '#lib/operators/operators.ts'
import { TRANSACTION_STATUSES, TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'

// Responses of version 2 of the API about transactions.

export const listedTransactionSchema = z
  .strictObject({
    transactionId: z.string().meta({ description: 'The transactionId of the response that started it' }),
    externalId: z.string().meta({ description: 'Your own id of it' }),
    transactionType: z.enum(TRANSACTION_TYPES).meta({ description: 'COLLECT or DEPOSIT' }),
    status: z.enum(TRANSACTION_STATUSES).meta({ description: 'The stored status. SUCCESS and FAILED are final' }),
    message: z
      .string()
      .nullable()
      .meta({ description: 'The text of the result, for people: why it failed, or that it succeeded; null before' }),
    transferMethod: z.enum(OPERATOR_CODES).meta({ description: 'The operator code' }),
    countryName: z.enum(COUNTRY_NAMES).meta({ description: 'The country of the operator' }),
    currency: z.enum(CURRENCIES).meta({ description: 'The currency of its amounts' }),
    amount: z.number().meta({ description: 'The amount, without fees' }),
    feesSystem: z.number().meta({ description: 'The fee of the service' }),
    feesApp: z.number().meta({ description: 'The fee of the application' }),
    phoneNumber: z.string().meta({ description: 'The phone number of the customer or beneficiary, without +' }),
    customerName: z.string().meta({ description: 'The name of the customer or beneficiary' }),
    purpose: z.string().meta({ description: 'The reason of the payment, or the number of an invoice; empty if it was left out' }),
    operatorReference: z.string().nullable().meta({ description: 'The operator’s own id of the payment; null where it has none yet' }),
    refundOf: z
      .string()
      .nullable()
      .meta({ description: 'The transactionId of the collect that this deposit refunds; null for all others' }),
    refundedAmount: z.number().meta({
      description: 'How much of this collect is refunded or being refunded: its refunds without those that FAILED; 0 for a deposit',
    }),
    createdAt: z.iso.datetime().meta({ description: 'When it was accepted, ISO 8601 in UTC' }),
    completedAt: z.iso.datetime().nullable().meta({ description: 'When it became final; null before' }),
  })
  .meta({ id: 'Transaction', description: 'A transaction with all that is stored of it for your program' })
export type ListedTransaction = z.output<typeof listedTransactionSchema>

export const transactionListSchema = z
  .strictObject({
    transactions: z.array(listedTransactionSchema).meta({ description: 'The transactions, newest first' }),
    nextCursor: z.string().nullable().meta({ description: 'The cursor of the next page; null on the last one' }),
  })
  .meta({ id: 'TransactionList', description: 'A part of the list of all transactions' })

export const refundListSchema = z
  .strictObject({
    refunds: z.array(listedTransactionSchema).meta({ description: 'The refunds of the collect, the oldest first; FAILED ones too' }),
    refundedAmount: z.number().meta({ description: 'How much of the collect is refunded or being refunded' }),
    remainingAmount: z.number().meta({ description: 'How much of the collect can still be refunded' }),
  })
  .meta({ id: 'RefundList', description: 'The refunds of a collect' })

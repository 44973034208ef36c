import { z } from 'zod'
import { COUNTRY_NAMES, OPERATOR_CODES } from '#lib/operators.ts'
import { TRANSACTION_STATUSES, TRANSACTION_TYPES } from '#lib/transaction-status.ts'

// The responses of the service. Strict: the documentation and the contract tests are generated
// from these, and an additional field is as wrong as a missing one.

const id = z.uuid()
const amount = z.number().meta({ description: 'Shortest exact decimal in the currency of the country' })

/** Answer of collect and deposit; elements of the answer of depositMultiple. */
export const initiationSchema = z
  .strictObject({
    transactionId: id,
    externalId: id,
    transferMethod: z.enum(OPERATOR_CODES),
    customerName: z.string(),
    customerPhone: z.string(),
    payToken: z.string().meta({
      description:
        'Names the page for the customer of a collect, /pay/{payToken} on this host. Send it to customers of Wave and of Orange in Ivory Coast, who pay by a link, and of Orange in Burkina Faso, who enter a code there.',
    }),
    amount,
    feesSystem: amount,
    feesApp: amount,
    transactionStatus: z.enum(TRANSACTION_STATUSES),
  })
  .meta({ id: 'InitiationResponse' })

/** Elements of `content` in lists. */
export const listRecordSchema = z
  .strictObject({
    id,
    externalId: id,
    amount,
    feesSystem: amount,
    feesApp: amount,
    phoneReceiver: z.string(),
    receiverName: z.string(),
    status: z.enum(TRANSACTION_STATUSES),
    transferMethod: z.enum(OPERATOR_CODES),
    transactionType: z.enum(TRANSACTION_TYPES),
    countryName: z.enum(COUNTRY_NAMES),
  })
  .meta({ id: 'TransactionListRecord' })

/** Answer of transaction-status, chekTransactionStatus, validateTransaction and rejectTransaction. */
export const recordSchema = listRecordSchema.extend({ payToken: z.string() }).meta({ id: 'TransactionRecord' })

/** Answer of the three paged lists. */
export const pageSchema = z
  .strictObject({ content: z.array(listRecordSchema), totalElements: z.int(), totalPages: z.int(), size: z.int(), number: z.int() })
  .meta({ id: 'TransactionPage' })

export const balanceSchema = z
  .strictObject({ serviceType: z.enum(OPERATOR_CODES), balanceCollect: amount, balanceDeposit: amount })
  .meta({ id: 'Balance' })

/** Every answer that is not 2xx. */
export const errorSchema = z
  .strictObject({ timestamp: z.iso.datetime(), status: z.int(), error: z.string(), message: z.string(), path: z.string() })
  .meta({ id: 'Error' })

export type ErrorBody = z.output<typeof errorSchema>

import { z } from 'zod'
import { COUNTRY_NAMES, OPERATOR_CODES } from '#lib/operators/operators.ts'
import { API_TEXT_NAMES, mapApiTexts, mapTexts, PAYMENT_TEXTS } from '#lib/payments/payment-fields.ts'
import { TRANSACTION_STATUSES, TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import { type ErrorCode, isErrorCode } from './error-codes.ts'

// The responses of the service. Strict: the documentation and the contract tests are generated
// from these, and an additional field is as wrong as a missing one. Amounts are the shortest exact decimal.

const text = (description: string) => z.string().meta({ description })
const uuid = (description: string) => z.uuid().meta({ description })
const amount = (description: string) => z.number().meta({ description })
const count = (description: string) => z.int().min(0).meta({ description })

const transferMethod = z.enum(OPERATOR_CODES).meta({ description: 'The operator code of the request' })
const externalId = uuid('Your identifier of the transaction, in lower case')
const feesSystem = amount('The fee that the service keeps')
const feesApp = amount("The fee that the application's owner keeps")
const payToken = text(
  "The operator's token for the payment, or one that the service made when the transaction was created. For a collect it names the page for the customer, /pay/{payToken} on this host. Send it to customers of Wave and of Orange in Ivory Coast, who pay by a link, and of Orange in Burkina Faso and Senegal, who enter a code there",
)

const recordTexts = Object.fromEntries(
  API_TEXT_NAMES.map((name) => [PAYMENT_TEXTS[name].recordName, text(PAYMENT_TEXTS[name].recordDescription)]),
)

/** Answer of collect and deposit; elements of the answer of depositMultiple. */
export const initiationSchema = z
  .strictObject({
    transactionId: uuid('Identifies the transaction in all later calls and in its webhook'),
    externalId,
    transferMethod,
    ...mapApiTexts(() => text('As you sent it')),
    customerPhone: text('The phone number as you sent it'),
    payToken,
    amount: amount('As you sent it, in the currency of the country'),
    feesSystem,
    feesApp,
    transactionStatus: z.enum(TRANSACTION_STATUSES).meta({
      description:
        'PENDING for a new transaction, or PENDING_APPROVAL if an approval rule applies to it. A repeated request returns the current status',
    }),
  })
  .meta({
    id: 'InitiationResponse',
    description: 'A transaction that was started, or that had been started with the same externalId before',
  })

/** Texts that answers of version 2 have besides the customer's name, which those of version 1 have too. */
const { customerName: _, ...laterTexts } = mapTexts((_name, { recordDescription }) =>
  text(`${recordDescription}; empty if it was left out`),
)

/** The same in version 2. */
export const keyedInitiationSchema = initiationSchema.extend(laterTexts).meta({
  id: 'InitiationResponse',
  description: 'A transaction that was started, or that had been started with the same key before',
})

/** Elements of `content` in lists. */
export const listRecordSchema = z
  .strictObject({
    id: uuid('The transactionId'),
    externalId,
    amount: amount('The amount of the transaction, without fees, in the currency of the country'),
    feesSystem,
    feesApp,
    phoneReceiver: text('The phone number of the customer or beneficiary, without +'),
    ...recordTexts,
    status: z.enum(TRANSACTION_STATUSES).meta({ description: 'The stored status. SUCCESS and FAILED are final' }),
    transferMethod,
    transactionType: z.enum(TRANSACTION_TYPES).meta({ description: 'COLLECT for a collect, DEPOSIT for a deposit' }),
    countryName: z.enum(COUNTRY_NAMES).meta({ description: 'The country of the operator' }),
  })
  .meta({ id: 'TransactionListRecord', description: 'A transaction as lists return it: without payToken' })

/** Answer of transaction-status, chekTransactionStatus, validateTransaction and rejectTransaction. */
export const recordSchema = listRecordSchema
  .extend({ payToken })
  .meta({ id: 'TransactionRecord', description: 'A transaction as it is stored' })

/** The same in version 2. */
export const laterRecordSchema = recordSchema
  .extend(laterTexts)
  .meta({ id: 'TransactionRecord', description: 'A transaction as it is stored' })

/** Answer of the three paged lists. */
export const pageSchema = z
  .strictObject({
    content: z
      .array(listRecordSchema)
      .meta({ description: 'The transactions of this page, newest first; empty if the page is past the end' }),
    totalElements: count('How many transactions the whole list has'),
    totalPages: count('How many pages of this size the list has'),
    size: z.int().min(1).meta({ description: 'The requested size of a page' }),
    number: count('The requested page, from 0'),
  })
  .meta({ id: 'TransactionPage', description: 'One page of a list' })

export const balanceSchema = z
  .strictObject({
    serviceType: z.enum(OPERATOR_CODES).meta({ description: 'The operator code' }),
    balanceCollect: amount('What collects have credited and nobody has moved yet, in the currency of the country'),
    balanceDeposit: amount('What deposits can still use: money that is reserved for deposits in progress is already deducted'),
  })
  .meta({ id: 'Balance', description: 'Both balances of the application at one operator' })

/** Every answer that is not 2xx. */
export const errorSchema = z
  .strictObject({
    timestamp: z.iso.datetime().meta({ description: 'When the request was refused, ISO 8601 in UTC' }),
    status: z.int().meta({ description: 'The HTTP status of the response' }),
    error: text('The reason phrase of the status'),
    message: text('What is wrong, in one sentence for each wrong field. For people: do not compare it in a program'),
    path: text('The path of the request'),
  })
  .meta({ id: 'Error', description: 'Every response that is not 2xx has these five fields' })

/**
 * The same in version 2. To a client that was generated from the document `code` is any text: codes are added within the version, and a
 * closed list would make the client refuse an error that it only has to report.
 */
export const codedErrorSchema = errorSchema
  .extend({
    code: z
      .string()
      .refine(isErrorCode)
      .meta({ pattern: '^[a-z_]+$', description: 'What is wrong, for programs. A code keeps its meaning; new ones may be added' }),
  })
  .meta({ id: 'Error', description: 'Every response that is not 2xx has these six fields' })

/** Body of the webhook. `transactionStatus` is only there for an application that requests it. */
export const webhookSchema = z
  .strictObject({
    externalId,
    transactionId: uuid('As in the response that started the transaction, byte for byte'),
    status: z.enum(['SUCCESS', 'FAILED']).meta({ description: 'The final status' }),
    amount: amount('The amount of the transaction, without fees, in the currency of the country'),
    phoneNumber: text('The phone number of the request'),
    transferMethod,
    message: text('Why the transaction failed, or that it went well. In French, as the operators send it'),
    timestamp: z.iso.datetime().meta({ description: 'When the transaction became final, ISO 8601 in UTC. The same in every attempt' }),
    transactionStatus: z
      .enum(['SUCCESS', 'FAILED'])
      .optional()
      .meta({ description: 'A copy of status, only for applications that request it' }),
  })
  .meta({ id: 'TransactionResult', description: 'The result of a transaction' })

export type ErrorBody = z.output<typeof errorSchema>
export type CodedErrorBody = ErrorBody & { code: ErrorCode }

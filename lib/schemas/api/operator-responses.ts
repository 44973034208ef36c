import { z } from 'zod'
import { CURRENCIES } from '#lib/money/money.ts'
import { COUNTRY_NAMES, OPERATOR_CODES } from '#lib/operators/operators.ts'

// Responses of version 2 of the API about operators.

/** The states of one direction as a partner sees them: what the service does with a transaction that is started now. */
const DIRECTION_STATES = ['OPERATIONAL', 'DELAYED', 'CLOSED', 'SHORT', 'DISABLED', 'NOT_IN_SERVICE'] as const

const directionSchema = z.strictObject({
  state: z.enum(DIRECTION_STATES).meta({
    description:
      'OPERATIONAL: sent at once. DELAYED: sent, more slowly. CLOSED: accepted, and sent once the operator answers again. SHORT: accepted, and ' +
      'sent once the account for payouts is topped up. DISABLED: refused with 403, switched off for your application. NOT_IN_SERVICE: refused ' +
      'with 403, for every application',
  }),
  since: z.iso.datetime().nullable().meta({ description: 'Since when it is DELAYED, CLOSED or SHORT, ISO 8601 in UTC; otherwise null' }),
  minimumAmount: z.number().meta({ description: 'The smallest amount of one transaction' }),
  maximumAmount: z.number().meta({ description: 'The largest amount of one transaction' }),
  amountMultiple: z.number().nullable().meta({
    description: 'Amounts must be a multiple of it; null: every amount between the two is possible',
  }),
  enforcesLimits: z.boolean().meta({
    description: 'true: other amounts are refused with 400. false: they are accepted, and the operator may refuse them',
  }),
})

export const operatorStatusSchema = z
  .strictObject({
    transferMethod: z.enum(OPERATOR_CODES).meta({ description: 'The operator code' }),
    brand: z.string().meta({ description: 'The name that customers know' }),
    countryName: z.enum(COUNTRY_NAMES).meta({ description: 'The country' }),
    currency: z.enum(CURRENCIES).meta({ description: 'The currency of all its amounts' }),
    collect: directionSchema.meta({ description: 'Collects from customers' }),
    deposit: directionSchema.meta({ description: 'Deposits to beneficiaries' }),
  })
  .meta({ id: 'OperatorStatus', description: 'The calls that an operator takes now' })

export type OperatorStatus = z.output<typeof operatorStatusSchema>

export const ACCOUNT_STATUSES = ['ACTIVE', 'NOT_REGISTERED', 'BARRED', 'UNKNOWN', 'NOT_OFFERED'] as const

export const accountCheckSchema = z
  .strictObject({
    transferMethod: z.enum(OPERATOR_CODES).meta({ description: 'The operator code' }),
    phoneNumber: z.string().meta({ description: 'The number as you sent it' }),
    status: z.enum(ACCOUNT_STATUSES).meta({
      description:
        'ACTIVE: the account exists and can take part. NOT_REGISTERED: the operator has no account with this number. BARRED: it has blocked the ' +
        'account. UNKNOWN: it did not answer, or not clearly; this says nothing about the account. NOT_OFFERED: this operator has no such check',
    }),
    holderName: z.string().nullable().meta({
      description:
        'The first word of the name under which the operator has registered the account, and initials; null where it names nobody',
    }),
    checkedAt: z.iso.datetime().nullable().meta({ description: 'When the operator was asked, ISO 8601 in UTC; null for NOT_OFFERED' }),
  })
  .meta({ id: 'AccountCheck', description: 'The answer of an operator about the account of a phone number' })

export type AccountCheckResponse = z.output<typeof accountCheckSchema>

import { z } from 'zod'
import { TRANSACTION_STATUSES } from '#lib/payments/transactions/transaction-status.ts'
import { WALLET_IDS } from '#lib/reconciliation/wallets.ts'
import { countDays, FIRST_DAY, isUtcDay, LAST_DAY } from '#lib/time/time.ts'
import { hasNul, idField, mustBe, noteField, PAGE_MAX, PAGE_SIZE_MAX, wholeNumberField, wordField } from './fields.ts'

// The query parameters of each endpoint, as texts in, typed out.

const page = wholeNumberField('page', 0, PAGE_MAX).meta({ description: 'The page, from 0. A page past the end is empty' })
const size = wholeNumberField('size', 1, PAGE_SIZE_MAX).meta({ description: 'How many transactions a page has' })
const CHECKER = 'A person with the checker role in this application, who is not the maker of the transaction'
const PHONE = /^\d{10,15}$/

function dayField(name: string, description: string) {
  const error = mustBe(name, `an ISO 8601 date, YYYY-MM-DD, from ${FIRST_DAY} to ${LAST_DAY}`)
  return z.string({ error }).refine(isUtcDay, { error }).meta({ format: 'date', description })
}

function phoneField(name: string) {
  const error = mustBe(name, 'in international format without +: digits only, 10 to 15 of them')
  return z.string({ error }).regex(PHONE, { error }).meta({ description: 'The number as the transactions have it, without +' })
}

const transactionId = idField('transactionId').meta({ description: 'The transactionId of the response that started the transaction' })

export const statusQuerySchema = z.object({
  id: idField('id').meta({ description: 'The transactionId of the response that started the transaction' }),
})

export const synchroniseQuerySchema = z.object({ transactionId })

export const validateQuerySchema = z.object({
  checkerId: idField('checkerId').meta({ description: CHECKER }),
  transactionId,
  payeeNote: noteField('payeeNote').meta({ description: 'The note of the approval. It is stored with it and in the audit record' }),
})

export const rejectQuerySchema = z.object({
  checkerId: idField('checkerId').meta({ description: CHECKER }),
  transactionId,
  reason: noteField('reason').meta({
    description: 'Why the transaction is rejected. It becomes the message of the transaction and of its webhook',
  }),
})

export const pageQuerySchema = z.object({ page, size })

export const phonePageQuerySchema = z.object({ phoneNumber: phoneField('phoneNumber'), page, size })

export const statusPageQuerySchema = z.object({
  transactionStatus: wordField('transactionStatus', TRANSACTION_STATUSES).meta({ description: 'Only transactions in this status' }),
  page,
  size,
})

/** Both ends belong to the range; a day is a UTC day. */
export const rangeQuerySchema = z
  .object({
    startDate: dayField('startDate', 'The first day, a UTC day, YYYY-MM-DD'),
    endDate: dayField('endDate', 'The last day, which belongs to the range, YYYY-MM-DD'),
    status: wordField('status', TRANSACTION_STATUSES).meta({ description: 'Only transactions in this status' }),
  })
  .refine((query) => query.startDate <= query.endDate, { path: ['endDate'], error: 'endDate must not be before startDate.' })

/** A list that is read from one response to the next, or one transaction by its externalId. */
export const cursorQuerySchema = z.object({
  limit: wholeNumberField('limit', 1, PAGE_SIZE_MAX).optional().meta({ description: 'How many transactions at most; 100 if left out' }),
  cursor: z
    .string()
    .max(100, { error: mustBe('cursor', 'the nextCursor of an earlier response') })
    .optional()
    .meta({ description: 'nextCursor of the response before; the newest transactions if left out' }),
  externalId: idField('externalId').optional().meta({ description: 'Only the transaction with your own id' }),
})

/** The place behind which webhooks are read, and how long to wait for one: not as long as a stop of the service may take. */
export const webhookEventsQuerySchema = z.object({
  after: z
    .string()
    .max(100, { error: mustBe('after', 'the cursor of an earlier response') })
    .optional(),
  wait: wholeNumberField('wait', 0, 10).optional(),
})

export const emptyQuerySchema = z.object({})

// Longer credentials are not issued, and hashing a megabyte of password wastes time.
const CREDENTIAL_LENGTH_MAX = 1_000

function credentialField(name: string, description: string) {
  const error = mustBe(name, `a text of 1 to ${CREDENTIAL_LENGTH_MAX} characters`)
  return z
    .string({ error })
    .min(1, { error })
    .max(CREDENTIAL_LENGTH_MAX, { error })
    .refine((text) => !hasNul(text), { error })
    .meta({ description })
}

const error = 'The body must be a JSON object.'

/** Body of POST /public/access_token. */
export const accessTokenRequestSchema = z
  .object(
    {
      username: credentialField('username', 'The user name of an API user, which looks like an e-mail address'),
      password: credentialField('password', 'The password of the API user'),
    },
    { error },
  )
  .meta({ id: 'AccessTokenRequest', description: 'The user name and password of an API user' })

/** Body of POST /public/refresh_token. */
export const refreshTokenRequestSchema = z
  .object({ refreshToken: credentialField('refreshToken', 'The refresh_token of the newest token response') }, { error })
  .meta({ id: 'RefreshTokenRequest', description: 'A refresh token' })

/** Answer of both. */
export const tokenResponseSchema = z
  .object({
    access_token: z.string().meta({ description: 'A JWT for the Authorization header' }),
    refresh_token: z.string().meta({
      description:
        'Valid for 30 days and for one exchange. The token that it replaced works for another 30 s, in case the response was lost',
    }),
    token_type: z.literal('Bearer').meta({ description: 'Always Bearer' }),
    expires_in: z.int().min(1).meta({ description: 'How many seconds access_token is valid' }),
  })
  .meta({ id: 'TokenResponse', description: 'An access token and the refresh token that renews it' })

/** The formats of a settlement report. */
const SETTLEMENT_FORMATS = ['json', 'csv'] as const
/** As many days as one list of settlement reports may have. */
const SETTLEMENT_DAYS_MAX = 92

export const settlementListQuerySchema = z
  .object({
    from: dayField('from', 'The first day, a day of the operator, YYYY-MM-DD'),
    to: dayField('to', 'The last day, which belongs to the range, YYYY-MM-DD'),
    wallet: wordField('wallet', WALLET_IDS).optional().meta({ description: 'Only this account at an operator' }),
  })
  .refine(({ from, to }) => countDays(from, to) >= 1 && countDays(from, to) <= SETTLEMENT_DAYS_MAX, {
    error: `from to to must be 1 to ${SETTLEMENT_DAYS_MAX} days.`,
  })

export const settlementQuerySchema = z.object({
  page: page.optional(),
  size: size.optional().meta({ description: `How many transactions a page has; ${PAGE_SIZE_MAX} if it is absent` }),
  format: wordField('format', SETTLEMENT_FORMATS).optional().meta({ description: 'json if it is absent' }),
})

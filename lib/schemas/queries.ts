import { z } from 'zod'
import { FIRST_DAY, isUtcDay, LAST_DAY } from '#lib/time.ts'
import { TRANSACTION_STATUSES } from '#lib/transaction-status.ts'
import { idField, noteField, PAGE_MAX, PAGE_SIZE_MAX, wholeNumberField, wordField } from './fields.ts'
import { mustBe } from './problems.ts'

// The query parameters of each endpoint, as texts in, typed out.

const page = wholeNumberField('page', 0, PAGE_MAX).meta({ description: 'Page number, from 0' })
const size = wholeNumberField('size', 1, PAGE_SIZE_MAX).meta({ description: 'Transactions per page' })
const PHONE = /^\d{10,15}$/

function dayField(name: string) {
  const error = mustBe(name, `an ISO 8601 date, YYYY-MM-DD, from ${FIRST_DAY} to ${LAST_DAY}`)
  return z.string({ error }).refine(isUtcDay, { error }).meta({ format: 'date' })
}

function phoneField(name: string) {
  const error = mustBe(name, 'in international format without +: digits only, 10 to 15 of them')
  return z.string({ error }).regex(PHONE, { error })
}

export const statusQuerySchema = z.object({ id: idField('id').meta({ description: 'The transactionId' }) })

export const synchroniseQuerySchema = z.object({ transactionId: idField('transactionId') })

export const validateQuerySchema = z.object({
  checkerId: idField('checkerId').meta({ description: 'A person with the checker role in this application' }),
  transactionId: idField('transactionId'),
  payeeNote: noteField('payeeNote'),
})

export const rejectQuerySchema = z.object({
  checkerId: idField('checkerId').meta({ description: 'A person with the checker role in this application' }),
  transactionId: idField('transactionId'),
  reason: noteField('reason'),
})

export const pageQuerySchema = z.object({ page, size })

export const phonePageQuerySchema = z.object({ phoneNumber: phoneField('phoneNumber'), page, size })

export const statusPageQuerySchema = z.object({ transactionStatus: wordField('transactionStatus', TRANSACTION_STATUSES), page, size })

/** Both ends belong to the range; a day is a UTC day. */
export const rangeQuerySchema = z
  .object({ startDate: dayField('startDate'), endDate: dayField('endDate'), status: wordField('status', TRANSACTION_STATUSES) })
  .refine((query) => query.startDate <= query.endDate, { path: ['endDate'], error: 'endDate must not be before startDate.' })

export const emptyQuerySchema = z.object({})

import { createCipheriv } from 'node:crypto'
import { z } from 'zod'
import { TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import { type AnswerTable, refused, UNKNOWN } from '../answer-table.ts'
import type { CallOutcome } from '../operator-http-client.ts'
import { COMMON_SETTINGS, secretText } from '../settings/protocol.ts'
import { elementAt, escapeXml, fieldsOf, readXmlTree } from '../xml/xml-tree.ts'

/** The meaning of a code: a failure, an unknown outcome, or that Moov does not know the reference. */
const MEANINGS = [
  'insufficientFunds',
  'invalidNumber',
  'cancelledByCustomer',
  'operatorTimeout',
  'notRegistered',
  'other',
  'unknown',
  'notFound',
] as const

export const moovSettingsSchema = z.strictObject({
  ...COMMON_SETTINGS,
  /** `production` or `test`: what was submitted to one is unknown on the other. */
  environment: z.enum(['production', 'test']),
  username: secretText,
  password: secretText,
  /** Encrypts the credentials of every call. */
  key: z.string().regex(/^[\x21-\x7e]{32}$/, 'must have 32 characters'),
  /** One client leaves out its last slash. */
  namespace: z.url().max(200).optional(),
  /** The text shown to customers when they are asked to confirm. */
  pushMessage: z.string().min(1).max(100).optional(),
  /** The number of our own account, for its balance. */
  accountMsisdn: z
    .string()
    .regex(/^\d{8,15}$/, 'must be digits with the dial code')
    .optional(),
  /** Sends numbers of Benin without the 01 that they received in 2024. */
  dropsNewPrefix: z.boolean().optional(),
  /** Answers repeat our reference in `transid` and `referenceid`, as was agreed with Moov: one that does not is not believed. */
  echoesReference: z.boolean().optional(),
  /** Meanings of codes as they were agreed with Moov, before our own table. */
  codeMeanings: z.record(z.string().regex(/^-?\d{1,4}$/, 'must be a code'), z.enum(MEANINGS)).optional(),
  /** The directions of the contract; both if left out. */
  directions: z.array(z.enum(TRANSACTION_TYPES)).min(1).optional(),
  /** Sends amounts with decimals as they are; otherwise they are refused. */
  takesDecimals: z.boolean().optional(),
})
export type MoovSettings = z.infer<typeof moovSettingsSchema>

const code = z.string().regex(/^-?\d{1,4}$/)

/** The messages that Moov sends, as the texts of the elements of an answer. Ours are written out in create-moov-connector.ts. */
export const pushSchema = z.object({ status: code, referenceid: z.string().optional(), transid: z.string().optional() })

export const transferSchema = z.object({ status: code, referenceid: z.string().optional(), transactionid: z.string().optional() })

export const balanceSchema = z.object({ status: code, balance: z.string() })

export const accountSchema = z.object({
  status: code,
  allowedtransfer: z.string().optional(),
  msisdn: z.string().optional(),
  firstname: z.string().optional(),
  lastname: z.string().optional(),
})

/** Codes about the account itself, and not about a transfer: locked, inactive. */
export const BARRED_CODES: ReadonlySet<string> = new Set(['7', '9'])

/**
 * The codes on which all sources agree, of a submission and of a status enquiry. Every other one is unknown: sources disagree about 91 to 98,
 * and 1, 2 and 4 (not authorised) may be about the query and not about the transfer.
 */
const MOOV_ANSWERS: AnswerTable = {
  3: refused('invalidNumber'),
  6: refused('other'),
  7: refused('other'),
  // On a payout it is our own balance.
  8: refused('insufficientFunds'),
  9: refused('other'),
  10: refused('insufficientFunds'),
  11: refused('other'),
  12: refused('other'),
  13: refused('other'),
  14: refused('other'),
  15: refused('other'),
  16: refused('other'),
  17: refused('other'),
  18: refused('other'),
  19: refused('other'),
  20: refused('other'),
  555: refused('notRegistered'),
}

/** The table with the meanings that were agreed with Moov. */
export function moovAnswersOf({ codeMeanings = {} }: MoovSettings): AnswerTable {
  const agreed = Object.entries(codeMeanings).map(([code, meaning]) => {
    const isUndecided = meaning === 'unknown' || meaning === 'notFound'
    return [code, isUndecided ? UNKNOWN : refused(meaning)] as const
  })
  return { ...MOOV_ANSWERS, ...Object.fromEntries(agreed) }
}

/** Whether a code of a status enquiry means that Moov does not know the reference: only if that was agreed with Moov. */
export function isNotFound({ codeMeanings }: MoovSettings, code: string): boolean {
  return codeMeanings !== undefined && Object.hasOwn(codeMeanings, code) && codeMeanings[code] === 'notFound'
}

const NAMESPACE = 'http://api.merchant.tlc.com/'

/** The operations that we call, each with the element that its answer is in. */
const ANSWERS = {
  PushWithPending: 'result',
  getTransactionStatus: 'response',
  transferFlooz: 'return',
  getBalance: 'return',
  getMobileAccountStatus: 'return',
} as const
export type MoovOperation = keyof typeof ANSWERS

export type Fields = Readonly<Record<string, string | Readonly<Record<string, string>>>>

/** The credentials as every call repeats them: always the same, without a time. */
export function moovToken({ key, username, password }: Pick<MoovSettings, 'key' | 'username' | 'password'>): string {
  const cipher = createCipheriv('aes-256-cbc', key, Buffer.alloc(16))
  return cipher.update(`0:${username}:${password}`, 'utf8', 'base64') + cipher.final('base64')
}

export function writeEnvelope(settings: MoovSettings, operation: MoovOperation, fields: Fields): string {
  const content = writeFields({ token: moovToken(settings), ...fields })
  return `<?xml version="1.0" encoding="utf-8"?><soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:api="${escapeXml(settings.namespace ?? NAMESPACE)}"><soapenv:Header/><soapenv:Body><api:${operation}>${content}</api:${operation}></soapenv:Body></soapenv:Envelope>`
}

function writeFields(fields: Fields): string {
  return Object.entries(fields)
    .map(([name, value]) => `<${name}>${typeof value === 'string' ? escapeXml(value) : writeFields(value)}</${name}>`)
    .join('')
}

/** The fields of an answer with HTTP 200; undefined for faults, and for everything that is not an answer to this operation. */
export function readEnvelope(outcome: CallOutcome, operation: MoovOperation): Record<string, string> | undefined {
  if (outcome.kind !== 'answered' || outcome.httpStatus !== 200) return undefined
  const envelope = readXmlTree(outcome.body)
  if (envelope?.name !== 'Envelope') return undefined
  const answer = elementAt(envelope, 'Body', `${operation}Response`, ANSWERS[operation])
  return answer && fieldsOf(answer)
}

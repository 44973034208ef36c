import { createHash } from 'node:crypto'
import type { BookEntry, TransferOrder } from '../books.ts'
import { digitsOf } from '../http.ts'

export type AirtelFamily = 'collection' | 'disbursement'

/** The status and the code for each result of the simulator's table. */
const REASONS: Readonly<Record<string, { COLLECT: Reason; DEPOSIT: Reason }>> = {
  'Solde insuffisant': { COLLECT: ['TF', 'DP00800001007'], DEPOSIT: ['TF', 'DP00900001007'] },
  // No code of disbursements says that the customer cancelled, or has no account: these are borrowed from payments and from users.
  'Transaction annul\u00e9e par le client': { COLLECT: ['TF', 'DP00800001008'], DEPOSIT: ['TF', 'DP00800001008'] },
  'Timeout op\u00e9rateur': { COLLECT: ['TE', 'DP00800001029'], DEPOSIT: ['TF', 'DP00900001014'] },
  'Compte non inscrit': { COLLECT: ['TF', 'DP00800001010'], DEPOSIT: ['TF', 'DP02200000002'] },
}
type Reason = readonly [status: 'TF' | 'TE', code: string]

const CODES = {
  COLLECT: { success: 'DP00800001001', pending: 'DP00800001006', failed: 'DP00800001009' },
  DEPOSIT: { success: 'DP00900001001', pending: 'DP00900001006', failed: 'DP00900001005' },
} as const

/** Why an order is refused before it is taken: `result_code` and `response_code`, where they are known. */
type Problem = { result?: string; response?: string; message: string }

/** The answers to refused requests. The codes of payments for bad fields are not published: those of disbursements are borrowed. */
export const PROBLEMS = {
  msisdn: { result: '521002', response: 'DP00900001013', message: 'Invalid Msisdn Length' },
  number: { result: '521002', response: 'DP00900001012', message: 'Invalid mobile number' },
  amount: { result: 'ESB000008', response: 'DP00900001004', message: 'Invalid amount' },
  fields: { result: 'ESB000008', response: 'DP00900001013', message: 'Invalid request' },
  paymentExists: { result: 'ESB000041', message: 'External Transaction ID already exists.' },
  payoutExists: { result: '521050', response: 'DP00900001011', message: 'Duplicate exttRID' },
  notFound: { result: 'ESB000045', message: 'No Transaction Found With Provided Transaction Id.' },
  pin: { response: 'DP00900001013', message: 'Incorrect Encrypted Pin' },
} as const satisfies Record<string, Problem>

type Read = { order: Omit<TransferOrder, 'callbackUrl'>; pin: unknown }

/** The order in a body, or what is wrong with it. */
export function readOrder(body: Record<string, unknown> | undefined, family: AirtelFamily, currency: string): Read | Problem {
  const party = fieldsOf(body?.[family === 'collection' ? 'subscriber' : 'payee'])
  const transaction = fieldsOf(body?.['transaction'])
  const { reference, pin } = body ?? {}
  if (typeof reference !== 'string' || !/^[A-Za-z0-9 ]{4,64}$/.test(reference)) return PROBLEMS.fields
  // Published as letters and digits. Programs of others send a UUID as it is, so its dashes are taken too.
  if (typeof transaction['id'] !== 'string' || !/^[A-Za-z0-9-]{1,64}$/.test(transaction['id'])) return PROBLEMS.fields
  const { amount } = transaction
  if (typeof amount !== 'number' || !(amount > 0) || !/^\d{1,12}(\.\d{1,3})?$/.test(String(amount))) return PROBLEMS.amount
  if (typeof party['msisdn'] !== 'string' || !/^\d{9}$/.test(party['msisdn'])) return PROBLEMS.msisdn
  if (family === 'collection' && (party['country'] !== 'UG' || party['currency'] !== currency)) return PROBLEMS.fields
  return {
    order: {
      reference: transaction['id'],
      direction: family === 'collection' ? 'COLLECT' : 'DEPOSIT',
      amount: String(amount),
      currency,
      phoneNumber: party['msisdn'],
      customerName: '',
      context: reference,
    },
    pin,
  }
}

/** A transfer as a status enquiry reports it, and as the answer to its submission. */
export function transferOf(entry: BookEntry): object {
  const [status, code] = resultOf(entry)
  const isFailed = entry.status === 'FAILED'
  return {
    data: {
      transaction: {
        ...(entry.status === 'SUCCESS' && namesOf(entry)),
        id: entry.reference,
        message: isFailed ? 'Transaction failed' : 'Success',
        status,
      },
    },
    status: statusOf(
      { result: isFailed ? 'ESB000011' : 'ESB000010', response: code, message: isFailed ? 'Failed' : 'Success' },
      '200',
      !isFailed,
    ),
  }
}

/** Airtel's own names of a transfer. For a disbursement `reference_id` is what its statements name. */
export function namesOf({ direction, reference }: Pick<BookEntry, 'direction' | 'reference'>): {
  airtel_money_id: string
  reference_id?: string
} {
  const digits = digitsOf(reference, 15)
  if (direction === 'COLLECT') return { airtel_money_id: moneyIdOf({ reference }) }
  return {
    reference_id: `CI${digits.slice(0, 6)}.${digits.slice(6, 10)}.H${digits.slice(10)}`,
    airtel_money_id: `disbursement-${digits}`,
  }
}

/** An answer without a transfer: a refusal. It comes with HTTP 200, and has the status that it means in its body. */
export function refusalOf(problem: Problem): object {
  return { status: statusOf(problem, '400', false) }
}

function statusOf({ result, response, message }: Problem, code: '200' | '400', isSuccess: boolean): object {
  const codes = { ...(result !== undefined && { result_code: result }), ...(response !== undefined && { response_code: response }) }
  return { code, message, ...codes, success: isSuccess }
}

/** A refund that was carried out. */
export function refundedOf(entry: BookEntry): object {
  const status = statusOf({ result: 'ESB000010', response: CODES.COLLECT.success, message: 'Success' }, '200', true)
  return { data: { transaction: { airtel_money_id: moneyIdOf(entry), status: 'SUCCESS' } }, status }
}

/** Airtel's own name of a payment, by which it is refunded. */
export function moneyIdOf({ reference }: Pick<BookEntry, 'reference'>): string {
  return digitsOf(reference, 12)
}

/** `status_code` in callbacks has two values only. */
export function callbackTransactionOf(entry: BookEntry, isSuccess: boolean): object {
  return {
    id: entry.reference,
    message: isSuccess ? 'Paid UGX' : 'Transaction failed',
    status_code: isSuccess ? 'TS' : 'TF',
    airtel_money_id: moneyIdOf(entry),
  }
}

function resultOf(entry: BookEntry): readonly [string, string] {
  const codes = CODES[entry.direction]
  if (entry.status === 'SUCCESS') return ['TS', codes.success]
  if (entry.status === 'PENDING') return ['TIP', codes.pending]
  return REASONS[entry.message ?? '']?.[entry.direction] ?? ['TF', codes.failed]
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

type AirtelAccount = { clientId: string; clientSecret: string; pin: string; callbackKey: string }

/** The application that the simulator knows; derived from its secret, so that every start has the same. */
export function airtelAccountOf(secret: string): AirtelAccount {
  const hex = (name: string) => createHash('sha256').update(`${secret} airtel ${name}`).digest('hex')
  return {
    clientId: hex('client').slice(0, 36),
    clientSecret: hex('secret').slice(0, 36),
    pin: String(Number.parseInt(hex('pin').slice(0, 8), 16) % 10_000).padStart(4, '0'),
    callbackKey: hex('callback'),
  }
}

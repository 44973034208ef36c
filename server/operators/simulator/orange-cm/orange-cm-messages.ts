import { createHash, randomInt } from 'node:crypto'
import type { BookEntry, TransferOrder } from '../books.ts'
import { digitsOf } from '../http.ts'

type Problem = { status: number; message: string }
type Merchant = { channelMsisdn: string; pin: string }

/** The order in a body, or how it is refused. */
export function readOrder(
  body: Record<string, unknown> | undefined,
  { channelMsisdn, pin }: Merchant,
  direction: 'COLLECT' | 'DEPOSIT',
): TransferOrder | Problem {
  const { payToken, amount, subscriberMsisdn, orderId, description, notifUrl } = body ?? {}
  if (typeof payToken !== 'string') return { status: 400, message: 'payToken is required' }
  if (typeof orderId !== 'string' || orderId === '' || orderId.length > 20)
    return { status: 422, message: 'orderId: size must be between 1 and 20' }
  if (typeof amount !== 'string' || !/^(?=.*[1-9])\d{1,12}(\.\d{1,2})?$/.test(amount)) return { status: 400, message: 'amount is invalid' }
  if (typeof subscriberMsisdn !== 'string' || !/^\d{9}$/.test(subscriberMsisdn))
    return { status: 400, message: 'subscriberMsisdn is invalid' }
  if (body?.['channelUserMsisdn'] !== channelMsisdn || body['pin'] !== pin)
    return { status: 400, message: 'The channel user or its pin is invalid' }
  return {
    reference: payToken,
    direction,
    amount,
    currency: 'XAF',
    phoneNumber: subscriberMsisdn,
    customerName: '',
    context: typeof description === 'string' ? description : '',
    details: { orderId },
    ...(typeof notifUrl === 'string' && notifUrl !== '' && { callbackUrl: notifUrl }),
  }
}

/** The payment as `pay` and `paymentstatus` return it. */
export function paymentOf(entry: BookEntry, channelMsisdn: string): Record<string, unknown> {
  const status = statusOf(entry)
  const base = { id: Number(digitsOf(entry.reference, 9)), createtime: createTimeOf(entry.reference), payToken: entry.reference, status }
  if (status === 'EXPIRED') return { ...expiredFields(), ...base }
  const isShort = isWithoutId(entry)
  return {
    ...base,
    subscriberMsisdn: entry.phoneNumber,
    // Text on the way there, a number on the way back.
    amount: Number(entry.amount),
    txnid: txnidOf(entry),
    txnmode: entry.details?.['orderId'] ?? null,
    inittxnmessage: isShort ? shortMessage() : 'Payment request initiated',
    inittxnstatus: isShort ? '60019' : '200',
    confirmtxnstatus: status === 'SUCCESSFULL' ? '200' : null,
    confirmtxnmessage: status === 'SUCCESSFULL' ? 'Payment successful' : null,
    notifUrl: entry.callbackUrl ?? '',
    description: entry.context,
    channelUserMsisdn: channelMsisdn,
  }
}

/** Orange's own name of a payment; null for one that was refused before it got one. */
export function txnidOf(entry: Pick<BookEntry, 'direction' | 'reference' | 'context' | 'message'>): string | null {
  if (isWithoutId(entry)) return null
  const { direction, reference, context } = entry
  const kind = direction === 'COLLECT' ? 'MP' : 'CI'
  return `${kind}${digitsOf(reference, 6)}.${digitsOf(context, 4)}.B${digitsOf(reference, 8).slice(0, 5)}`
}

function isWithoutId({ message }: Pick<BookEntry, 'message'>): boolean {
  return message === 'Solde insuffisant'
}

/** A payToken that nothing was paid with. */
export function unpaidOf(payToken: string, isExpired: boolean): Record<string, unknown> {
  const base = {
    id: Number(digitsOf(payToken, 9)),
    createtime: createTimeOf(payToken),
    payToken,
    status: isExpired ? 'EXPIRED' : 'INITIATED',
  }
  return { ...expiredFields(), ...base }
}

export function shortMessage(): string {
  return '60019 :: Le solde du compte du payeur est insuffisant'
}

/** One customer does not confirm, one refuses; one has no account, for which no code is public. */
export function statusOf(entry: BookEntry): string {
  if (entry.status === 'PENDING') return 'PENDING'
  if (entry.status === 'SUCCESS') return 'SUCCESSFULL'
  if (entry.message === 'Transaction annul\u00e9e par le client') return 'CANCELLED'
  return entry.message === 'Timeout op\u00e9rateur' ? 'EXPIRED' : 'FAILED'
}

function createTimeOf(payToken: string): string {
  return String(Number.parseInt(payToken.slice(8, 16), 16))
}

function expiredFields(): Record<string, null> {
  const names = [
    'subscriberMsisdn',
    'amount',
    'txnid',
    'txnmode',
    'inittxnmessage',
    'inittxnstatus',
    'confirmtxnstatus',
    'confirmtxnmessage',
  ]
  return Object.fromEntries([...names, 'notifUrl', 'description', 'channelUserMsisdn'].map((name) => [name, null]))
}

type OrangeCmAccount = {
  consumerKey: string
  consumerSecret: string
  apiUser: string
  apiPassword: string
  channelMsisdn: string
  pin: string
}

/** The merchant that the simulator knows; derived from its secret, so that every start has the same. */
export function orangeCmAccountOf(secret: string): OrangeCmAccount {
  const hex = (name: string) => createHash('sha256').update(`${secret} orange-cm ${name}`).digest('hex')
  const digits = (name: string, length: number) => String(Number.parseInt(hex(name).slice(0, 8), 16) % 10 ** length).padStart(length, '0')
  return {
    consumerKey: hex('key').slice(0, 28),
    consumerSecret: hex('secret').slice(0, 28),
    apiUser: `MERCHANT${digits('user', 4)}`,
    apiPassword: hex('password').slice(0, 20),
    channelMsisdn: `69${digits('channel', 7)}`,
    pin: digits('pin', 4),
  }
}

export type OrangeResource = 'mp' | 'cashin'

/** Longer than the seven minutes that were seen. */
const LIFE_SECONDS = 900

/**
 * Makes and checks payTokens: `MP`, the date, and twenty characters. They contain their time and a check of all of it, so that a simulator
 * that was killed knows the ones that it made before, also with another secret.
 */
export class PayTokens {
  #count = randomInt(0x10000)

  make(resource: OrangeResource, now: Date): string {
    const seconds = Math.floor(now.getTime() / 1_000)
    const date = now.toISOString().slice(2, 10).replaceAll('-', '')
    this.#count = (this.#count + 1) % 0x10000
    const body = hexOf(seconds, 8) + hexOf(this.#count, 4)
    return `MP${date}${body}${checkOf(resource, body)}`
  }

  /** `unknown` also for the payToken of another resource. */
  stateOf(resource: OrangeResource, payToken: string, now: Date): 'alive' | 'expired' | 'unknown' {
    const [, body = '', check = ''] = /^MP\d{6}([0-9A-F]{12})([0-9A-F]{8})$/.exec(payToken) ?? []
    if (check === '' || check !== checkOf(resource, body)) return 'unknown'
    const age = now.getTime() / 1_000 - Number.parseInt(body.slice(0, 8), 16)
    return age <= LIFE_SECONDS ? 'alive' : 'expired'
  }
}

function checkOf(resource: OrangeResource, body: string): string {
  return createHash('sha256').update(`${resource} ${body}`).digest('hex').slice(0, 8).toUpperCase()
}

function hexOf(value: number, length: number): string {
  return value.toString(16).padStart(length, '0').toUpperCase()
}

import type { BookEntry, TransferOrder } from '#server/operators/simulator/books.ts'
import { digitsOf } from '#server/operators/simulator/reference-digits.ts'

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
  const isShort = entry.message === 'Solde insuffisant'
  return {
    ...base,
    subscriberMsisdn: entry.phoneNumber,
    // Text on the way there, a number on the way back.
    amount: Number(entry.amount),
    txnid: isShort
      ? null
      : `${entry.direction === 'COLLECT' ? 'MP' : 'CI'}${digitsOf(entry.reference, 6)}.${digitsOf(entry.context, 4)}.B${digitsOf(entry.reference, 8).slice(0, 5)}`,
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

import { createHash } from 'node:crypto'
import { behaviourFor } from '../behaviour.ts'
import type { BookEntry, TransferOrder } from '../books.ts'

/** How long a customer may take. */
const SESSION_MINUTES = 30

/** The code for each result of the simulator's table. For a payer without an account Wave publishes none, so it is the one of payouts. */
const CODES: Readonly<Record<string, string>> = {
  'Solde insuffisant': 'insufficient-funds',
  'Compte non inscrit': 'recipient-account-inactive',
}

/** For payouts Wave publishes no code of a refusal by the customer. */
const PAYOUT_CODES: Readonly<Record<string, string>> = {
  ...CODES,
  'Transaction annul\u00e9e par le client': 'cancelled',
  'Timeout op\u00e9rateur': 'service-unavailable',
}

export type Problem = { loc: string[]; msg: string }

/** The id of the payout with this Idempotency-Key. A key belongs to one wallet. */
export function payoutIdOf(operator: string, key: string): string {
  return `pt-${hashOf(`${operator} ${key}`)}`
}

/** The id of the batch of payouts with this Idempotency-Key. */
export function batchIdOf(operator: string, key: string): string {
  return `pb-${hashOf(`${operator} ${key}`)}`
}

/** Wave's own number of a payment: always the same for one session, payout, refund or reversal. */
export function transactionIdOf(id: string): string {
  return `T${createHash('sha256').update(id).digest('hex').slice(0, 10).toUpperCase()}`
}

/** The page where the customer pays: ours, or an address of Wave where no host is known. */
export function launchUrlOf(host: string | undefined, id: string): string {
  return host === undefined ? `https://pay.wave.com/c/${id}` : `http://${host}/wave/c/${id}`
}

/** The row of the table for a number that does not exist. */
export function isUnknownNumber(phoneNumber: string): boolean {
  const { result } = behaviourFor(phoneNumber)
  return result.kind === 'failed' && result.message === 'Num\u00e9ro invalide'
}

/** The order in the body of a checkout, or what is wrong with it. */
export function readCheckout(body: Record<string, unknown>): Omit<TransferOrder, 'reference'> | Problem[] {
  const { amount, currency, client_reference, restrict_payer_mobile, success_url, error_url } = body
  const problems = [...commonProblems(body, 'amount')]
  for (const [name, value] of Object.entries({ success_url, error_url })) {
    // Wave takes https only; a sandbox has no certificate.
    if (typeof value !== 'string' || !/^https?:\/\//.test(value)) problems.push({ loc: [name], msg: 'invalid or missing URL scheme' })
  }
  if (restrict_payer_mobile !== undefined && !isMobile(restrict_payer_mobile))
    problems.push({ loc: ['restrict_payer_mobile'], msg: 'invalid phone number' })
  if (problems.length > 0) return problems
  return {
    direction: 'COLLECT',
    amount: String(amount),
    currency: String(currency),
    phoneNumber: String(restrict_payer_mobile ?? '').slice(1),
    customerName: '',
    context: String(client_reference ?? ''),
    details: { success_url: String(success_url), error_url: String(error_url) },
  }
}

/** The order in the body of a payout, or what is wrong with it. */
export function readPayout(body: Record<string, unknown>): Omit<TransferOrder, 'reference'> | Problem[] {
  const { receive_amount, currency, client_reference, mobile, name } = body
  const problems = [...commonProblems(body, 'receive_amount')]
  if (!isMobile(mobile)) problems.push({ loc: ['mobile'], msg: 'invalid phone number' })
  if (problems.length > 0) return problems
  return {
    direction: 'DEPOSIT',
    amount: String(receive_amount),
    currency: String(currency),
    phoneNumber: String(mobile).slice(1),
    customerName: '',
    context: String(client_reference ?? ''),
    ...(typeof name === 'string' && { details: { name } }),
  }
}

function commonProblems(body: Record<string, unknown>, amountName: string): Problem[] {
  const amount = body[amountName]
  const { currency, client_reference } = body
  const problems: Problem[] = []
  // XOF has no decimals, and amounts are text.
  if (typeof amount !== 'string' || !/^[1-9]\d{0,11}$/.test(amount)) problems.push({ loc: [amountName], msg: 'invalid amount' })
  if (currency !== 'XOF') problems.push({ loc: ['currency'], msg: 'unsupported currency' })
  if (client_reference !== undefined && (typeof client_reference !== 'string' || client_reference.length > 255))
    problems.push({ loc: ['client_reference'], msg: 'too long' })
  return problems
}

function isMobile(value: unknown): boolean {
  return typeof value === 'string' && /^\+\d{8,15}$/.test(value)
}

/** The session as Wave returns it. */
export function sessionOf(entry: BookEntry, launchUrl: string): Record<string, unknown> {
  const created = new Date(entry.acceptedAtMs)
  const isPaid = entry.status === 'SUCCESS'
  const code = CODES[entry.message ?? '']
  return {
    id: entry.reference,
    amount: entry.amount,
    checkout_status: isPaid ? 'complete' : entry.status === 'FAILED' ? 'expired' : 'open',
    client_reference: entry.context || null,
    currency: entry.currency,
    error_url: entry.details?.['error_url'] ?? null,
    last_payment_error: code ? { code, message: 'The payment was not completed.' } : null,
    business_name: 'Simulated business',
    payment_status: isPaid ? 'succeeded' : entry.message?.startsWith('Transaction annul') ? 'cancelled' : 'processing',
    transaction_id: isPaid ? transactionIdOf(entry.reference) : null,
    success_url: entry.details?.['success_url'] ?? null,
    wave_launch_url: launchUrl,
    when_completed: isPaid ? created.toISOString() : null,
    when_created: created.toISOString(),
    // A session that can no longer be paid ended early.
    when_expires: new Date(created.getTime() + (entry.status === 'FAILED' ? 0 : SESSION_MINUTES * 60_000)).toISOString(),
  }
}

/** The payout as Wave returns it. */
export function payoutOf(entry: BookEntry): Record<string, unknown> {
  return {
    id: entry.reference,
    currency: entry.currency,
    receive_amount: entry.amount,
    fee: '0',
    mobile: `+${entry.phoneNumber}`,
    ...(entry.details?.['name'] !== undefined && { name: entry.details['name'] }),
    client_reference: entry.context || null,
    status: entry.refunds.length > 0 ? 'reversed' : { PENDING: 'processing', SUCCESS: 'succeeded', FAILED: 'failed' }[entry.status],
    timestamp: new Date(entry.acceptedAtMs).toISOString(),
    ...(entry.status === 'SUCCESS' && { transaction_id: transactionIdOf(entry.reference) }),
    ...(entry.status === 'FAILED' && {
      payout_error: { error_code: PAYOUT_CODES[entry.message ?? ''] ?? 'internal-error', error_message: 'The payout failed.' },
    }),
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

const WALLETS = { CIWAVE: 'ci', SNWAVE: 'sn' } as const
export type WaveOperator = keyof typeof WALLETS
export const WAVE_OPERATORS = Object.keys(WALLETS) as WaveOperator[]

/** The API key of the wallet of a country and the secret of its webhook; derived from the simulator's secret. */
export function waveAccountOf(secret: string, operator: WaveOperator): { apiKey: string; signingSecret: string } {
  const hex = (name: string) => createHash('sha256').update(`${secret} ${operator} ${name}`).digest('hex')
  return {
    apiKey: `wave_${WALLETS[operator]}_prod_${hex('key')}`,
    signingSecret: `wave_${WALLETS[operator]}_WHS_${hex('webhook').slice(0, 40)}`,
  }
}

import { setTimeout as delay } from 'node:timers/promises'
import type { PartnerProgram } from '#e2e/crash/partner.ts'
import { phoneNumberOf } from '#e2e/crash/phone-numbers.ts'
import { OPERATOR_CODES, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { TRANSACTION_TYPES, type TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { Random } from '#lib/seeded-random.ts'

/** A transaction that a partner sent, and the id in the answer. */
export type Sent = {
  /** Its place among the partners. */
  partner: number
  externalId: string
  operator: OperatorCode
  type: TransactionType
  phoneNumber: string
  amount: number
  transactionId: string
}

type LoadOptions = {
  transactions: number
  random: Random
  partners: readonly PartnerProgram[]
  webhookUrl: string
  /** Resolves when a transaction of this kind may be sent. */
  beforeSending(operator: OperatorCode, type: TransactionType): Promise<void>
}

/** Every row of the simulator's table but the one that never ends (912); four in five transfers succeed. */
const ENDINGS = ['901', '902', '903', '904', '905', '906', '907', '908', '909', '910', '911', '913', '914'] as const
const SHARE_OF_ROWS = 0.2
const CONNECTIONS = 16
const RETRY_PAUSE_MS = 50

/** Sends `transactions` transactions over all codes and both directions, each until it is answered. Adds to `sent` as it goes. */
export async function sendAll({ transactions, random, partners, webhookUrl, beforeSending }: LoadOptions, sent: Sent[]): Promise<void> {
  let started = 0
  async function work(): Promise<void> {
    while (started < transactions) {
      const number = started++
      const operator = OPERATOR_CODES[number % OPERATOR_CODES.length] ?? 'MOMOCM'
      const type = TRANSACTION_TYPES[Math.floor(number / OPERATOR_CODES.length) % TRANSACTION_TYPES.length] ?? 'COLLECT'
      const ending = random.chance(SHARE_OF_ROWS) ? random.pick(ENDINGS) : String(random.between(100, 899))
      const place = number % partners.length
      const transfer = {
        partner: place,
        externalId: random.uuid(),
        operator,
        type,
        phoneNumber: phoneNumberOf(operator, random, ending),
        amount: random.between(100, 999),
      }
      const partner = partners[place]
      await beforeSending(operator, type)
      if (partner) sent.push({ ...transfer, transactionId: await insist(partner, transfer, webhookUrl) })
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, work))
}

async function insist(partner: PartnerProgram, transfer: Omit<Sent, 'transactionId'>, webhookUrl: string): Promise<string> {
  const { operator, externalId, phoneNumber, amount, type } = transfer
  const body = {
    transferMethod: operator,
    customerName: 'Clarisse Mbarga',
    externalId,
    phoneNumber,
    amount,
    webhookUrl,
    countryName: OPERATORS[operator].country.name,
  }
  for (;;) {
    const answer = await partner.post(type === 'DEPOSIT' ? 'deposit' : 'collect', { body })
    if (answer?.status === 200) return (answer.body as { transactionId: string }).transactionId
    if (answer && answer.status < 500) throw new Error(`${operator} ${type} ${phoneNumber} was refused: ${JSON.stringify(answer.body)}`)
    await delay(RETRY_PAUSE_MS)
  }
}

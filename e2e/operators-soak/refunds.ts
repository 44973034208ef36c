import { setTimeout as delay } from 'node:timers/promises'
import type { PartnerProgram } from '#e2e/crash/partner.ts'
import type { Receiver } from '#e2e/crash/receiver.ts'
import type { Random } from '#lib/seeded-random.ts'
import type { Sent } from './load.ts'

type RefundOptions = { random: Random; partners: readonly PartnerProgram[]; receiver: Receiver; sent: readonly Sent[] }

/** The share of the collects that is refunded. */
const SHARE = 0.4
const LOOK_EVERY_MS = 50
const RETRY_PAUSE_MS = 50

/**
 * Refunds a share of the collects whose success the partners were told: whole, in parts at once that come to the amount, and in parts that come to
 * more, of which the last must be refused. Adds to `refunds` as it goes, until `isOver` and every collect that was told before was looked at.
 */
export async function refundCollects(options: RefundOptions, refunds: Sent[], isOver: () => boolean): Promise<void> {
  const { random, receiver, sent } = options
  const looked = new Set<string>()
  for (;;) {
    const wasOver = isOver()
    const collects = sent.filter(({ type, transactionId }) => {
      const isTold = receiver.arrivals.get(transactionId)?.at(-1)?.status === 'SUCCESS'
      return type === 'COLLECT' && isTold && !looked.has(transactionId)
    })
    for (const collect of collects) {
      looked.add(collect.transactionId)
      if (random.chance(SHARE)) await refundOne(options, collect, refunds)
    }
    if (wasOver) return
    await delay(LOOK_EVERY_MS)
  }
}

async function refundOne(options: RefundOptions, collect: Sent, refunds: Sent[]): Promise<void> {
  const { amount } = collect
  const part = options.random.between(1, amount - 1)
  const start = (of: number) => insist(options, collect, of)
  const [amounts, more] = options.random.pick([
    [[amount], undefined],
    [[part, amount - part], undefined],
    [[part, amount - part], 1],
    [[part], amount],
  ] as const)
  for (const refund of await Promise.all(amounts.map(start))) {
    if (typeof refund === 'string') throw new Error(`A refund of ${collect.operator} ${collect.transactionId} was refused: ${refund}`)
    refunds.push(refund)
  }
  if (more === undefined) return
  const beyond = await start(more)
  // If it is accepted after all, the check that refunds never exceed their collect reports it.
  if (typeof beyond !== 'string') refunds.push(beyond)
}

/** Sends one refund again until it is accepted or refused; returns the code of the refusal. */
async function insist({ partners, random }: RefundOptions, collect: Sent, amount: number): Promise<Sent | string> {
  const partner = partners[collect.partner]
  if (!partner) throw new Error(`There is no partner ${collect.partner}`)
  const { operator, phoneNumber } = collect
  const externalId = random.uuid()
  for (;;) {
    const answer = await partner.postSecond(`transactions/${collect.transactionId}/refunds`, { externalId, amount })
    if (answer?.status === 200) {
      const { transactionId } = answer.body as { transactionId: string }
      return { partner: collect.partner, externalId, operator, type: 'DEPOSIT', phoneNumber, amount, transactionId }
    }
    const { code } = (answer?.body ?? {}) as { code?: string }
    if (answer && answer.status < 500 && code !== 'earlier_refund_unconfirmed') return code ?? String(answer.status)
    await delay(RETRY_PAUSE_MS)
  }
}

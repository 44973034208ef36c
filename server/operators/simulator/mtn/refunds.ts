import type { Simulation } from '#server/operators/simulator/simulation.ts'
import { type RefundOrder, refundOf } from './mtn-messages.ts'

/**
 * Refunds of payments, by the X-Reference-Id of each. The answers to later queries about them are lost with the process; the money that
 * they moved is not.
 */
export class MtnRefunds {
  #found = new Map<string, object>()

  find(reference: string): object | undefined {
    return this.#found.get(reference)
  }

  /** Pays the payer back from the account of disbursements; one that is not possible ends FAILED. `known`: there is such a refund already. */
  take({ books, now }: Simulation, operator: string, reference: string, order: RefundOrder): 'taken' | 'known' {
    if (this.#found.has(reference)) return 'known'
    const payment = books.find(order.referenceIdToRefund)
    const isPayment = payment?.operator === operator && payment.direction === 'COLLECT'
    const refund = { id: reference, amount: order.amount, atMs: now().getTime() }
    const isDone = isPayment && books.refund(payment.reference, 'deposit', refund)
    this.#found.set(reference, refundOf(order, payment?.phoneNumber ?? '', reference, isDone))
    return 'taken'
  }
}

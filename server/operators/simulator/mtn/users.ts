import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isSame } from '../http.ts'
import type { Simulation } from '../simulation.ts'
import { type MtnSimulatorProduct, mtnAccountOf, type RefundOrder, refundOf } from './mtn-messages.ts'

const TOKEN_SECONDS = 3_600

type User = { product: MtnSimulatorProduct; apiKey: string | undefined; callbackHost: string | undefined }

/**
 * The callers: subscription keys, API users that were made here, and the tokens that were issued. Lost with the process, like a sandbox.
 */
export class MtnUsers {
  readonly #secret: string
  #users = new Map<string, User>()
  #tokens = new Map<string, { product: MtnSimulatorProduct; user: User; endsAtMs: number }>()

  constructor(secret: string) {
    this.#secret = secret
    for (const product of ['collection', 'disbursement'] as const) {
      const { apiUser, apiKey } = mtnAccountOf(secret, product)
      this.#users.set(apiUser, { product, apiKey, callbackHost: undefined })
    }
  }

  /** The product whose subscription key the request has. */
  productOf(request: IncomingMessage): MtnSimulatorProduct | undefined {
    const key = request.headers['ocp-apim-subscription-key']
    return (['collection', 'disbursement'] as const).find(
      (product) => typeof key === 'string' && isSame(key, mtnAccountOf(this.#secret, product).subscriptionKey),
    )
  }

  /** False if there is such a user already. */
  createUser(apiUser: string, product: MtnSimulatorProduct, callbackHost: string | undefined): boolean {
    if (this.#users.has(apiUser)) return false
    this.#users.set(apiUser, { product, apiKey: undefined, callbackHost })
    return true
  }

  find(apiUser: string): User | undefined {
    return this.#users.get(apiUser)
  }

  /** Makes a new key for a user; undefined if there is none. */
  createKey(apiUser: string): string | undefined {
    const user = this.#users.get(apiUser)
    if (!user) return undefined
    user.apiKey = randomBytes(16).toString('hex')
    return user.apiKey
  }

  /** Issues a token for `Authorization: Basic`; undefined if the user or the key is wrong. */
  issueToken(authorization: string, product: MtnSimulatorProduct, nowMs: number): { token: string; expiresInSeconds: number } | undefined {
    const [apiUser = '', apiKey = ''] = Buffer.from(authorization.replace(/^Basic /, ''), 'base64')
      .toString('utf8')
      .split(':')
    const user = this.#users.get(apiUser)
    if (!user?.apiKey || user.product !== product || !isSame(apiKey, user.apiKey)) return undefined
    const token = randomBytes(24).toString('base64url')
    this.#tokens.set(token, { product, user, endsAtMs: nowMs + TOKEN_SECONDS * 1_000 })
    return { token, expiresInSeconds: TOKEN_SECONDS }
  }

  /** The user of `Authorization: Bearer`; undefined if the token is unknown, has ended, or belongs to another product. */
  userOf(authorization: string, product: MtnSimulatorProduct, nowMs: number): User | undefined {
    const issued = this.#tokens.get(authorization.replace(/^Bearer /, ''))
    return issued && issued.product === product && issued.endsAtMs > nowMs ? issued.user : undefined
  }
}

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

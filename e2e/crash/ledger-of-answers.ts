import type { OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionStatus, TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { Answer } from './partner.ts'

/** A transaction that the partner's program sent, and the answer it received. */
export type Sent = {
  applicationIndex: number
  type: TransactionType
  operator: OperatorCode
  externalId: string
  phoneNumber: string
  amount: number
  webhookUrl: string
  /** Set by the first answer with status 200. */
  transactionId?: string
  firstAnswerAtMs?: number
  /** Some request of it got no answer, so that its transaction may be older than the first answer. */
  wasLost: boolean
  finalStatus?: TransactionStatus
  validated: number
  rejected: number
}

/** The 500 of the specification for an operator that does not answer: the simulator was killed. */
const OPERATOR_AWAY = 'The operator is not responding'

/** Everything the partners know, held against the database at the end. Contradictions are noted the moment they are seen. */
export class AnswerLedger {
  readonly sent = new Map<string, Sent>()
  readonly contradictions: string[] = []
  /** Requests that were answered with 200, all kinds together. */
  answered = 0
  /** Requests that got no answer, or one above 499. */
  lost = 0
  /** Of those: without any answer. */
  unanswered = 0
  /** Answers above 499 that do not say when to repeat the request, which is right after a loss of the database. */
  readonly wrongFailures: string[] = []
  /** Statuses that were read, of transactions known to be final. */
  finalReadings = 0
  #known: Sent[] = []

  add(sent: Sent): Sent {
    this.sent.set(sent.externalId, sent)
    return sent
  }

  /** A request that has no answer, or one above 499. */
  noteLost(answer: Answer): void {
    this.lost++
    if (!answer) this.unanswered++
    // 502 and more: by the service or the balancer before it. 500 is a failure of the service itself.
    if (!answer || answer.status < 500 || (answer.status > 501 && answer.retryAfter !== undefined)) return
    const said = JSON.stringify(answer.body)
    if (!said.includes(OPERATOR_AWAY)) this.wrongFailures.push(`${answer.status} with ${said}`)
  }

  /** An initiation response with status 200; `before` is what was known to be final when the request was sent. */
  noteAccepted(
    sent: Sent,
    response: { transactionId: string; externalId: string; transactionStatus: string },
    atMs: number,
    before: TransactionStatus | undefined,
  ): void {
    if (response.externalId !== sent.externalId) this.contradictions.push(`${sent.externalId} was answered with ${response.externalId}`)
    if (sent.transactionId === undefined) {
      sent.transactionId = response.transactionId
      sent.firstAnswerAtMs = atMs
      this.#known.push(sent)
    } else if (sent.transactionId !== response.transactionId) {
      this.contradictions.push(`${sent.externalId} was answered with two ids, ${sent.transactionId} and ${response.transactionId}`)
    }
    this.noteStatus(sent, response.transactionStatus, before)
  }

  /**
   * A status that the service told. Once a final one was told, no later request may be told anything else; answers may
   * overtake each other, so `before` is what was known when the request was sent.
   */
  noteStatus(sent: Sent, status: string, before: TransactionStatus | undefined): void {
    const isFinal = status === 'SUCCESS' || status === 'FAILED'
    if (before !== undefined) this.finalReadings++
    const known = isFinal ? sent.finalStatus : before
    if (known !== undefined && known !== status) this.contradictions.push(`${sent.transactionId} was ${known} and then ${status}`)
    if (isFinal) sent.finalStatus ??= status
  }

  /** Those that have an id, in order of their first answers. */
  get known(): readonly Sent[] {
    return this.#known
  }
}

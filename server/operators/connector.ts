import type { Currency } from '#lib/money.ts'
import type { OperatorCode } from '#lib/operators.ts'
import type { TransactionType } from '#lib/transaction-status.ts'

/** The record of a call: `httpStatus` is null without an HTTP answer; `answer` is the body or the error. */
export type Exchange = { httpStatus: number | null; answer: string }

/** The operator's own identifiers, if it returns them. */
export type OperatorIdentifiers = { operatorReference?: string; operatorToken?: string }

/**
 * The movement of money that an operator is requested to make. `reference` is the transaction's id and the operator's idempotency
 * key: it is stored before the call, and the same movement never gets another one. A protocol that wants another form
 * (no dashes, twenty characters) derives it from the reference.
 */
export type Submission = {
  reference: string
  /** Sent with the submission and returned in callbacks, so that a callback names the whole key of its row. */
  applicationId: string
  operator: OperatorCode
  type: TransactionType
  /** Hundredths of the currency's unit. */
  amountMinor: bigint
  currency: Currency
  phoneNumber: string
  customerName: string
}

/** What a status query needs; some operators only answer by their own identifier. */
export type StatusQuery = OperatorIdentifiers & Pick<Submission, 'reference' | 'applicationId' | 'operator' | 'type'>

/** Reported by the operator; nothing after it changes the outcome. `reason` is the operator's sentence, unchanged. */
export type FinalOutcome =
  | ({ kind: 'succeeded'; exchange: Exchange } & OperatorIdentifiers)
  | ({ kind: 'failed'; reason: string; exchange: Exchange } & OperatorIdentifiers)

/** Money may or may not move: a timeout, a broken connection, an HTTP 5xx, an answer that makes no sense. Never a failure. */
export type UnknownOutcome = { kind: 'unknown'; detail: string; exchange: Exchange }

/** Only if not one byte of the submission was written: there was no connection, so the operator cannot know it. */
type NotSentOutcome = { kind: 'not_sent'; detail: string; exchange: Exchange }

export type SubmitOutcome =
  | FinalOutcome
  | UnknownOutcome
  | NotSentOutcome
  | ({ kind: 'accepted'; exchange: Exchange } & OperatorIdentifiers)

/** `not_found` only if the operator itself reports that it does not know the reference, not if a proxy answers 404. */
export type QueryOutcome =
  | FinalOutcome
  | UnknownOutcome
  | ({ kind: 'pending'; exchange: Exchange } & OperatorIdentifiers)
  | { kind: 'not_found'; exchange: Exchange }

/** Our balances at the operator, in hundredths; null if it does not report them. */
export type BalanceOutcome =
  | { kind: 'balance'; collectMinor: bigint | null; depositMinor: bigint | null; currency: Currency; exchange: Exchange }
  | UnknownOutcome

/** What a callback claims. Not trusted: it names the row about which the operator is queried immediately. */
export type CallbackOutcome =
  | { kind: 'callback'; applicationId: string; reference: string; claim: 'succeeded' | 'failed' | 'pending' }
  | { kind: 'unverified' }
  | { kind: 'malformed'; detail: string }

/**
 * The protocol of one operator. No method throws for anything that an operator or a network does: each returns one of the typed
 * outcomes within its deadline. `submit` must be safe to repeat with the same reference.
 */
export type Connector = {
  submit(submission: Submission): Promise<SubmitOutcome>
  query(query: StatusQuery): Promise<QueryOutcome>
  balance(): Promise<BalanceOutcome>
  /** `headers` have lower-case names; `body` is the raw bytes, because signatures are over bytes. */
  parseCallback(headers: Record<string, string | string[] | undefined>, body: Buffer): CallbackOutcome
  close(): Promise<void>
}

declare const guarded: unique symbol

/** A connector whose input is cleaned and limited (guard-connector.ts). No other connector is used. */
export type GuardedConnector = Connector & { readonly [guarded]: true }

/** The connectors of this process. A code that is absent is switched off. */
export type Connectors = ReadonlyMap<OperatorCode, GuardedConnector>

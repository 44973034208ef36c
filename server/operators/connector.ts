import type { Currency } from '#lib/money.ts'
import type { OperatorCode } from '#lib/operators.ts'
import type { TransactionType } from '#lib/transaction-status.ts'

/** What was on the wire, for the record: null where no HTTP answer came; `answer` is the body or what went wrong. */
export type Exchange = { httpStatus: number | null; answer: string }

/** The operator's own identifiers, if it returns them. */
export type OperatorIdentifiers = { operatorReference?: string; operatorToken?: string }

/**
 * The movement of money that an operator is asked for. `reference` is the transaction's id and the operator's idempotency
 * key: it is stored before the call, and the same movement never gets another one. A protocol that wants another form
 * (no dashes, twenty characters) derives it from the reference.
 */
export type Submission = {
  reference: string
  /** Travels along and comes back in callbacks, so that a callback names its row in full. */
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

/** The operator said so; nothing after it changes the outcome. `reason` is the operator's sentence, word for word. */
export type FinalOutcome =
  | ({ kind: 'succeeded'; exchange: Exchange } & OperatorIdentifiers)
  | ({ kind: 'failed'; reason: string; exchange: Exchange } & OperatorIdentifiers)

/** Money may or may not move: a timeout, a broken connection, an HTTP 5xx, an answer that makes no sense. Never a failure. */
export type UnknownOutcome = { kind: 'unknown'; detail: string; exchange: Exchange }

/** Only where not one byte of the submission was written: there was no connection. The operator cannot have heard of it. */
export type NotSentOutcome = { kind: 'not_sent'; detail: string; exchange: Exchange }

export type SubmitOutcome =
  | FinalOutcome
  | UnknownOutcome
  | NotSentOutcome
  | ({ kind: 'accepted'; exchange: Exchange } & OperatorIdentifiers)

/** `not_found` only where the operator itself says that it never heard of the reference, not where some proxy says 404. */
export type QueryOutcome =
  | FinalOutcome
  | UnknownOutcome
  | ({ kind: 'pending'; exchange: Exchange } & OperatorIdentifiers)
  | { kind: 'not_found'; exchange: Exchange }

/** What the operator holds for us, in hundredths; null where it does not tell. */
export type BalanceOutcome =
  | { kind: 'balance'; collectMinor: bigint | null; depositMinor: bigint | null; currency: Currency; exchange: Exchange }
  | UnknownOutcome

/** What a callback claims. Never believed: it names the row about which the operator is asked at once. */
export type CallbackOutcome =
  | { kind: 'callback'; applicationId: string; reference: string; claim: 'succeeded' | 'failed' | 'pending' }
  | { kind: 'unverified' }
  | { kind: 'malformed'; detail: string }

/**
 * One operator's way of speaking. No method throws for anything that an operator or a network does: each answers within its
 * deadline with one of the typed outcomes. `submit` must be safe to repeat with the same reference.
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

/** A connector whose words were cleaned and capped (guard-connector.ts). Nothing else is let near the database. */
export type GuardedConnector = Connector & { readonly [guarded]: true }

/** The connectors at hand. A code that is absent is switched off. */
export type Connectors = ReadonlyMap<OperatorCode, GuardedConnector>

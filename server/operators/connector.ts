import type { Currency } from '#lib/money/money.ts'
import type { OperatorLimitSettings } from '#lib/operators/amount-limits.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'

/** The record of a call: `httpStatus` is null without an HTTP answer; `answer` is the body or the error. */
export type Exchange = { httpStatus: number | null; answer: string }

/**
 * The operator's own identifiers, if it returns them. `operatorReferenceOther` is the second name of an operator that has two for one
 * transaction: its statements may print either.
 */
export type OperatorIdentifiers = { operatorReference?: string; operatorReferenceOther?: string; operatorToken?: string }

/**
 * The movement of money that an operator is requested to make. `reference` is the transaction's id and the operator's idempotency
 * key: it is stored before the call, and the same movement never gets another one. A protocol that wants another form
 * (no dashes, twenty characters) derives it from the reference. The identifiers are those that an earlier submission kept.
 */
export type Submission = OperatorIdentifiers & {
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
  /** The name of the application, for operators that show the customer who wants the money. */
  merchantName?: string | undefined
  /** The code that the customer entered, for connectors that need it (`customerStep`). Sent once, and stored nowhere after it. */
  customerCode?: string | undefined
  /** An earlier submission of this reference may have reached the operator. */
  isRepeated?: boolean
  /** Names the page to which an operator sends the customer back; only for connectors that need one (`customerStep`). */
  payToken?: string | undefined
  /**
   * The end of the lease, on the clock of `performance.now()`: another process may take the row over after it. No call that moves money is
   * written later, so a connector passes it on with each such call (`OperatorRequest.writeBeforeMs`).
   */
  writeBeforeMs?: number | undefined
}

/** The identifiers that a status enquiry needs; some operators only answer by their own identifier. */
export type StatusEnquiry = OperatorIdentifiers &
  Pick<Submission, 'reference' | 'applicationId' | 'operator' | 'type' | 'amountMinor' | 'currency' | 'phoneNumber'>

/**
 * The movement as the operator reports it, as far as its answer says: hundredths of the currency's unit, the ISO code of the currency, the
 * number of the customer's side in digits, with or without the dial code. In an environment that takes another currency than ours (MTN's
 * sandbox), a connector reports our currency for the agreed one. A success whose movement differs from ours proves nothing
 * (guard-connector.ts).
 */
export type ReportedMovement = { amountMinor?: bigint | undefined; currency?: string | undefined; phoneNumber?: string | undefined }

/**
 * The link that the customer has to open before the operator moves the money. Returned by each query while it is valid, so that a lost one
 * is found.
 */
type CustomerLink = { customerLink?: string | undefined }

/**
 * Reported by the operator; nothing after it changes the outcome. `reason` is the sentence for partners (answer-table.ts), or the
 * operator's own one, unchanged; `operatorCode` its code, for the timeline.
 */
export type FinalOutcome =
  | ({ kind: 'succeeded'; reported?: ReportedMovement | undefined; exchange: Exchange } & OperatorIdentifiers)
  | ({ kind: 'failed'; reason: string; operatorCode?: string | undefined; exchange: Exchange } & OperatorIdentifiers)

/**
 * Money may or may not move: a timeout, a broken connection, an HTTP 5xx, an answer that makes no sense or is in no table of the
 * protocol. Never a failure.
 */
export type UnknownOutcome = { kind: 'unknown'; detail: string; exchange: Exchange; doubt?: Doubt | undefined }

/**
 * An answer that would be final, and is not believed. Set by guard-connector.ts only. `mismatch`: a success of another movement than ours.
 * The others refuse a repeated submission, and say nothing about the earlier one.
 */
export type Doubt =
  | { kind: 'mismatch' }
  | { kind: 'refused'; reason: string; operatorCode?: string | undefined }
  | { kind: 'wrong_code'; operatorCode: string }

/**
 * The operator has certainly not executed the submission: not one byte of it was written, or it was refused for our own PIN or key.
 * `closesDirection` names such a fault of ours: it would refuse every submission, so the direction is closed and none of them fails.
 */
type NotSentOutcome = { kind: 'not_sent'; detail: string; closesDirection?: string | undefined; exchange: Exchange }

export type SubmitOutcome =
  | FinalOutcome
  | UnknownOutcome
  | NotSentOutcome
  | ({ kind: 'accepted'; exchange: Exchange } & OperatorIdentifiers & CustomerLink)

/** `not_found` only if the operator itself reports that it does not know the reference, not if a proxy answers 404. */
export type QueryOutcome =
  | FinalOutcome
  | UnknownOutcome
  | ({ kind: 'pending'; exchange: Exchange } & OperatorIdentifiers & CustomerLink)
  | { kind: 'not_found'; exchange: Exchange }

/**
 * A reversal: the operator returns all money of an executed payment to where it came from. The fields name the payment, with the identifiers that the
 * operator reported of it. `reversalReference` names the reversal, is a UUID of version 4 and never changes.
 */
export type Reversal = StatusEnquiry & {
  reversalReference: string
  /** An earlier call may have reached the operator. */
  isRepeated: boolean
  writeBeforeMs?: number | undefined
}

/** How an operator takes payments back. */
export type Reversals = {
  readonly types: readonly TransactionType[]
  /** Whether the operator says that a repeated call takes nothing back twice. Otherwise a call without an answer is never repeated. */
  readonly isRepeatable: boolean
  /**
   * `succeeded`: all of the money is back. `accepted`: the operator has the reversal, and says by the next call what became of it. `failed`: it was not
   * carried out and will not be. `unknown` with a doubt: a repeated call was refused, which says nothing about the earlier one.
   */
  reverse(reversal: Reversal): Promise<SubmitOutcome>
}

/** Our balances at the operator, in hundredths; null if it does not report them. */
export type BalanceOutcome =
  | {
      kind: 'balance'
      collectMinor: bigint | null
      depositMinor: bigint | null
      /** Both figures are the balance of one and the same account. */
      isOneAccount: boolean
      currency: Currency
      exchange: Exchange
    }
  | UnknownOutcome

/**
 * Whether a phone number has an account that can take part, and the masked name under which the operator has registered it. Answers that are not in
 * the protocol's table are unknown: only an operator's own word says that somebody is not registered.
 */
export type AccountOutcome =
  | { kind: 'active'; holderName?: string | undefined; exchange: Exchange }
  | { kind: 'not_registered' | 'barred'; exchange: Exchange }
  | UnknownOutcome

/**
 * Lines of the operator's own list of one day, in its order: the cells of each are those of `DayList.header`. `next` names the page behind this one;
 * undefined after the last.
 */
export type DayListOutcome =
  | { kind: 'lines'; lines: readonly (readonly string[])[]; next: string | undefined; exchange: Exchange }
  | UnknownOutcome

/** The movements in our account on a day of the operator's calendar (`YYYY-MM-DD`), page by page. */
export type DayList = { header: readonly string[]; read(day: string, page: string | undefined): Promise<DayListOutcome> }

/**
 * The claim of a callback. Not trusted: it names the row about which the operator is queried immediately. `isVerified` if a signature
 * proves that the operator sent it. One without is a hint and nothing else: it does not prove that the operator has the transfer.
 */
export type CallbackOutcome =
  | { kind: 'callback'; applicationId: string; reference: string; claim: 'succeeded' | 'failed' | 'pending'; isVerified: boolean }
  /** From the operator, and about nothing that we await. */
  | { kind: 'irrelevant' }
  | { kind: 'unverified' }
  | { kind: 'malformed'; detail: string }

/**
 * Stores what the operator returned before the call that moves money, or before the customer can move it, and resolves when it is
 * committed. Resolves to false if another process has taken the submission over: the connector must then make no further call and return
 * `not_sent`.
 */
export type KeepIdentifiers = (identifiers: OperatorIdentifiers & CustomerLink) => Promise<boolean>

/** The terms agreed with an operator for this installation. */
export type Terms = {
  /**
   * The directions that are in service, and through what each of them goes: the protocol and the operator's environment. A transfer
   * submitted through one route and unknown on another one is not sent again.
   */
  routes: ReadonlyMap<TransactionType, string>
  /** Concurrent submissions, per direction and process. */
  callsMax: number
  /** Submissions started per second, per direction and process; undefined: no limit. */
  submissionsPerSecondMax: number | undefined
  /**
   * The float that our account for payouts must keep, in hundredths: deposits wait rather than take it. Undefined where `balance` does not report that
   * account.
   */
  floatFloorMinor?: bigint | undefined
  /** The longest that the answer to a call that moves money is waited for. The lease of a submission is longer. */
  submitTimeoutMs: number
  /** The least time from a submission to its first query, and to its next submission, where the operator requires one. */
  enquiryDelayMs?: number | undefined
  /** Changes whenever the settings are saved. A direction that a fault of ours closed (`closesDirection`) stays closed until then. */
  settingsVersion?: string | undefined
}

/**
 * The protocol of one operator. No method throws for anything that an operator or a network does: each returns one of the typed
 * outcomes within its deadline. `submit` must be safe to repeat with the same reference. A protocol in two steps passes what the
 * first one returned to `keep` and makes the second one only after that.
 */
export type Connector = {
  readonly terms: Terms
  /** The step that the customer of a collect has to take. Absent: to confirm on the phone. */
  readonly customerStep?: CustomerStep | undefined
  submit(submission: Submission, keep: KeepIdentifiers): Promise<SubmitOutcome | CodeRefusal>
  query(query: StatusEnquiry): Promise<QueryOutcome>
  balance(): Promise<BalanceOutcome>
  /** True where the operator answers no queries: an unknown outcome stays unknown until a person has clarified it. */
  readonly hasNoQueries?: boolean | undefined
  /** Absent where the protocol has no such call. Moves no money. */
  checkAccount?(phoneNumber: string): Promise<AccountOutcome>
  /** Absent where the operator's statements come as files only. */
  readonly dayList?: DayList | undefined
  /** Absent where the operator takes no payment back. */
  readonly reversals?: Reversals | undefined
  /**
   * `headers` have lower-case names; `body` is the raw bytes, because signatures are over bytes; `search` is the undecoded query of the
   * address, where an operator repeats nothing but the address that a submission named.
   */
  parseCallback(headers: Record<string, string | string[] | undefined>, body: Buffer, search?: string): CallbackOutcome
  close(): Promise<void>
}

/**
 * `link`: the customer follows a link that the operator returns. Otherwise the customer dials, and enters the code that comes back, of
 * `codeLength` digits where the operator's codes have one length.
 */
type CustomerStep = 'link' | { dial(amountMinor: bigint): string; codeLength?: number | undefined }

/** The operator refused the customer's code and moved nothing: the customer may enter another one. */
export type CodeRefusal = { kind: 'wrong_code'; operatorCode: string; exchange: Exchange }

declare const guarded: unique symbol

/** A connector whose input is cleaned and limited (guard-connector.ts). No other connector is used. */
export type GuardedConnector = Connector & { readonly [guarded]: true }

/** The connectors of this process. A code that is absent is switched off. They follow the settings (follow-settings.ts). */
export type Connectors = {
  get(operator: OperatorCode): GuardedConnector | undefined
  /** Whether transactions of this direction can be submitted. */
  has(operator: OperatorCode, type: TransactionType): boolean
  /** The amounts that the operator takes, as its settings say. Undefined: they say nothing about this direction. */
  limitsOf(operator: OperatorCode, type: TransactionType): OperatorLimitSettings | undefined
  operators(): OperatorCode[]
}

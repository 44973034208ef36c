// Client of the Countersign API, version 2. TypeScript without packages: Node.js 22.18 and later runs it as it is, and so do Deno and Bun.
// Types and operations are made from the OpenAPI document, /api/v2/openapi.json.
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'

// npm run clients: begin types
/** The operator code. It names one operator in one country. */
export type TransferMethod = 'OMCM' | 'MOMOCM' | 'CIWAVE' | 'CIOM' | 'SNWAVE' | 'SNOM' | 'SNFREE' | 'BFOM' | 'MLMOOV' | 'BJMTN' | 'BJMOOV' | 'UGMTN' | 'UGAIRTEL'

/** The country of transferMethod, in capitals. */
export type CountryName = 'CAMEROON' | 'IVORY_COAST' | 'SENEGAL' | 'BURKINA_FASO' | 'MALI' | 'BENIN' | 'UGANDA'

/** PENDING for a new transaction, or PENDING_APPROVAL if an approval rule applies to it. A repeated request returns the current status. */
export type TransactionStatus = 'PENDING' | 'PENDING_APPROVAL' | 'SUCCESS' | 'FAILED'

/** COLLECT or DEPOSIT. */
export type TransactionType = 'COLLECT' | 'DEPOSIT'

/** The currency of its amounts. */
export type Currency = 'XAF' | 'XOF' | 'UGX'

/** A collect or a deposit, without its externalId. Unknown fields are ignored. */
export type PaymentRequest = {
  /** The operator code. It names one operator in one country */
  transferMethod: TransferMethod
  /** The full name of the customer or beneficiary, in any script */
  customerName: string
  /** May be absent: Idempotency-Key is the externalId. If it is there, it has to be the same */
  externalId?: string | undefined
  /** In international format without +. It starts with the dial code of the country */
  phoneNumber: string
  /** A JSON number, not a text, with at most two decimals, in the currency of the country */
  amount: number
  /** An absolute http or https address, which receives the result as a webhook */
  webhookUrl: string
  /** The country of transferMethod, in capitals */
  countryName: CountryName
  /** The reason of the payment, or the number of an invoice */
  purpose?: string | undefined
}

/** A transaction that was started, or that had been started with the same key before. */
export type InitiationResponse = {
  /** Identifies the transaction in all later calls and in its webhook */
  transactionId: string
  /** Your identifier of the transaction, in lower case */
  externalId: string
  /** The operator code of the request */
  transferMethod: TransferMethod
  /** As you sent it */
  customerName: string
  /** The phone number as you sent it */
  customerPhone: string
  /** The operator's token for the payment, or one that the service made when the transaction was created. For a collect it names the page for the customer, /pay/{payToken} on this host. Send it to customers of Wave and of Orange in Ivory Coast, who pay by a link, and of Orange in Burkina Faso and Senegal, who enter a code there */
  payToken: string
  /** As you sent it, in the currency of the country */
  amount: number
  /** The fee that the service keeps */
  feesSystem: number
  /** The fee that the application's owner keeps */
  feesApp: number
  /** PENDING for a new transaction, or PENDING_APPROVAL if an approval rule applies to it. A repeated request returns the current status */
  transactionStatus: TransactionStatus
  /** The reason of the payment, or the number of an invoice; empty if it was left out */
  purpose: string
}

/** A batch of deposits. Unknown fields are ignored. */
export type BatchRequest = {
  /** Its name for people in the back office. If it is absent, its Idempotency-Key */
  name?: string | undefined
  /** An absolute http or https address, which receives the result of each deposit as a webhook. If it is absent, that of the application */
  webhookUrl?: string | undefined
  /** 1 to 10000 deposits, each with an externalId of its own */
  deposits: BatchDeposit[]
}

/** A deposit of a batch. Unknown fields are ignored. */
export type BatchDeposit = {
  /** The operator code. It names one operator in one country */
  transferMethod: TransferMethod
  /** The full name of the customer or beneficiary, in any script */
  customerName: string
  /** Your identifier of the transaction, a UUID version 4. Use a new one for each transaction and the same one to repeat a request. Stored and returned in lower case */
  externalId: string
  /** In international format without +. It starts with the dial code of the country */
  phoneNumber: string
  /** A JSON number, not a text, with at most two decimals, in the currency of the country */
  amount: number
  /** The country of transferMethod, in capitals */
  countryName: CountryName
  /** The reason of the payment, or the number of an invoice */
  purpose?: string | undefined
}

/** How many deposits are in each status. The batch is finished when QUEUED, PENDING_APPROVAL and PENDING are 0. */
export type BatchCounts = {
  /** How many are not started yet */
  QUEUED: number
  /** How many are not started: the row has the code of the reason */
  REFUSED: number
  /** How many are started, without a result */
  PENDING: number
  /** How many are waiting for checkers */
  PENDING_APPROVAL: number
  /** How many are paid */
  SUCCESS: number
  /** How many are not paid */
  FAILED: number
}

/** A batch of deposits, and how far it is. */
export type Batch = {
  /** Identifies the batch in later calls and in the back office */
  batchId: string
  /** The Idempotency-Key that made it */
  idempotencyKey: string
  /** Its name for people in the back office */
  name: string
  /** Receives the result of each deposit */
  webhookUrl: string
  /** How many deposits it has */
  depositCount: number
  /** When it was accepted, ISO 8601 in UTC */
  createdAt: string
  /** How many deposits are in each status. The batch is finished when QUEUED, PENDING_APPROVAL and PENDING are 0 */
  counts: BatchCounts
}

/** A batch with a part of its deposits. */
export type BatchPage = {
  /** Identifies the batch in later calls and in the back office */
  batchId: string
  /** The Idempotency-Key that made it */
  idempotencyKey: string
  /** Its name for people in the back office */
  name: string
  /** Receives the result of each deposit */
  webhookUrl: string
  /** How many deposits it has */
  depositCount: number
  /** When it was accepted, ISO 8601 in UTC */
  createdAt: string
  /** How many deposits are in each status. The batch is finished when QUEUED, PENDING_APPROVAL and PENDING are 0 */
  counts: BatchCounts
  /** A part of its deposits, in the order of the request */
  deposits: BatchRow[]
  /** The cursor of the next deposits; null behind the last one */
  nextCursor: string | null
}

/** A deposit of a batch, and what became of it. */
export type BatchRow = {
  /** Its place in the request, from 0 */
  index: number
  /** Your own id of it */
  externalId: string
  /** Where it is. REFUSED, SUCCESS and FAILED are final */
  status: 'QUEUED' | 'REFUSED' | 'PENDING' | 'PENDING_APPROVAL' | 'SUCCESS' | 'FAILED'
  /** Identifies its transaction in other calls; null while it has none */
  transactionId: string | null
  /** Why it was refused, for programs; null for all others. New codes may be added */
  code: string | null
  /** Why it was refused or failed, or that it succeeded, for people; null before */
  message: string | null
  /** The operator code. It names one operator in one country */
  transferMethod: TransferMethod
  /** The phone number as you sent it */
  phoneNumber: string
  /** The amount, without fees */
  amount: number
}

/** A batch, without its deposits. */
export type ListedBatch = {
  /** Identifies the batch in later calls and in the back office */
  batchId: string
  /** The Idempotency-Key that made it */
  idempotencyKey: string
  /** Its name for people in the back office */
  name: string
  /** Receives the result of each deposit */
  webhookUrl: string
  /** How many deposits it has */
  depositCount: number
  /** When it was accepted, ISO 8601 in UTC */
  createdAt: string
}

/** A part of the list of all batches that programs made. */
export type BatchList = {
  /** The batches, newest first */
  batches: ListedBatch[]
  /** The cursor of the next page; null on the last one */
  nextCursor: string | null
}

/** A part of the list of all transactions. */
export type TransactionList = {
  /** The transactions, newest first */
  transactions: Transaction[]
  /** The cursor of the next page; null on the last one */
  nextCursor: string | null
}

/** A transaction with all that is stored of it for your program. */
export type Transaction = {
  /** The transactionId of the response that started it */
  transactionId: string
  /** Your own id of it */
  externalId: string
  /** COLLECT or DEPOSIT */
  transactionType: TransactionType
  /** The stored status. SUCCESS and FAILED are final */
  status: TransactionStatus
  /** The text of the result, for people: why it failed, or that it succeeded; null before */
  message: string | null
  /** The operator code */
  transferMethod: TransferMethod
  /** The country of the operator */
  countryName: CountryName
  /** The currency of its amounts */
  currency: Currency
  /** The amount, without fees */
  amount: number
  /** The fee of the service */
  feesSystem: number
  /** The fee of the application */
  feesApp: number
  /** The phone number of the customer or beneficiary, without + */
  phoneNumber: string
  /** The name of the customer or beneficiary */
  customerName: string
  /** The reason of the payment, or the number of an invoice; empty if it was left out */
  purpose: string
  /** The operator’s own id of the payment; null where it has none yet */
  operatorReference: string | null
  /** The transactionId of the collect that this deposit refunds; null for all others */
  refundOf: string | null
  /** How much of this collect is refunded or being refunded: its refunds without those that FAILED; 0 for a deposit */
  refundedAmount: number
  /** When it was accepted, ISO 8601 in UTC */
  createdAt: string
  /** When it became final; null before */
  completedAt: string | null
}

/** A refund of a collect. Unknown fields are ignored. */
export type RefundRequest = {
  /** Your identifier of the transaction, a UUID version 4. Use a new one for each transaction and the same one to repeat a request. Stored and returned in lower case */
  externalId: string
  /** How much of the collect to refund. If it is absent, all that is left of it */
  amount?: number | undefined
  /** An absolute http or https address, which receives the result as a webhook. If it is absent, that of the collect */
  webhookUrl?: string | undefined
}

/** The refunds of a collect. */
export type RefundList = {
  /** The refunds of the collect, the oldest first; FAILED ones too */
  refunds: Transaction[]
  /** How much of the collect is refunded or being refunded */
  refundedAmount: number
  /** How much of the collect can still be refunded */
  remainingAmount: number
}

/** A transaction as it is stored. */
export type TransactionRecord = {
  /** The transactionId */
  id: string
  /** Your identifier of the transaction, in lower case */
  externalId: string
  /** The amount of the transaction, without fees, in the currency of the country */
  amount: number
  /** The fee that the service keeps */
  feesSystem: number
  /** The fee that the application's owner keeps */
  feesApp: number
  /** The phone number of the customer or beneficiary, without + */
  phoneReceiver: string
  /** The name of the customer or beneficiary */
  receiverName: string
  /** The stored status. SUCCESS and FAILED are final */
  status: TransactionStatus
  /** The operator code of the request */
  transferMethod: TransferMethod
  /** COLLECT for a collect, DEPOSIT for a deposit */
  transactionType: TransactionType
  /** The country of the operator */
  countryName: CountryName
  /** The operator's token for the payment, or one that the service made when the transaction was created. For a collect it names the page for the customer, /pay/{payToken} on this host. Send it to customers of Wave and of Orange in Ivory Coast, who pay by a link, and of Orange in Burkina Faso and Senegal, who enter a code there */
  payToken: string
  /** The reason of the payment, or the number of an invoice; empty if it was left out */
  purpose: string
}

/** Collects from customers. */
export type OperatorStatusCollect = {
  /** OPERATIONAL: sent at once. DELAYED: sent, more slowly. CLOSED: accepted, and sent once the operator answers again. SHORT: accepted, and sent once the account for payouts is topped up. DISABLED: refused with 403, switched off for your application. NOT_IN_SERVICE: refused with 403, for every application */
  state: 'OPERATIONAL' | 'DELAYED' | 'CLOSED' | 'SHORT' | 'DISABLED' | 'NOT_IN_SERVICE'
  /** Since when it is DELAYED, CLOSED or SHORT, ISO 8601 in UTC; otherwise null */
  since: string | null
  /** The smallest amount of one transaction */
  minimumAmount: number
  /** The largest amount of one transaction */
  maximumAmount: number
  /** Amounts must be a multiple of it; null: every amount between the two is possible */
  amountMultiple: number | null
  /** true: other amounts are refused with 400. false: they are accepted, and the operator may refuse them */
  enforcesLimits: boolean
}

/** Deposits to beneficiaries. */
export type OperatorStatusDeposit = {
  /** OPERATIONAL: sent at once. DELAYED: sent, more slowly. CLOSED: accepted, and sent once the operator answers again. SHORT: accepted, and sent once the account for payouts is topped up. DISABLED: refused with 403, switched off for your application. NOT_IN_SERVICE: refused with 403, for every application */
  state: 'OPERATIONAL' | 'DELAYED' | 'CLOSED' | 'SHORT' | 'DISABLED' | 'NOT_IN_SERVICE'
  /** Since when it is DELAYED, CLOSED or SHORT, ISO 8601 in UTC; otherwise null */
  since: string | null
  /** The smallest amount of one transaction */
  minimumAmount: number
  /** The largest amount of one transaction */
  maximumAmount: number
  /** Amounts must be a multiple of it; null: every amount between the two is possible */
  amountMultiple: number | null
  /** true: other amounts are refused with 400. false: they are accepted, and the operator may refuse them */
  enforcesLimits: boolean
}

/** The calls that an operator takes now. */
export type OperatorStatus = {
  /** The operator code */
  transferMethod: TransferMethod
  /** The name that customers know */
  brand: string
  /** The country */
  countryName: CountryName
  /** The currency of all its amounts */
  currency: Currency
  /** Collects from customers */
  collect: OperatorStatusCollect
  /** Deposits to beneficiaries */
  deposit: OperatorStatusDeposit
}

/** The account to check. Unknown fields are ignored. */
export type AccountCheckRequest = {
  /** The operator code. It names one operator in one country */
  transferMethod: TransferMethod
  /** In international format without +. It starts with the dial code of the country */
  phoneNumber: string
}

/** The answer of an operator about the account of a phone number. */
export type AccountCheck = {
  /** The operator code */
  transferMethod: TransferMethod
  /** The number as you sent it */
  phoneNumber: string
  /** ACTIVE: the account exists and can take part. NOT_REGISTERED: the operator has no account with this number. BARRED: it has blocked the account. UNKNOWN: it did not answer, or not clearly; this says nothing about the account. NOT_OFFERED: this operator has no such check */
  status: 'ACTIVE' | 'NOT_REGISTERED' | 'BARRED' | 'UNKNOWN' | 'NOT_OFFERED'
  /** The first word of the name under which the operator has registered the account, and initials; null where it names nobody */
  holderName: string | null
  /** When the operator was asked, ISO 8601 in UTC; null for NOT_OFFERED */
  checkedAt: string | null
}

/** A day of an account that two people have signed. */
export type SettledDay = {
  /** The account at the operator: the operator code, with -collect or -deposit where the operator has two accounts */
  wallet: string
  /** The operator code */
  operator: TransferMethod
  /** Which of your balances the account holds */
  account: 'collect' | 'deposit' | 'both'
  /** The currency of all amounts */
  currency: Currency
  /** The day of the operator, in its own time zone */
  day: string
  /** When the day begins, ISO 8601 in UTC */
  startsAt: string
  /** When the day ends; this instant belongs to the next one */
  endsAt: string
  /** Counts from 1. A day that was reopened is signed again with the next version */
  version: number
  /** to_be_signed_again: an earlier day was reopened. The report is unchanged and will be signed again */
  state: 'signed' | 'to_be_signed_again'
  /** When two people had signed the day */
  signedAt: string
  /** SHA-256 of the certificate of the day, hexadecimal. The report of a version never has another one */
  certificateHash: string
}

/** . */
export type SettlementReportTransactionsItem = {
  /** The transactionId of the response that started the transaction */
  transactionId: string
  /** Your own id of the transaction */
  externalId: string
  /** COLLECT or DEPOSIT */
  transactionType: TransactionType
  /** The operator’s own id of the payment; null where it has none */
  operatorReference: string | null
  /** The amount that moved at the operator */
  gross: number
  /** The fee of the service */
  feesSystem: number
  /** The fee of the application */
  feesApp: number
  /** The change of your balance: above zero for a collect, below zero for a deposit */
  net: number
  /** When it succeeded */
  completedAt: string
  /** When the statement of the operator has it; null while no line is matched */
  operatorTime: string | null
  /** How it compares with the statement; matched: the operator has it on the same day */
  class: 'success_failed_there' | 'success_absent_there' | 'paid_there' | 'in_transit' | 'open' | 'failed_both' | 'matched'
  /** The changes that two people made in the books later; the status stays */
  adjustments: ('reverse' | 'late' | 'concede' | 'fees_out')[]
}

/** . */
export type SettlementReportAdjustmentsItem = {
  /** fund: money was paid in. move: from the collect to the deposit balance. withdraw: to your bank account. late, reverse, concede: about a final transaction */
  kind: 'fund' | 'move' | 'correct' | 'withdraw' | 'reverse' | 'late' | 'concede' | 'fees_out'
  /** The transaction, or the change that two people made */
  id: string
  /** The transaction that it is about; null if it is about none */
  transactionId: string | null
  /** The change of your balance */
  net: number
  /** When it was posted */
  at: string
}

/** The changes that a signed day of an account made to the balance of your application. */
export type SettlementReport = {
  /** The account at the operator: the operator code, with -collect or -deposit where the operator has two accounts */
  wallet: string
  /** The operator code */
  operator: TransferMethod
  /** Which of your balances the account holds */
  account: 'collect' | 'deposit' | 'both'
  /** The currency of all amounts */
  currency: Currency
  /** The day of the operator, in its own time zone */
  day: string
  /** When the day begins, ISO 8601 in UTC */
  startsAt: string
  /** When the day ends; this instant belongs to the next one */
  endsAt: string
  /** Counts from 1. A day that was reopened is signed again with the next version */
  version: number
  /** to_be_signed_again: an earlier day was reopened. The report is unchanged and will be signed again */
  state: 'signed' | 'to_be_signed_again'
  /** When two people had signed the day */
  signedAt: string
  /** SHA-256 of the certificate of the day, hexadecimal. The report of a version never has another one */
  certificateHash: string
  /** Your balance in the account when the day began, with money that is reserved for deposits in progress */
  opening: number
  /** The same when the day ended: opening plus transactionsNet plus adjustmentsNet */
  closing: number
  /** How many transactions the whole day has */
  transactionCount: number
  /** The sum of net of all transactions of the day, on every page */
  transactionsNet: number
  /** How many adjustments the day has */
  adjustmentCount: number
  /** The sum of net of all adjustments */
  adjustmentsNet: number
  /** The requested page, from 0 */
  page: number
  /** The requested size of a page */
  size: number
  /** The transactions of this page, in order of completedAt */
  transactions: SettlementReportTransactionsItem[]
  /** Everything else that changed your balance; the same on every page */
  adjustments: SettlementReportAdjustmentsItem[]
}

/** The result of a transaction. */
export type TransactionResult = {
  /** Your identifier of the transaction, in lower case */
  externalId: string
  /** As in the response that started the transaction, byte for byte */
  transactionId: string
  /** The final status */
  status: 'SUCCESS' | 'FAILED'
  /** The amount of the transaction, without fees, in the currency of the country */
  amount: number
  /** The phone number of the request */
  phoneNumber: string
  /** The operator code of the request */
  transferMethod: TransferMethod
  /** Why the transaction failed, or that it went well. In French, as the operators send it */
  message: string
  /** When the transaction became final, ISO 8601 in UTC. The same in every attempt */
  timestamp: string
  /** A copy of status, only for applications that request it */
  transactionStatus?: 'SUCCESS' | 'FAILED' | undefined
}
// npm run clients: end types

export type ClientOptions = {
  /** The address of the service, without a path. */
  baseUrl: string
  apiKey: string
  apiId: string
  /** Of an API user. */
  username: string
  password: string
  /** How long one request may take, its answer included. 30 s if left out. */
  timeoutMs?: number | undefined
  /** How often a request that may be repeated is repeated after a 429 or 503 with Retry-After. Twice if left out. */
  retriesMax?: number | undefined
}

export type KeyOptions = {
  /** A UUID version 4, stored before the call. If left out, the client makes one: it is the externalId of the answer. */
  idempotencyKey?: string | undefined
}

/** The longest Retry-After that the client waits for itself. */
const RETRY_AFTER_S_MAX = 60
/** How far the clock of the service may be from this one when a webhook is verified. */
const TOLERANCE_S = 300

/** A refusal of the service, or no answer from it. */
export class CountersignError extends Error {
  override readonly name = 'CountersignError'
  /** The HTTP status, or 0 if no answer arrived. */
  readonly status: number
  /** The reason, for programs: the code of the answer, or `timeout`, `no_connection` or `unreadable_answer`. */
  readonly code: string
  /** The key of the request. After a timeout, repeat the call with it: the payment is made once. */
  readonly idempotencyKey: string | undefined
  /** How long the service asks to wait before the next attempt, if it says so. */
  readonly retryAfterS: number | undefined

  constructor(status: number, code: string, message: string, more: { idempotencyKey?: string; retryAfterS?: number; cause?: unknown } = {}) {
    super(message, { cause: more.cause })
    this.status = status
    this.code = code
    this.idempotencyKey = more.idempotencyKey
    this.retryAfterS = more.retryAfterS
  }
}

type Call = {
  method: 'GET' | 'POST'
  path: string
  query?: Record<string, string | number | null | undefined>
  body?: unknown
  idempotencyKey?: string
  /** Whether the service carries the request out once, however often it arrives. */
  isRepeatable: boolean
}

type Answer = { status: number; retryAfterS: number | undefined; json: unknown }

export class CountersignClient {
  readonly #options: ClientOptions
  readonly #baseUrl: string
  #token: Promise<string> | undefined

  constructor(options: ClientOptions) {
    this.#options = options
    this.#baseUrl = options.baseUrl.replace(/\/+$/, '')
  }

  // npm run clients: begin operations
  /** Start a collect, once for each Idempotency-Key. */
  createCollect(body: PaymentRequest, { idempotencyKey = randomUUID() }: KeyOptions = {}): Promise<InitiationResponse> {
    return this.#call({ method: 'POST', path: '/api/v2/collects', body, idempotencyKey, isRepeatable: true })
  }

  /** Start a deposit, once for each Idempotency-Key. */
  createDeposit(body: PaymentRequest, { idempotencyKey = randomUUID() }: KeyOptions = {}): Promise<InitiationResponse> {
    return this.#call({ method: 'POST', path: '/api/v2/deposits', body, idempotencyKey, isRepeatable: true })
  }

  /** List all batches with a cursor. */
  listBatches(query: { limit?: number | null | undefined; cursor?: string | null | undefined } = {}): Promise<BatchList> {
    return this.#call({ method: 'GET', path: '/api/v2/batches', query, isRepeatable: true })
  }

  /** Send up to 10,000 deposits, once for each Idempotency-Key. */
  createBatch(body: BatchRequest, { idempotencyKey = randomUUID() }: KeyOptions = {}): Promise<Batch> {
    return this.#call({ method: 'POST', path: '/api/v2/batches', body, idempotencyKey, isRepeatable: true })
  }

  /** Read how far a batch is, and its deposits with a cursor. */
  getBatch(batchId: string, query: { limit?: number | null | undefined; cursor?: string | null | undefined } = {}): Promise<BatchPage> {
    return this.#call({ method: 'GET', path: `/api/v2/batches/${encodeURIComponent(batchId)}`, query, isRepeatable: true })
  }

  /** Cancel the deposits of a batch that were not sent yet. */
  cancelBatch(batchId: string): Promise<Batch> {
    return this.#call({ method: 'POST', path: `/api/v2/batches/${encodeURIComponent(batchId)}/cancel`, isRepeatable: false })
  }

  /** List all transactions with a cursor, or find one by its externalId. */
  listTransactions(query: { limit?: number | null | undefined; cursor?: string | null | undefined; externalId?: string | null | undefined } = {}): Promise<TransactionList> {
    return this.#call({ method: 'GET', path: '/api/v2/transactions', query, isRepeatable: true })
  }

  /** Cancel a transaction that was not sent yet. */
  cancelTransaction(transactionId: string): Promise<TransactionRecord> {
    return this.#call({ method: 'POST', path: `/api/v2/transactions/${encodeURIComponent(transactionId)}/cancel`, isRepeatable: false })
  }

  /** List the refunds of a collect. */
  listRefunds(transactionId: string): Promise<RefundList> {
    return this.#call({ method: 'GET', path: `/api/v2/transactions/${encodeURIComponent(transactionId)}/refunds`, isRepeatable: true })
  }

  /** Refund a collect, whole or in parts. */
  refundCollect(transactionId: string, body: RefundRequest): Promise<Transaction> {
    return this.#call({ method: 'POST', path: `/api/v2/transactions/${encodeURIComponent(transactionId)}/refunds`, body, isRepeatable: true })
  }

  /** List the operators with their availability and limits. */
  listOperators(): Promise<OperatorStatus[]> {
    return this.#call({ method: 'GET', path: '/api/v2/operators', isRepeatable: true })
  }

  /** Check the account of a phone number. */
  checkAccount(body: AccountCheckRequest): Promise<AccountCheck> {
    return this.#call({ method: 'POST', path: '/api/v2/account-checks', body, isRepeatable: false })
  }

  /** List the signed days. */
  listSettlementReports(query: { from: string; to: string; wallet?: 'OMCM' | 'MOMOCM-collect' | 'MOMOCM-deposit' | 'CIWAVE' | 'CIOM' | 'SNWAVE' | 'SNOM-collect' | 'SNOM-deposit' | 'SNFREE' | 'BFOM' | 'MLMOOV' | 'BJMTN-collect' | 'BJMTN-deposit' | 'BJMOOV' | 'UGMTN-collect' | 'UGMTN-deposit' | 'UGAIRTEL-collect' | 'UGAIRTEL-deposit' | null | undefined }): Promise<SettledDay[]> {
    return this.#call({ method: 'GET', path: '/api/v2/settlement-reports', query, isRepeatable: true })
  }

  /** Read one settlement report. */
  getSettlementReport(wallet: string, day: string, query: { page?: number | null | undefined; size?: number | null | undefined } = {}): Promise<SettlementReport> {
    return this.#call({ method: 'GET', path: `/api/v2/settlement-reports/${encodeURIComponent(wallet)}/${encodeURIComponent(day)}`, query, isRepeatable: true })
  }
  // npm run clients: end operations

  /** Sends a call with the three credentials. A token that has ended is renewed once. */
  async #call<Result>(call: Call): Promise<Result> {
    const token = this.#signIn()
    let answer = await this.#repeat(call, await token)
    if (answer.status === 401) {
      // Another call may have renewed it meanwhile.
      if (this.#token === token) this.#token = undefined
      answer = await this.#repeat(call, await this.#signIn())
    }
    return readAnswer<Result>(answer, call)
  }

  /** Returns the access token. Calls that arrive together sign in once; a failure is not kept, so the next call tries again. */
  #signIn(): Promise<string> {
    this.#token ??= this.#requestToken()
    return this.#token
  }

  async #requestToken(): Promise<string> {
    const { username, password } = this.#options
    try {
      const answer = await this.#repeat({ method: 'POST', path: '/public/access_token', body: { username, password }, isRepeatable: true })
      const { access_token: token } = readAnswer<{ access_token: string }>(answer)
      return token
    } catch (error) {
      this.#token = undefined
      throw error
    }
  }

  /** Sends a request, and again after a 429 or 503 while it may be repeated and the service says when. */
  async #repeat(call: Call, token?: string): Promise<Answer> {
    const { retriesMax = 2 } = this.#options
    for (let retries = 0; ; retries++) {
      const answer = await this.#send(call, token)
      const { status, retryAfterS } = answer
      const isBusy = status === 429 || status === 503
      if (!isBusy || !call.isRepeatable || retries >= retriesMax) return answer
      if (retryAfterS === undefined || retryAfterS > RETRY_AFTER_S_MAX) return answer
      await new Promise((resolve) => setTimeout(resolve, retryAfterS * 1_000))
    }
  }

  async #send({ method, path, query = {}, body, idempotencyKey }: Call, token?: string): Promise<Answer> {
    const { apiKey, apiId, timeoutMs = 30_000 } = this.#options
    const parameters = Object.entries(query).flatMap(([name, value]) => (value === undefined || value === null ? [] : [[name, String(value)]]))
    const search = parameters.length > 0 ? `?${new URLSearchParams(parameters)}` : ''
    try {
      const response = await fetch(this.#baseUrl + path + search, {
        method,
        headers: {
          ...(token !== undefined && { apiKey, apiId, authorization: `Bearer ${token}` }),
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        // The credentials go to the service only.
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      })
      const retryAfter = response.headers.get('retry-after') ?? ''
      return {
        status: response.status,
        retryAfterS: /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined,
        json: parseJson(await response.text()),
      }
    } catch (cause) {
      const key = idempotencyKey === undefined ? {} : { idempotencyKey }
      if (cause instanceof Error && cause.name === 'TimeoutError')
        throw new CountersignError(0, 'timeout', `No answer within ${timeoutMs} ms.`, { ...key, cause })
      throw new CountersignError(0, 'no_connection', `No connection to ${this.#baseUrl}.`, { ...key, cause })
    }
  }
}

/**
 * Returns true if a webhook was signed with the secret within five minutes of now. `headers`: as received, with names in lower case. `body`:
 * the text as received, before any JSON parser. Throws without a secret: anybody can sign with an empty one.
 */
export function isGenuineWebhook(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  body: string,
  secret: string,
  nowMs: number = Date.now(),
): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  if (key.length === 0) throw new Error('The secret of the webhooks is missing.')
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) => String(headers[`webhook-${name}`] ?? ''))
  if (!/^\d+$/.test(timestamp ?? '') || Math.abs(nowMs / 1_000 - Number(timestamp)) > TOLERANCE_S) return false
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest()
  return (signatures ?? '').split(' ').some((signature) => {
    const [version, encoded = ''] = signature.split(',')
    const sent = Buffer.from(encoded, 'base64')
    return version === 'v1' && sent.length === expected.length && timingSafeEqual(sent, expected)
  })
}

/** Returns the body of a 200, and throws every other answer. The codes of version 2 are in the answer; token calls have none. */
function readAnswer<Result>({ status, retryAfterS, json }: Answer, call?: Call): Result {
  if (status === 200 && json !== undefined) return json as Result
  const { code, message } = (typeof json === 'object' && json !== null ? json : {}) as { code?: unknown; message?: unknown }
  const isOurs = typeof message === 'string'
  throw new CountersignError(
    status,
    typeof code === 'string' ? code : isOurs ? `status_${status}` : 'unreadable_answer',
    isOurs ? message : `The answer with status ${status} is not one of the service.`,
    {
      ...(call?.idempotencyKey !== undefined && { idempotencyKey: call.idempotencyKey }),
      ...(retryAfterS !== undefined && { retryAfterS }),
    },
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Ignored: a proxy answers with a page. The answer is then reported as unreadable.
    return undefined
  }
}

/** A change of the API that partners can notice. `text`: what between backticks is code. */
export type ApiChange = {
  /** The day on which it could first be used, YYYY-MM-DD. */
  date: string
  version: 'v1' | 'v2'
  text: string
  /** The operations that were added, by their id in the OpenAPI document. A test finds one that no change names. */
  adds: readonly string[]
}

/** Everything that was added to the API, the newest first. The document of version 1 is the published interface and has not changed. */
export const API_CHANGES: readonly ApiChange[] = [
  {
    date: '2026-11-28',
    version: 'v2',
    text: 'Batches: up to 10,000 deposits with one `Idempotency-Key`, their list, their status and their cancellation.',
    adds: ['createBatch', 'listBatches', 'getBatch', 'cancelBatch'],
  },
  {
    date: '2026-11-28',
    version: 'v2',
    text: 'Collects and deposits with the header `Idempotency-Key`.',
    adds: ['createCollect', 'createDeposit'],
  },
  {
    date: '2026-11-28',
    version: 'v2',
    text: 'A `code` in every error, and an allowance of 1,000 requests at once and 100 per second with the headers `RateLimit` and `RateLimit-Policy`.',
    adds: [],
  },
  {
    date: '2026-11-28',
    version: 'v2',
    text: 'Keys that are limited to scopes. A call outside the scopes of its key is refused with 403, in version 1 too. Keys that existed are not limited.',
    adds: [],
  },
  {
    date: '2026-11-28',
    version: 'v2',
    text: 'Clients for TypeScript, Python and PHP, and the program `countersign listen` of the sandbox.',
    adds: [],
  },
  {
    date: '2026-11-27',
    version: 'v2',
    text: 'Refunds of collects, in whole or in parts, and their list.',
    adds: ['refundCollect', 'listRefunds'],
  },
  { date: '2026-11-27', version: 'v2', text: 'Checks of accounts at operators.', adds: ['checkAccount'] },
  {
    date: '2026-11-27',
    version: 'v2',
    text: 'A list of transactions with filters and a cursor, which also finds one by its `externalId`.',
    adds: ['listTransactions'],
  },
  {
    date: '2026-11-27',
    version: 'v2',
    text: 'The cancellation of a transaction that no operator has received.',
    adds: ['cancelTransaction'],
  },
  {
    date: '2026-11-27',
    version: 'v2',
    text: 'The availability of the operators, and the amounts that each takes.',
    adds: ['listOperators'],
  },
  {
    date: '2026-11-25',
    version: 'v2',
    text: 'Settlement reports of signed days, as JSON and CSV.',
    adds: ['listSettlementReports', 'getSettlementReport'],
  },
  {
    date: '2026-11-20',
    version: 'v1',
    text: 'The first version: tokens, collects, deposits, status, approvals, lists, totals, balances and webhooks.',
    adds: [],
  },
]

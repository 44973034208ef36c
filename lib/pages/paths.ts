import type { TransactionStatus, TransactionType } from '#lib/payments/transactions/transaction-status.ts'

/** The values of a list's address. An array becomes one parameter with commas; empty and undefined ones are left out. */
export type QueryValues = Readonly<Record<string, string | number | readonly string[] | null | undefined>>

/** Returns the query part of an address with its `?`, or the empty string if nothing is set. Keys keep their order. */
export function toQuery(values: QueryValues): string {
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(values)) {
    const text = Array.isArray(value) ? value.join(',') : value
    if (text !== undefined && text !== null && text !== '') query.set(key, String(text))
  }
  const text = query.toString().replaceAll('%2C', ',')
  return text === '' ? '' : `?${text}`
}

/** The filters that other pages link to; the transaction list itself knows more. */
export type TransactionLink = {
  status?: readonly TransactionStatus[] | TransactionStatus
  type?: TransactionType
  operator?: readonly string[] | string
  from?: string
  to?: string
} & QueryValues

/** First parts of addresses that are no application's: what does not exist below them leads nobody to the sign-in page. */
export const PRODUCT_PLACES: ReadonlySet<string> = new Set(['_next', 'api', 'docs', 'health', 'metrics', 'pay', 'public', 'sign-in'])

/**
 * Every address of the back office, built in this one place, except that of the form of a payment (payment-address.ts). `application` is
 * the slug of the chosen application: it is in the address, so that two tabs can show two applications and a link shows what its sender
 * saw.
 */
export const paths = {
  home: () => '/',
  signIn: (next?: string) => `/sign-in${toQuery({ next })}`,
  secondFactor: (next?: string) => `/sign-in/second-factor${toQuery({ next })}`,
  /** The API reference, public; `topic`: a guide or the id of an operation. */
  docs: (topic?: string) => (topic ? `/docs/${topic}` : '/docs'),
  docsSearch: () => '/docs/search',
  /** Leads on to the identity provider of the installation. */
  singleSignOn: (next?: string) => `/api/auth/signin/sso${toQuery({ next })}`,
  enrol: (next?: string) => `/sign-in/enrol${toQuery({ next })}`,
  overview: (application: string) => `/${application}`,
  /** Everything that waits for the person, over all pages. */
  waiting: (application: string) => `/${application}/waiting`,
  transactions: (application: string, query: TransactionLink = {}) => `/${application}/transactions${toQuery(query)}`,
  /** `list`: the query of the list that it was opened from, for the way back. */
  transaction: (application: string, transactionId: string, query: { list?: string } = {}) =>
    `/${application}/transactions/${transactionId}${toQuery(query)}`,
  // A refused export is redirected here with the application of its address, encoded so that it is one segment.
  exports: (application: string, query: QueryValues = {}) => `/${encodeURIComponent(application)}/transactions/exports${toQuery(query)}`,
  /** The desk of payments whose outcome is unknown. */
  unconfirmed: (application: string, query: QueryValues = {}) => `/${application}/transactions/unconfirmed${toQuery(query)}`,
  approvals: (application: string, query: QueryValues = {}) => `/${application}/approvals${toQuery(query)}`,
  /** The decision about a batch. */
  batchApproval: (application: string, batchId: string) => `/${application}/approvals/batches/${batchId}`,
  batches: (application: string, query: QueryValues = {}) => `/${application}/batches${toQuery(query)}`,
  newBatch: (application: string) => `/${application}/batches/new`,
  batch: (application: string, batchId: string, query: QueryValues = {}) => `/${application}/batches/${batchId}${toQuery(query)}`,
  paymentLinks: (application: string, query: QueryValues = {}) => `/${application}/links${toQuery(query)}`,
  newPaymentLink: (application: string) => `/${application}/links/new`,
  paymentLink: (application: string, linkId: string, query: QueryValues = {}) => `/${application}/links/${linkId}${toQuery(query)}`,
  beneficiaries: (application: string, query: QueryValues = {}) => `/${application}/beneficiaries${toQuery(query)}`,
  beneficiaryImport: (application: string) => `/${application}/beneficiaries/import`,
  importedBeneficiaries: (application: string, changeId: string, query: QueryValues = {}) =>
    `/${application}/beneficiaries/import/${changeId}${toQuery(query)}`,
  totals: (application: string, query: QueryValues = {}) => `/${application}/totals${toQuery(query)}`,
  pivot: (application: string, query: QueryValues = {}) => `/${application}/totals/pivot${toQuery(query)}`,
  balances: (application: string, query: QueryValues = {}) => `/${application}/balances${toQuery(query)}`,
  statement: (application: string, operator: string, query: QueryValues = {}) => `/${application}/balances/${operator}${toQuery(query)}`,
  people: (application: string) => `/${application}/people`,
  terms: (application: string) => `/${application}/application`,
  funding: (application: string) => `/${application}/funding`,
  settlements: (application: string, query: QueryValues = {}) => `/${application}/settlements${toQuery(query)}`,
  settlement: (application: string, wallet: string, day: string, query: QueryValues = {}) =>
    `/${application}/settlements/${wallet}/${day}${toQuery(query)}`,
  /** Close of day: every wallet on the last days. */
  close: (application: string) => `/${application}/close`,
  closeDay: (application: string, wallet: string, day: string, query: QueryValues = {}) =>
    `/${application}/close/days/${wallet}/${day}${toQuery(query)}`,
  statements: (application: string, query: QueryValues = {}) => `/${application}/close/statements${toQuery(query)}`,
  newStatement: (application: string) => `/${application}/close/statements/new`,
  statementFile: (application: string, fileId: string) => `/${application}/close/statements/${fileId}`,
  exceptions: (application: string, query: QueryValues = {}) => `/${application}/close/exceptions${toQuery(query)}`,
  exception: (application: string, exceptionId: string) => `/${application}/close/exceptions/${exceptionId}`,
  adjustments: (application: string, query: QueryValues = {}) => `/${application}/close/adjustments${toQuery(query)}`,
  fees: (application: string, query: QueryValues = {}) => `/${application}/close/fees${toQuery(query)}`,
  walletFees: (application: string, wallet: string, query: QueryValues = {}) => `/${application}/close/fees/${wallet}${toQuery(query)}`,
  journal: (application: string, query: QueryValues = {}) => `/${application}/close/journal${toQuery(query)}`,
  journalEntry: (application: string, number: number) => `/${application}/close/journal/${number}`,
  wallets: (application: string) => `/${application}/close/wallets`,
  wallet: (application: string, wallet: string) => `/${application}/close/wallets/${wallet}`,
  /** Processes, replication, waiting work and backups of the installation. */
  installation: (application: string) => `/${application}/installation`,
  /** Changes of other applications that only administrators of the installation can confirm. */
  changesElsewhere: (application: string) => `/${application}/installation/changes`,
  operators: (application: string) => `/${application}/operators`,
  /** One operator: now, its history and its settings. */
  operator: (application: string, operator: string, query: QueryValues = {}) => `/${application}/operators/${operator}${toQuery(query)}`,
  person: (application: string, personId: string) => `/${application}/people/${personId}`,
  audit: (application: string, query: QueryValues = {}) => `/${application}/audit${toQuery(query)}`,
  /** The token is in the fragment, which browsers send to nobody. */
  invitation: (token?: string) => (token ? `/sign-in/invitation#${token}` : '/sign-in/invitation'),
  newPassword: (token?: string) => (token ? `/sign-in/new-password#${token}` : '/sign-in/new-password'),
  /** The invitations of the person who is signed in. */
  invitations: () => '/sign-in/invitations',
  rules: (application: string) => `/${application}/rules`,
  /** One version of the rules, compared with `against` or the active one. */
  ruleVersion: (application: string, version: number, query: QueryValues = {}) => `/${application}/rules/${version}${toQuery(query)}`,
  /** The editor, beginning with a copy of a version. */
  editRules: (application: string, query: QueryValues = {}) => `/${application}/rules/edit${toQuery(query)}`,
  keys: (application: string) => `/${application}/keys`,
  webhooks: (application: string, query: QueryValues = {}) => `/${application}/webhooks${toQuery(query)}`,
  webhook: (application: string, transactionId: string) => `/${application}/webhooks/${transactionId}`,
  webhookSigning: (application: string) => `/${application}/webhooks/signing`,
  sandboxTools: (application: string) => `/${application}/sandbox`,
  sandboxMails: (application: string) => `/${application}/sandbox/mails`,
  /** The calls of the partner's program. */
  calls: (application: string, query: QueryValues = {}) => `/${application}/sandbox/calls${toQuery(query)}`,
  call: (application: string, requestId: string) => `/${application}/sandbox/calls/${requestId}`,
  settings: (application: string) => `/${application}/settings`,
  search: (application: string, text?: string) => `/${application}/search${toQuery({ q: text })}`,
  /** Where react-query refetches what a page showed first. `rest` has no leading slash. */
  data: (application: string, rest: string, query: QueryValues = {}) => `/api/back-office/${application}/${rest}${toQuery(query)}`,
} as const

/** The whole address of an invitation, for another person to open. */
export function invitationLink(publicUrl: string, token: string): string {
  return new URL(paths.invitation(token), publicUrl).href
}

/** The whole address at which a person chooses a new password. */
export function newPasswordLink(publicUrl: string, token: string): string {
  return new URL(paths.newPassword(token), publicUrl).href
}

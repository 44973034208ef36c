import type { TransactionStatus } from '#lib/payments/transactions/transaction-status.ts'

/** Why a call was refused, with its status. In the order in which a partner looks for the cause: key, apiId, token, address, account. */
export const REFUSAL_CAUSES = {
  key_missing: 401,
  key_unknown: 401,
  key_revoked: 401,
  key_expired: 401,
  api_id_missing: 401,
  api_id_wrong: 401,
  token_missing: 401,
  token_unreadable: 401,
  token_expired: 401,
  token_ended: 401,
  token_foreign: 401,
  wrong_password: 401,
  address_not_allowed: 403,
  user_blocked: 403,
  application_disabled: 403,
  service_disabled: 403,
  decision_refused: 403,
} as const
export type RefusalCause = keyof typeof REFUSAL_CAUSES

/** Whether a text names a cause. */
export function isRefusalCause(text: string): text is RefusalCause {
  return Object.hasOwn(REFUSAL_CAUSES, text)
}

/** The refusals of one cause, for the page. Rows are the newest. */
export type RefusalDto = {
  cause: RefusalCause
  status: 401 | 403
  count: number
  lastAt: string
  rows: { address: string; subject: string; count: number; lastAt: string }[]
}

/** Results that the last three digits of the phone number select in the simulated operator. `000`: the usual success. */
export const SIMULATED_ENDINGS = [
  '000',
  '901',
  '902',
  '903',
  '904',
  '905',
  '906',
  '907',
  '908',
  '909',
  '910',
  '911',
  '912',
  '913',
  '914',
  '915',
] as const
export type SimulatedEnding = (typeof SIMULATED_ENDINGS)[number]

/** The names of the outcomes in the texts, which have no digits in their keys. */
export const ENDING_NAMES = {
  '000': 'success',
  '901': 'funds',
  '902': 'number',
  '903': 'cancelled',
  '904': 'timeout',
  '905': 'account',
  '906': 'callbackLost',
  '907': 'silentMoved',
  '908': 'silentNotMoved',
  '909': 'callbackThrice',
  '910': 'callbackFirst',
  '911': 'errorsFirst',
  '912': 'never',
  '913': 'contradiction',
  '914': 'slow',
  '915': 'takenBack',
} as const satisfies Record<SimulatedEnding, string>

/** How a call ended, by the first digit of its status. */
export const STATUS_CLASSES = ['2', '4', '5'] as const

/** A call of a program, as the sandbox lists it. */
export type ApiCallDto = {
  requestId: string
  at: string
  method: string
  path: string
  status: number
  /** The credential that was refused, if it is known. */
  cause: RefusalCause | null
  /** The reason of a refusal, as the program read it. */
  message: string | null
  durationMs: number
  /** The visible beginning of the key. */
  keyPrefix: string | null
  address: string
}

export type ApiCallListDto = { rows: ApiCallDto[]; total: number }

/** Calls on a page of the list. */
export const CALLS_PAGE_SIZE = 25

/** One side of a call. Credentials were removed before it was stored. `bytes`: of the whole body, of which `body` may be the beginning. */
type CallSideDto = { headers: string; body: string; bytes: number; isCut: boolean }

/** One call with everything that was kept of it. */
export type ApiCallDetailDto = ApiCallDto & {
  query: string
  request: CallSideDto
  answer: CallSideDto
  /** The transactions that it is about, as far as they exist; no more than a page lists. */
  transactions: { transactionId: string; externalId: string; status: TransactionStatus }[]
}

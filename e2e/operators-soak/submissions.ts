import { randomUUID } from 'node:crypto'
import type { Answer, Passing } from './fault-proxy.ts'

type Request = Pick<Passing, 'url' | 'body' | 'headers'>

const PAY_TOKEN_STATUS = /^(\/orange-cm\/.*\/(?:mp|cashin)\/paymentstatus)\/(\w+)$/
const NAMED_IN_PATH = /^(\/(?:mtn\/\w+\/v\d_0\/\w+|airtel\/standard\/v\d\/\w+|v1\/\w+\/transfers))\/([\w-]+)/
const WAVE_SEARCH = /^(\/wave\/v1\/payouts\/search)\?client_reference=(.+)$/
const MOOV_STATUS = /<transid>([^<]+)<\/transid>/

/** Where each protocol that knows a submission again by its reference names it. */
const SUBMISSIONS: readonly (readonly [url: RegExp, referenceIn: (request: Request) => string | undefined])[] = [
  [/^\/mtn\/(collection\/v1_0\/requesttopay|disbursement\/v1_0\/(transfer|deposit))$/, ({ headers }) => headers['x-reference-id']],
  [/^\/airtel\/(merchant\/v\d\/payments|standard\/v\d\/disbursements)\/$/, ({ body }) => fieldIn(body, /"id":"([^"]+)"/)],
  [/^\/wave\/v1\/payout$/, ({ body }) => fieldIn(body, /"client_reference":"([^"]+)"/)],
  [/^\/orange-cm\/.*\/(mp|cashin)\/pay$/, ({ body }) => fieldIn(body, /"payToken":"([^"]+)"/)],
  [/^\/moov\//, ({ body }) => (MOOV_STATUS.test(body.toString()) ? undefined : fieldIn(body, /<(?:externaldata1|referenceid)>([^<]+)</))],
  [/^\/v1\/\w+\/transfers$/, ({ body }) => fieldIn(body, /"reference":"([^"]+)"/)],
]

/**
 * The reference of a submission that the operator recognises when it comes again; undefined for every other call. Where a
 * repetition is another payment, no fault here may cause one.
 */
export function submittedReference(request: Request): string | undefined {
  return SUBMISSIONS.find(([url]) => url.test(request.url))?.[1](request)
}

/** Where each protocol in which a submission that comes again is another payment names its reference. */
const UNRECOGNISED: readonly (readonly [url: RegExp, field: RegExp])[] = [
  [/^\/orange-sonatel\/api\/eWallet\/(v1\/(payments\/onestep|cashins)|v4\/qrcode)$/, /"reference":"([^"]+)"/],
  [/^\/wave\/v1\/checkout\/sessions$/, /"client_reference":"([^"]+)"/],
  [/^\/orange-web\/.*\/webpayment$/, /"notif_url":"[^"]*[?]t=([^"]+)"/],
  [/^\/orange-bf\/payment$/, /<ext_txn_id>([^<]+)</],
]

/** The reference of a submission that its operator does not recognise when it comes again; undefined for every other call. */
export function unrecognisedReference({ url, body }: Request): string | undefined {
  const field = UNRECOGNISED.find(([pattern]) => pattern.test(url))?.[1]
  return field && fieldIn(body, field)
}

/** The reference that a query is about. */
export function queriedReference({ url, body }: Request): string | undefined {
  const [, , named] = NAMED_IN_PATH.exec(url) ?? WAVE_SEARCH.exec(url) ?? PAY_TOKEN_STATUS.exec(url) ?? []
  return named ?? (url.startsWith('/moov/') ? fieldIn(body, MOOV_STATUS) : undefined)
}

/** The operator's answer to an enquiry about a reference that it does not know: the one it sends for an unused reference. */
export function answerAsUnknown({ url, body, carryOut }: Passing): Promise<Answer> {
  const [, status, payToken] = PAY_TOKEN_STATUS.exec(url) ?? []
  // Nobody else can make a payToken: this is what Orange says of one with which nothing was paid.
  if (status !== undefined) {
    const text = JSON.stringify({ message: 'Transaction retrieved successfully', data: { payToken, status: 'INITIATED' } })
    return Promise.resolve({ status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(text) })
  }
  const nobodys = randomUUID()
  const elsewhere = url.replace(NAMED_IN_PATH, `$1/${nobodys}`).replace(WAVE_SEARCH, `$1?client_reference=${nobodys}`)
  return carryOut({ url: elsewhere, body: Buffer.from(body.toString().replace(MOOV_STATUS, `<transid>${nobodys}</transid>`)) })
}

function fieldIn(body: Buffer, field: RegExp): string | undefined {
  return field.exec(body.toString())?.[1]
}

import type { Answer, Passing } from './fault-proxy.ts'

const json = (status: number, body: object): Answer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(body)),
})

/** Ambiguous answers of operators that may still pay or have paid: codes documented as ambiguous, and undocumented codes. */
const ANSWERS: readonly (readonly [url: RegExp, answer: (carriedOut: Answer) => Answer])[] = [
  [
    /^\/airtel\/(merchant|standard)\/v\d\/(payments|disbursements)\/$/,
    () => json(200, { status: { code: '400', message: 'Something went wrong', result_code: 'ESB000001', success: false } }),
  ],
  [/^\/mtn\/\w+\/v1_0\/(requesttopay|transfer|deposit)$/, () => ({ status: 400, headers: {}, body: Buffer.alloc(0) })],
  [/^\/orange-cm\/.*\/pay$/, () => json(417, { message: '00068 :: La transaction est en cours de traitement' })],
  [/^\/wave\/v1\/payout$/, () => json(400, { code: 'payout-in-review', message: 'The payout is being reviewed.' })],
  [
    /^\/moov\//,
    ({ status, headers, body }) => ({ status, headers, body: Buffer.from(body.toString().replace(/<status>\d+</, '<status>200<')) }),
  ],
]

/** An answer to this submission that leaves open what has happened; undefined where the protocol has none. */
export function ambiguousAnswer({ url }: Pick<Passing, 'url'>, carriedOut: Answer): Answer | undefined {
  return ANSWERS.find(([pattern]) => pattern.test(url))?.[1](carriedOut)
}

/** The same answer about another amount, currency or number, where it names one. */
export function aboutAnotherMovement(answer: Answer, kind: 'amount' | 'currency' | 'number'): Answer | undefined {
  const text = answer.body.toString()
  const [pattern, other] = {
    amount: [/("(?:receive_)?amount":\s*(?:\{"value":)?"?)\d+/, '$11'],
    currency: [/("(?:currency|unit)":\s*")[A-Z]{3}/, '$1EUR'],
    number: [/("(?:partyId|mobile|subscriberMsisdn|phoneNumber|customer":\{"idType":"MSISDN","id)":\s*"\+?)\d(\d+)/, '$19$2'],
  }[kind] as [RegExp, string]
  return pattern.test(text) ? { ...answer, body: Buffer.from(text.replace(pattern, other)) } : undefined
}

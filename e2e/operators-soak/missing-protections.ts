import type { Answer, Passing } from './fault-proxy.ts'
import { unrecognisedReference } from './submissions.ts'

const EMPTY_SEARCHES: readonly (readonly [url: RegExp, body: object])[] = [
  [/^\/orange-sonatel\/api\/eWallet\/v1\/transactions\?reference=(.+)$/, []],
  [/^\/wave\/v1\/checkout\/sessions\/search\?client_reference=(.+)$/, { result: [] }],
]
/** Orange in Burkina Faso: the fields of a payment, and what the customer gets who dials. */
const COMMAND = /<customer_msisdn>(\d+)<[\s\S]*<amount>(\d+)<[\s\S]*<otp>(\d+)</
const PAGE = /"payment_url":"https?:\/\/[^/]+([^"]+)"/
const OTP = /"otp":"(\d+)"/

/**
 * A service whose connectors lack what protects where an operator does not recognise a submission that comes again: searches find nothing until
 * it was sent twice, customers have the pages of lost replies, QR codes are not for a single use, and a lost reply is answered with another
 * call. It shows that the run would find it.
 */
export class MissingProtections {
  /** How often each reference was submitted. */
  #submissions = new Map<string, number>()

  spoil(passing: Passing): Passing {
    const reference = unrecognisedReference(passing)
    if (reference !== undefined) return { ...passing, carryOut: (instead) => this.#submit(passing, reference, instead) }
    for (const [pattern, empty] of EMPTY_SEARCHES) {
      const [, searched] = pattern.exec(passing.url) ?? []
      if (searched !== undefined && this.#submissions.get(decodeURIComponent(searched)) === 1)
        return { ...passing, carryOut: async () => answerWith(empty) }
    }
    return passing
  }

  async #submit(passing: Passing, reference: string, instead: Parameters<Passing['carryOut']>[0]): Promise<Answer> {
    const { url, carryOut } = passing
    this.#submissions.set(reference, (this.#submissions.get(reference) ?? 0) + 1)
    const text = (instead?.body ?? passing.body).toString()
    const body = Buffer.from(text.replace('"isSingleUse":true', '"isSingleUse":false'))
    const answer = await carryOut({ ...instead, body })
    const [, page] = PAGE.exec(answer.body.toString()) ?? []
    if (page !== undefined) await carryOut({ url: page })
    const [, msisdn, amount, code] = COMMAND.exec(text) ?? []
    if (code === undefined) return answer
    const dialled = await carryOut({ url: `${url.replace(/payment$/, 'ussd')}?msisdn=${msisdn}&amount=${amount}` })
    const [, another = ''] = OTP.exec(dialled.body.toString()) ?? []
    return carryOut({ body: Buffer.from(text.replace(`<otp>${code}<`, `<otp>${another}<`)) })
  }
}

function answerWith(body: object): Answer {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(body)) }
}

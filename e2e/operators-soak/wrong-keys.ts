import { randomBytes, randomUUID } from 'node:crypto'
import { signatureHeaders } from '#server/operators/airtel/airtel-client.ts'
import type { Answer, Passing } from './fault-proxy.ts'
import { queriedReference, submittedReference } from './submissions.ts'

type Instead = Parameters<Passing['carryOut']>[0]
/** Returns a key that this submission never had. */
type NewKey = (passing: Passing) => Promise<string>

const INIT = /"payToken":"([^"]+)"/
const PUBLIC_KEY = /"key":"([^"]+)"/

/** The key by which each operator recognises a submission, in the form that it takes. */
const NEW_KEYS: readonly (readonly [url: RegExp, newKey: NewKey])[] = [
  [/^\/(mtn|moov|v1)\//, async () => randomUUID()],
  [/^\/airtel\//, async () => randomBytes(32).toString('hex')],
  // Nobody else can make a payToken.
  [
    /^\/orange-cm\//,
    async ({ url, carryOut }) => fieldIn(await carryOut({ url: url.replace(/pay$/, 'init'), body: Buffer.alloc(0) }), INIT),
  ],
]

/**
 * A service whose connectors have a fault that pays twice: every attempt has a new key, and queries ask for the latest one. It shows that the
 * run would find it. `submissions.ts` says where each protocol has its key; Wave's is a header beside the reference.
 */
export class WrongKeys {
  #latest = new Map<string, string>()

  /** The same request, with a wrong key if it moves money by one. */
  spoil(passing: Passing): Passing {
    const key = submittedReference(passing)
    if (key !== undefined) return { ...passing, carryOut: (instead) => this.#submit(passing, key, instead) }
    const asked = queriedReference(passing)
    return asked === undefined ? passing : { ...passing, carryOut: (instead) => this.#query(passing, asked, instead) }
  }

  async #submit(passing: Passing, key: string, instead: Instead): Promise<Answer> {
    const { url, headers } = passing
    if (url.startsWith('/wave/')) return passing.carryOut({ ...instead, headers: { ...headers, 'idempotency-key': randomUUID() } })
    const newKey = NEW_KEYS.find(([pattern]) => pattern.test(url))?.[1]
    if (!newKey) throw new Error(`It is not known which key ${url} takes`)
    const latest = await newKey(passing)
    this.#latest.set(key, latest)
    const body = replaced(instead?.body ?? passing.body, key, latest)
    const answer = await passing.carryOut({ body, headers: await headersWith(passing, latest, body) })
    return { ...answer, body: replaced(answer.body, latest, key) }
  }

  async #query(passing: Passing, key: string, instead: Instead): Promise<Answer> {
    const latest = this.#latest.get(key)
    if (latest === undefined) return passing.carryOut(instead)
    const { url, body } = { ...passing, ...instead }
    const answer = await passing.carryOut({ url: url.replace(key, latest), body: replaced(body, key, latest) })
    return { ...answer, body: replaced(answer.body, latest, key) }
  }
}

/** Airtel signs the body, so a connector that has changed it signs it again. */
async function headersWith({ url, headers, carryOut }: Passing, key: string, body: Buffer): Promise<Record<string, string>> {
  if (url.startsWith('/mtn/')) return { ...headers, 'x-reference-id': key }
  if (headers['x-signature'] === undefined) return headers
  const publicKey = fieldIn(await carryOut({ url: '/airtel/v1/rsa/encryption-keys' }), PUBLIC_KEY)
  return { ...headers, ...signatureHeaders(publicKey, 'pkcs1', body.toString()) }
}

function replaced(body: Buffer, from: string, to: string): Buffer {
  return Buffer.from(body.toString().replaceAll(from, to))
}

function fieldIn({ body }: Answer, field: RegExp): string {
  const found = field.exec(body.toString())?.[1]
  if (found === undefined) throw new Error(`The operator's answer has no ${field}`)
  return found
}

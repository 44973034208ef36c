import { randomUUID } from 'node:crypto'
import type { Passing } from './fault-proxy.ts'

/**
 * A service whose connectors have a fault that pays twice: every attempt has a new key, an `Idempotency-Key` at Wave and an
 * `X-Reference-Id` at MTN, whose queries ask for the latest one. It shows that the run would find it.
 */
export class WrongKeys {
  #latest = new Map<string, string>()

  /** The same request, with a wrong key if it moves money by one. */
  spoil(passing: Passing): Passing {
    const { method, url, headers, carryOut } = passing
    if (method === 'POST' && url === '/wave/v1/payout')
      return { ...passing, carryOut: (instead) => carryOut({ ...instead, headers: { ...headers, 'idempotency-key': randomUUID() } }) }
    if (!/^\/mtn\/\w+\/v1_0\/(requesttopay|transfer|deposit)\b/.test(url)) return passing
    const reference = headers['x-reference-id'] ?? ''
    if (method === 'POST')
      return {
        ...passing,
        carryOut: (instead) => {
          const key = randomUUID()
          this.#latest.set(reference, key)
          return carryOut({ ...instead, headers: { ...headers, 'x-reference-id': key } })
        },
      }
    const asked = url.slice(url.lastIndexOf('/') + 1)
    const latest = this.#latest.get(asked)
    return latest === undefined ? passing : { ...passing, carryOut: (instead) => carryOut({ url: url.replace(asked, latest), ...instead }) }
  }
}

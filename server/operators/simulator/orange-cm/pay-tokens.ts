import { createHash, randomInt } from 'node:crypto'

export type OrangeResource = 'mp' | 'cashin'

/** Longer than the seven minutes that were seen. */
const LIFE_SECONDS = 900

/**
 * Makes and checks payTokens: `MP`, the date, and twenty characters. They contain their time and a check of all of it, so that a simulator
 * that was killed knows the ones that it made before, also with another secret.
 */
export class PayTokens {
  #count = randomInt(0x10000)

  make(resource: OrangeResource, now: Date): string {
    const seconds = Math.floor(now.getTime() / 1_000)
    const date = now.toISOString().slice(2, 10).replaceAll('-', '')
    this.#count = (this.#count + 1) % 0x10000
    const body = hexOf(seconds, 8) + hexOf(this.#count, 4)
    return `MP${date}${body}${checkOf(resource, body)}`
  }

  /** `unknown` also for the payToken of another resource. */
  stateOf(resource: OrangeResource, payToken: string, now: Date): 'alive' | 'expired' | 'unknown' {
    const [, body = '', check = ''] = /^MP\d{6}([0-9A-F]{12})([0-9A-F]{8})$/.exec(payToken) ?? []
    if (check === '' || check !== checkOf(resource, body)) return 'unknown'
    const age = now.getTime() / 1_000 - Number.parseInt(body.slice(0, 8), 16)
    return age <= LIFE_SECONDS ? 'alive' : 'expired'
  }
}

function checkOf(resource: OrangeResource, body: string): string {
  return createHash('sha256').update(`${resource} ${body}`).digest('hex').slice(0, 8).toUpperCase()
}

function hexOf(value: number, length: number): string {
  return value.toString(16).padStart(length, '0').toUpperCase()
}

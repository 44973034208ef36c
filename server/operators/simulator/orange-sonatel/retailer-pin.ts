import { isSame } from '#server/operators/simulator/is-same.ts'
import { SealingKeys } from '#server/operators/simulator/sealing-keys.ts'
import { PROBLEMS, type Problem } from './sonatel-messages.ts'

/** After this many wrong PINs the account is blocked. */
const TRIES = 3

/** The retailer's PIN, which travels encrypted, and what Sonatel does about wrong ones. */
export class RetailerPin {
  readonly keys = new SealingKeys()
  readonly #pin: string
  #wrong = 0

  constructor(pin: string) {
    this.#pin = pin
  }

  /** Undefined if the PIN is right. */
  async refusalOf(sealed: unknown): Promise<Problem | undefined> {
    const pin = typeof sealed === 'string' ? await this.keys.decrypt(sealed) : undefined
    if (pin === undefined) return PROBLEMS.keyRevoked
    if (this.#wrong >= TRIES) return { status: 403, code: '2013', detail: 'Account blocked' }
    if (isSame(pin, this.#pin)) {
      this.#wrong = 0
      return undefined
    }
    this.#wrong++
    const [code, detail] = [undefined, ['2011', '2 tries left'], ['2012', '1 try left'], ['2013', 'Account blocked']][this.#wrong] ?? []
    return { status: 401, code: code ?? '2013', detail: `Wrong PIN, ${detail}` }
  }
}

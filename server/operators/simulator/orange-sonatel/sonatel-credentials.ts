import { createHash, randomInt } from 'node:crypto'
import { isSame } from '../http.ts'
import { SealingKeys } from '../sealing-keys.ts'
import { PROBLEMS, type Problem } from './sonatel-messages.ts'

type SonatelAccount = {
  clientId: string
  clientSecret: string
  merchantCode: string
  channelMsisdn: string
  pin: string
  /** Of the callbacks. */
  signingSecret: string
}

/** The application, the merchant and the retailer of Orange in Senegal; derived from the simulator's secret. */
export function sonatelAccountOf(secret: string): SonatelAccount {
  const hex = (name: string) => createHash('sha256').update(`${secret} orange-sonatel ${name}`).digest('hex')
  return {
    clientId: hex('client').slice(0, 32),
    clientSecret: hex('secret').slice(0, 32),
    merchantCode: '397666',
    channelMsisdn: '771000001',
    signingSecret: hex('signing'),
    pin: String(Number.parseInt(hex('pin').slice(0, 8), 16) % 10_000).padStart(4, '0'),
  }
}

/** The codes that customers got by dialling; lost with the process. Each is good for one payment. */
export class OneTimeCodes {
  #numbers = new Map<string, string>()

  make(msisdn: string): string {
    const otp = String(randomInt(100_000, 1_000_000))
    this.#numbers.set(otp, msisdn)
    return otp
  }

  isFor(otp: unknown, msisdn: string): boolean {
    return typeof otp === 'string' && this.#numbers.get(otp) === msisdn
  }

  spend(otp: unknown): void {
    this.#numbers.delete(String(otp))
  }
}

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

import { randomInt } from 'node:crypto'

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

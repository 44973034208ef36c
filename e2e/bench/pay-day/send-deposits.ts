import { randomUUID } from 'node:crypto'
import { Agent, request } from 'undici'
import type { Partner } from '#e2e/bench/environment/partners.ts'
import type { Deposit } from './plan.ts'

/** Connections on which single deposits are sent. */
const CONNECTIONS = 8

/** The programs of partners: every request must be accepted, so that nothing is sent twice. */
export class Programs {
  readonly #baseUrl: string
  readonly #webhookUrl: string
  readonly #agent = new Agent({ connections: 2 * CONNECTIONS, keepAliveTimeout: 60_000 })

  /** `webhookUrl`: where results go. */
  constructor(baseUrl: string, webhookUrl: string) {
    this.#baseUrl = baseUrl
    this.#webhookUrl = webhookUrl
  }

  /** Sends batches, one after the other. */
  async sendBatches(partner: Partner, batches: readonly Deposit[][]): Promise<void> {
    for (const deposits of batches)
      await this.#post(partner, '/api/v2/batches', { name: 'Salaries', webhookUrl: this.#webhookUrl, deposits }, randomUUID())
  }

  /** Sends lists, one after the other. */
  async sendLists(partner: Partner, lists: readonly Deposit[][]): Promise<void> {
    for (const deposits of lists) await this.#post(partner, '/api/v1/transaction/depositMultiple', deposits.map(this.#withAddress))
  }

  /** Sends each deposit in a request of its own, on several connections. */
  async sendAlone(partner: Partner, deposits: readonly Deposit[]): Promise<void> {
    let next = 0
    const work = async () => {
      for (let deposit = deposits[next++]; deposit; deposit = deposits[next++])
        await this.#post(partner, '/api/v1/transaction/deposit', this.#withAddress(deposit))
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, work))
  }

  close(): Promise<void> {
    return this.#agent.close()
  }

  readonly #withAddress = (deposit: Deposit) => ({ ...deposit, webhookUrl: this.#webhookUrl })

  async #post({ apiKey, apiId, accessToken }: Partner, path: string, body: unknown, key?: string): Promise<void> {
    const answer = await request(this.#baseUrl + path, {
      dispatcher: this.#agent,
      method: 'POST',
      headers: {
        apikey: apiKey,
        apiid: apiId,
        authorization: `Bearer ${accessToken}`,
        'content-type': 'application/json',
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      body: JSON.stringify(body),
    })
    const text = await answer.body.text()
    if (answer.statusCode !== 200) throw new Error(`${path} was answered ${answer.statusCode}: ${text.slice(0, 300)}`)
  }
}

import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { FLOAT_MESSAGE } from '#lib/payments/transactions/transaction-status.ts'
import type { Pool } from '#server/database/pool.ts'
import { lowestBalance } from '#server/operators/testing/simulated-wallets.ts'
import type { Sandbox } from '#server/testing/service/start-sandbox.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { judge, type Verdict } from './judge.ts'
import type { OwnTransfers } from './own-transfers.ts'

/** Operators with an account of its own for deposits, so that no collect fills it. */
const OPERATORS = ['MOMOCM', 'BJMTN'] as const satisfies readonly OperatorCode[]
const TOP_UP_EVERY_MS = 1_500
/** Balances are read at the start of the service, and every minute where deposits wait. */
const LIMIT_MS = 150_000

/** In units of the currency: what the account holds at first, what comes now and then, and what comes in the end. */
type Amounts = { first: number; topUp: number; last: number }

/**
 * Wallets that are nearly empty while everything else happens: deposits wait for float, a little comes now and then by own transfers, and in the
 * end there is enough. The service must never send what a wallet does not cover.
 */
export class DryWallets {
  readonly #service: Sandbox
  readonly #amounts: Amounts
  readonly #transfers: OwnTransfers
  #waited = 0
  #emptiedAtMs = 0

  constructor(service: Sandbox, transfers: OwnTransfers, amounts: Amounts) {
    this.#service = service
    this.#transfers = transfers
    this.#amounts = amounts
  }

  /** Takes the money away. The next balances that the service reads are small: have it read them, and then await `untilKnown`. */
  async empty(): Promise<void> {
    for (const operator of OPERATORS) {
      const balance = await this.#transfers.move(operator, 0)
      await this.#transfers.move(operator, this.#amounts.first - balance)
    }
    this.#emptiedAtMs = Date.now()
  }

  async untilKnown(): Promise<void> {
    await waitUntil('the service knows how little the wallets hold', () => this.#isKnown().catch(() => false), {
      limitMs: LIMIT_MS,
    })
  }

  /** Tops up now and then where deposits wait, until `isEnding`. */
  async keepLow(isEnding: () => boolean): Promise<void> {
    for (let turn = 0; !isEnding(); turn++) {
      await delay(TOP_UP_EVERY_MS)
      // Both may be down for the moment.
      const waiting = await this.#read(WAITING).catch(() => 0)
      this.#waited += waiting
      if (waiting > 0)
        await this.#transfers.move(OPERATORS[turn % OPERATORS.length] ?? 'MOMOCM', this.#amounts.topUp).catch(() => undefined)
    }
  }

  /** Resolves once deposits have waited, which takes longer the slower the machine is. Only while `keepLow` runs, and the load with it. */
  async untilShort(): Promise<void> {
    await waitUntil('deposits wait for float', () => this.#waited > 0, { limitMs: LIMIT_MS })
  }

  /** Brings enough for all. */
  async fill(): Promise<void> {
    for (const operator of OPERATORS) {
      const fill = () => this.#transfers.move(operator, this.#amounts.last).catch(() => undefined)
      await waitUntil('the simulator takes a top-up', fill, { limitMs: LIMIT_MS })
    }
  }

  /** To be called after everything has ended. */
  async judge(pool: Pool): Promise<Verdict[]> {
    const books = path.join(this.#service.folder, 'simulator')
    const { rows } = await pool.query<{ transaction_id: string }>('select transaction_id from transactions where message = $1', [
      FLOAT_MESSAGE,
    ])
    return [
      judge(
        'deposits waited while a wallet was short, and none failed for that',
        rows,
        ({ transaction_id }) => `${transaction_id} failed`,
        this.#waited === 0 ? ['no wallet was ever short, so nothing was tested'] : [],
      ),
      judge('no wallet paid more than it held', OPERATORS, (operator) => {
        const lowest = lowestBalance(books, operator, this.#emptiedAtMs)
        return lowest < 0 ? `${operator} fell to ${lowest}` : undefined
      }),
      await this.#transfers.judge(pool),
    ]
  }

  async #isKnown(): Promise<boolean> {
    return (await this.#read(KNOWN, [this.#amounts.first * 100])) === OPERATORS.length
  }

  #read(text: string, values: unknown[] = []): Promise<number> {
    return this.#service.withDatabase(async (pool) => {
      const { rows } = await pool.query<{ count: number }>(text, [[...OPERATORS], ...values])
      return rows[0]?.count ?? 0
    })
  }
}

const KNOWN = 'select count(*)::int as count from operator_floats where operator = any ($1) and reported_minor <= $2'
const WAITING = 'select count(*)::int as count from operator_floats where operator = any ($1) and waits_since is not null'

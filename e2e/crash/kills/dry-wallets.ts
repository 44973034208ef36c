import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { request } from 'undici'
import { z } from 'zod'
import type { OperatorCode } from '#lib/operators/operators.ts'
import { FLOAT_MESSAGE } from '#lib/payments/transaction-status.ts'
import type { Pool } from '#server/database/pool.ts'
import type { BookLine } from '#server/operators/simulator/books.ts'
import { listProcesses } from '#server/testing/service/processes.ts'
import type { Sandbox } from '#server/testing/service/start-sandbox.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { judge, type Verdict } from '../judge.ts'

/** Operators with an account of its own for deposits, so that no collect fills it. */
const OPERATORS = ['MOMOCM', 'BJMTN'] as const satisfies readonly OperatorCode[]
/** A deposit of the load is at most 5,000: a few seconds of it take the first amount, and each top-up covers a part of what waits then. */
const FIRST_AMOUNT = 30_000
const TOP_UP_AMOUNT = 15_000
const TOP_UP_EVERY_MS = 1_500
const LAST_AMOUNT = 1_000_000_000
/** Balances are read at the start of the service, and every minute where deposits wait. */
const LIMIT_MS = 150_000

/**
 * Wallets that are nearly empty while everything else happens: deposits wait for float, a little comes now and then, and in the end there
 * is enough. The service must never send what a wallet does not cover, whatever is killed.
 */
export class DryWallets {
  readonly #service: Sandbox
  #waited = 0

  constructor(service: Sandbox) {
    this.#service = service
  }

  /** Takes the money away. The next balances that the service reads are small: the caller restarts it and then awaits `untilKnown`. */
  async empty(): Promise<void> {
    for (const operator of OPERATORS) {
      const balance = await this.#fund(operator, 0)
      await this.#fund(operator, FIRST_AMOUNT - balance)
    }
  }

  async untilKnown(): Promise<void> {
    await waitUntil('the service knows how little the wallets hold', () => this.#isKnown().catch(() => false), {
      limitMs: LIMIT_MS,
    })
  }

  /** Tops up now and then, until the plan of kills has been carried out. */
  async keepLow(isEnding: () => boolean): Promise<void> {
    for (let turn = 0; !isEnding(); turn++) {
      await delay(TOP_UP_EVERY_MS)
      // Both may be down for the moment.
      const waiting = await this.#read(WAITING).catch(() => 0)
      this.#waited += waiting
      if (waiting > 0) await this.#fund(OPERATORS[turn % OPERATORS.length] ?? 'MOMOCM', TOP_UP_AMOUNT).catch(() => undefined)
    }
  }

  /** Brings enough for all. */
  async fill(): Promise<void> {
    for (const operator of OPERATORS) {
      await waitUntil('the simulator takes a top-up', () => this.#fund(operator, LAST_AMOUNT).catch(() => undefined), { limitMs: LIMIT_MS })
    }
  }

  /** To be called after everything has ended. */
  async judge(pool: Pool): Promise<Verdict[]> {
    const lines = readLines(this.#service.folder)
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
        const lowest = lowestBalance(lines, operator)
        return lowest < 0 ? `${operator} fell to ${lowest}` : undefined
      }),
    ]
  }

  async #isKnown(): Promise<boolean> {
    return (await this.#read(KNOWN, [FIRST_AMOUNT * 100])) === OPERATORS.length
  }

  /** Returns the balance after the movement. Throws while the simulator is away. */
  async #fund(operator: OperatorCode, amount: number): Promise<number> {
    const pid = this.#service.simulatorPid()
    const command = listProcesses().find((one) => one.pid === pid)?.command ?? ''
    const port = /--port (\d+)/.exec(command)?.[1]
    const answer = await request(`http://127.0.0.1:${port}/funding`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secretOf(pid)}`, 'content-type': 'application/json' },
      body: JSON.stringify({ operator, account: 'deposit', amount }),
    })
    return fundedSchema.parse(await answer.body.json()).balance
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

const fundedSchema = z.object({ balance: z.number() })

/** The secret that the service shares with its simulator is in no file; the environment of the process has it. */
function secretOf(pid: number | undefined): string {
  const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  return variables.find((variable) => variable.startsWith('SIMULATOR_SECRET='))?.slice('SIMULATOR_SECRET='.length) ?? ''
}

function readLines(folder: string): BookLine[] {
  const text = readFileSync(path.join(folder, 'simulator', 'books.jsonl'), 'utf8')
  // The last line may be half written when the simulator was killed; nobody was told about it. The file is the simulator's own.
  return text.split('\n').flatMap((line) => (line.endsWith('}') ? (JSON.parse(line) as BookLine) : []))
}

/** The least that the account for deposits held since it was emptied, in units of the currency. */
function lowestBalance(lines: readonly BookLine[], operator: OperatorCode): number {
  const amounts = new Map<string, number>()
  let balance = Number.NaN
  let lowest = Number.POSITIVE_INFINITY
  for (const line of lines) {
    if (line.what === 'accepted' && line.operator === operator && line.request.direction === 'DEPOSIT')
      amounts.set(line.request.reference, -Number(line.request.amount))
    if (line.what === 'moved' && line.operator === operator && line.account === 'deposit') {
      const amount = Number(line.amount)
      balance = line.kind === 'funding' && amount < 0 ? FIRST_AMOUNT : balance + amount
    }
    if (line.what === 'executed') balance += amounts.get(line.reference) ?? 0
    if (line.what === 'refunded' && amounts.has(line.reference)) balance += Number(line.refund.amount)
    if (balance < lowest) lowest = balance
  }
  return lowest
}

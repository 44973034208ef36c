import { judge, type Verdict } from '#e2e/crash/judge.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { Pool } from '#server/database/pool.ts'
import type { OperatorSettings } from '#server/operators/settings/operator-settings.ts'
import type { BookEntry } from '#server/operators/simulator/books.ts'
import { readBooks } from '#server/operators/testing/compare-books.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import type { Sent } from './load.ts'
import { setOperators } from './pass-through.ts'

/** Where customers of one operator pay in two ways, of which its settings choose one. */
const OPERATOR = 'SNOM'
/** Longer than the slowest customer takes. */
const QR_VALIDITY_S = 80
/** By this much the operator's end of a code may be later than ours: its request may have arrived late. */
const LATER_S = 15
/** The time after the end of a code within which a payment of it may still be reported. */
const DAY_S = 86_400
const LIMIT_MS = 1_200_000

type QrOptions = { pool: Pool; settings: readonly OperatorSettings[]; dataFolder: string }

/**
 * Has Orange in Senegal collect by QR code from some moment on, as an administrator would: no collect is sent to it while one waits for a
 * code of its customer, because nobody would be asked for that code afterwards.
 */
export class QrCodes {
  readonly #options: QrOptions
  #turning: Promise<void> | undefined

  constructor(options: QrOptions) {
    this.#options = options
  }

  /** To be awaited before a transaction is sent. */
  async beforeSending(operator: OperatorCode, type: TransactionType): Promise<void> {
    if (operator === OPERATOR && type === 'COLLECT') await this.#turning
  }

  turn(): Promise<void> {
    this.#turning ??= this.#turn()
    return this.#turning
  }

  async #turn(): Promise<void> {
    const { pool, settings, dataFolder } = this.#options
    await waitUntil('no collect of Orange in Senegal waits for a code', () => isWithoutCodes(pool), { limitMs: LIMIT_MS, pauseMs: 250 })
    const own = settings.filter(({ operator }) => operator === OPERATOR).map(byQrCode)
    await setOperators(own, dataFolder)
  }
}

/** The same settings, with which customers pay by QR code. */
function byQrCode({ document, ...operator }: OperatorSettings): OperatorSettings {
  return { ...operator, document: { ...document, collectBy: 'qr', qrValidityS: QR_VALIDITY_S } }
}

async function isWithoutCodes(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query(
    `select 1 from operator_work w join transactions t using (application_id, transaction_id)
       where t.operator = $1 and t.type = 'COLLECT' and w.state in ('queued', 'awaiting_code', 'submitting') limit 1`,
    [OPERATOR],
  )
  return rows.length === 0
}

/**
 * Takes the day off the codes whose validity ended some time ago: nobody pays with one any more, and the service waits for a payment that was
 * started at the last moment. `aheadS`: also off those that end within this time.
 */
export async function endQrCodes(pool: Pool, aheadS = -LATER_S): Promise<void> {
  await pool.query(
    `update operator_work w set operator_reference = (split_part(w.operator_reference, '.', 1)::bigint - $2 - greatest($3, 0)) || substr(w.operator_reference, 11)
       from transactions t
       where t.application_id = w.application_id and t.transaction_id = w.transaction_id and t.operator = $1 and t.type = 'COLLECT'
         and not w.is_claimed and w.operator_reference ~ '^[0-9]{10}[.]'
         and split_part(w.operator_reference, '.', 1)::bigint between extract(epoch from clock_timestamp()) - $2 and extract(epoch from clock_timestamp()) + $3`,
    [OPERATOR, DAY_S, aheadS],
  )
}

/** `names`: of the applications, by the place of their partner. */
export async function judgeQrCodes(simulatorUrl: string, sent: readonly Sent[], names: readonly string[]): Promise<Verdict[]> {
  const books = await readBooks(simulatorUrl)
  const collects = sent.filter(({ operator, type }) => operator === OPERATOR && type === 'COLLECT')
  const entries = collects.flatMap(({ transactionId }) => books.get(transactionId) ?? [])
  const isPaid = (entry: BookEntry, isByQr: boolean) => entry.timesExecuted === 1 && isQr(entry) === isByQr
  return [
    judge('customers of Orange in Senegal paid with a code, and by QR code', [false, true], (isByQr) =>
      entries.some((entry) => isPaid(entry, isByQr)) ? undefined : `nobody paid ${isByQr ? 'by QR code' : 'with a code'}`,
    ),
    judge('each QR code shows the name of its application', collects, ({ transactionId, partner }) => {
      const entry = books.get(transactionId)
      return !entry || !isQr(entry) || entry.details?.['name'] === names[partner]
        ? undefined
        : `${transactionId} shows ${entry.details?.['name']} for ${names[partner]}`
    }),
  ]
}

function isQr({ details }: BookEntry): boolean {
  return details?.['qrId'] !== undefined
}

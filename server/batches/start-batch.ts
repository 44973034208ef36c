import { createHash, randomUUIDv7 } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { computeFees } from '#lib/money/fees.ts'
import { formatMinor } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { completeTexts, type PaymentTexts } from '#lib/payments/payment-fields.ts'
import { phoneNumberForms } from '#lib/payments/phone-number.ts'
import { err, type Result } from '#lib/result.ts'
import type { BatchDeposit } from '#lib/schemas/api/batch-request.ts'
import { type ApplicationSnapshot, feesFor } from '#server/applications/snapshot.ts'
import { done, runRecorded } from '#server/audit/run-command.ts'
import type { Pool } from '#server/database/pool.ts'
import { toTextColumns } from '#server/transactions/payment-text-columns.ts'
import { findByKey, insertBatch, recountBatch, updateState } from './batch-store.ts'
import { CHECK_PART } from './rows/check-rows.ts'
import { insertRows, type NewRow } from './rows/row-store.ts'
import { cellsOf, PAYMENT_LAYOUT } from './store-draft.ts'

type StartBatch = {
  application: ApplicationSnapshot
  apiUserId: string
  /** The program's own name of the batch. */
  key: string
  name: string
  /** Undefined: the application's default address. */
  webhookUrl: string | undefined
  /** Validated by `lib/schemas/api/batch-request.ts`. */
  deposits: readonly BatchDeposit[]
}

export type StartBatchFailure =
  /** The program made another batch with this key. */
  | 'key_reused'
  /** Neither the request nor the application has an address for the results. */
  | 'webhook_url_missing'

/**
 * A program makes a batch of deposits, which is submitted at once: each row is started by the submitter like that of a file, under the approval
 * rules for programs, and a row that cannot be started is refused alone. The same request again returns the batch that it made, however
 * many arrive together: the key is unique in the database. `wakeSubmitter` starts the rows immediately in this process.
 */
export async function startBatch(
  deps: { pool: Pool; wakeSubmitter(): void },
  command: StartBatch,
): Promise<Result<{ batchId: string; isRepeated: boolean }, StartBatchFailure>> {
  const { application, apiUserId, key, name, deposits } = command
  const { applicationId } = application
  const digest = digestOf(command)
  const webhookUrl = command.webhookUrl ?? application.defaultWebhookUrl
  if (webhookUrl === null) return err('webhook_url_missing')
  type Started = { batchId: string; isRepeated: boolean }
  const by = { applicationId, actor: { kind: 'api', id: apiUserId } } as const
  const started = await runRecorded<Started, StartBatchFailure>(deps.pool, by, async (trx) => {
    const place = { applicationId, batchId: randomUUIDv7() }
    const isNew = await insertBatch(trx, {
      ...place,
      ...PAYMENT_LAYOUT,
      name,
      type: 'DEPOSIT',
      madeBy: { apiUserId, key, webhookUrl },
      fileName: name,
      fileSha256: digest,
      state: 'draft',
      rowCount: deposits.length,
    })
    if (!isNew) {
      const existing = await findByKey(trx, applicationId, key)
      if (!existing) throw new Error('A batch with this key exists and is not found')
      return existing.digest.equals(digest) ? done(null, { batchId: existing.batchId, isRepeated: true }) : err('key_reused')
    }
    for (let start = 0; start < deposits.length; start += CHECK_PART) {
      const part = deposits.slice(start, start + CHECK_PART)
      await insertRows(
        trx,
        place,
        part.map((deposit, index) => toRow(application, deposit, start + index)),
      )
      await nextTurn()
    }
    await recountBatch(trx, applicationId, place.batchId, null)
    await updateState(trx, { ...place, state: 'submitting' })
    const details = { name, rows: deposits.length, contentHash: digest.toString('hex') }
    return done({ action: 'batch.submitted', subject: place.batchId, details }, { batchId: place.batchId, isRepeated: false })
  })
  if (started.ok && !started.value.isRepeated) deps.wakeSubmitter()
  return started
}

/** Of everything that the program chose, so that another request with the key is recognised; the application's default address may change. */
function digestOf({ name, webhookUrl, deposits }: StartBatch): Buffer {
  const rows = deposits.map((deposit) => [
    deposit.externalId,
    deposit.transferMethod,
    deposit.phoneNumber,
    String(deposit.amount),
    completeTexts(deposit),
  ])
  return createHash('sha256')
    .update(JSON.stringify([name, webhookUrl ?? null, rows]))
    .digest()
}

/** Rows are numbered from 1. Nothing is a problem here: what the API accepts may be started, and otherwise is refused when it is. */
function toRow(application: ApplicationSnapshot, deposit: BatchDeposit, index: number): NewRow {
  const { transferMethod: operator, phoneNumber, amount, externalId } = deposit
  const texts: PaymentTexts = completeTexts(deposit)
  const fees = computeFees(amount, OPERATORS[operator].country.currency, feesFor(application, operator, 'DEPOSIT'))
  return {
    row_number: index + 1,
    operator,
    phone_number: phoneNumber,
    phone_forms: phoneNumberForms(phoneNumber),
    ...toTextColumns(texts),
    amount_minor: amount,
    fee_minor: fees.feeSystemMinor + fees.feeAppMinor,
    problems: [],
    repairs: [],
    notes: [],
    cells: cellsOf({ ...texts, phoneNumber, amount: formatMinor(amount), operator }),
    edits: {},
    external_id: externalId,
  }
}

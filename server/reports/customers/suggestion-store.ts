import type { AdjustmentKind } from '#lib/finance/finance-dto.ts'
import type { Currency } from '#lib/money/money.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionStatus, TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { Queryable } from '#server/database/pool.ts'
import { ADJUSTMENTS } from '#server/ledger/ledger-store.ts'

export type SuggestedRow = {
  transactionId: string
  externalId: string
  customerName: string
  phoneNumber: string
  type: TransactionType
  status: TransactionStatus
  adjustments: AdjustmentKind[]
  operator: OperatorCode
  amountMinor: bigint
  currency: Currency
  createdAt: Date
}

const COLUMNS = `t.transaction_id as "transactionId", t.external_id as "externalId", t.customer_name as "customerName",
  t.phone_number as "phoneNumber", t.type, t.status, t.operator, t.amount_minor as "amountMinor", t.currency, t.created_at as "createdAt",
  ${ADJUSTMENTS} as adjustments`

/** Transactions whose id or external id lies between two UUIDs, both included. */
export async function selectByIdRange(
  queryable: Queryable,
  applicationId: string,
  { low, high }: { low: string; high: string },
  countMax: number,
): Promise<SuggestedRow[]> {
  const { rows } = await queryable.query<SuggestedRow>(
    `(select ${COLUMNS} from transactions t where t.application_id = $1 and t.transaction_id between $2 and $3
       order by t.transaction_id limit $4)
     union (select ${COLUMNS} from transactions t where t.application_id = $1 and t.external_id between $2 and $3
       order by t.external_id limit $4)
     limit $4`,
    [applicationId, low, high, countMax],
  )
  return rows
}

/** Transactions with exactly this pay token, ours or the operator's. */
export async function selectByToken(queryable: Queryable, applicationId: string, token: string, countMax: number): Promise<SuggestedRow[]> {
  const { rows } = await queryable.query<SuggestedRow>(
    `(select ${COLUMNS} from transactions t where t.application_id = $1 and t.pay_token = $2 limit $3)
     union (select ${COLUMNS} from operator_tokens o join transactions t on t.application_id = o.application_id and t.transaction_id = o.transaction_id
              where o.application_id = $1 and o.operator_token = $2 limit $3)
     limit $3`,
    [applicationId, token, countMax],
  )
  return rows
}

/** The batches whose id lies between two UUIDs. */
export async function selectBatches(
  queryable: Queryable,
  applicationId: string,
  { low, high }: { low: string; high: string },
  countMax: number,
): Promise<string[]> {
  const { rows } = await queryable.query<{ batchId: string }>(
    // A batch has up to thousands of rows: each step skips to the next batch.
    `with recursive batch (id) as (
       (select t.batch_id from transactions t where t.application_id = $1 and t.batch_id between $2 and $3 order by t.batch_id limit 1)
       union all
       select (select t.batch_id from transactions t where t.application_id = $1 and t.batch_id > batch.id and t.batch_id <= $3
                order by t.batch_id limit 1)
         from batch where batch.id is not null
     )
     select id as "batchId" from batch where id is not null limit $4`,
    [applicationId, low, high, countMax],
  )
  return rows.map(({ batchId }) => batchId)
}

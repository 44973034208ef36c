import type { Currency } from '#lib/money.ts'
import type { OperatorCode } from '#lib/operators.ts'
import type { TransactionType } from '#lib/transaction-status.ts'
import type { Queryable } from '#server/database/pool.ts'

type SuccessRow = { phoneNumber: string; amountMinor: bigint; currency: Currency; operator: OperatorCode; at: Date }

/** How many of the newest transactions of a number are looked through. */
const LOOKED_MAX = 200

/** The latest success of this type with each of these numbers. Numbers without one are missing. */
export async function selectLastSuccesses(
  queryable: Queryable,
  applicationId: string,
  type: TransactionType,
  phoneNumbers: readonly string[],
): Promise<SuccessRow[]> {
  if (phoneNumbers.length === 0) return []
  const { rows } = await queryable.query<SuccessRow>({
    name: 'select_last_successes',
    text: `select p.phone_number as "phoneNumber", t.amount_minor as "amountMinor", t.currency, t.operator, t.created_at as at
      from unnest($2::text[]) as p (phone_number)
        cross join lateral (
          select l.* from (select n.* from transactions n where n.application_id = $1 and n.phone_number = p.phone_number
                           order by n.sequence desc limit ${LOOKED_MAX}) l
            where l.type = $3 and l.status = 'SUCCESS' order by l.sequence desc limit 1) t`,
    values: [applicationId, phoneNumbers, type],
  })
  return rows
}

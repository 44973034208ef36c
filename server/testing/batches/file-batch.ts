import { randomUUID } from 'node:crypto'
import type { Pool } from '#server/database/pool.ts'
import { aBand, anIntakeItem } from '#server/testing/factories.ts'
import { type IntakeItem, takeIn } from '#server/transactions/intake.ts'

const PART = 1_000

/** The rows of one file, waiting for a checker, and its batch as the pages know it. `change` returns the fields in which a row differs. */
export async function makeFileBatch(
  pool: Pool,
  options: {
    applicationId: string
    makerId: string
    count: number
    change?: (index: number) => Partial<IntakeItem>
    state?: 'submitting' | 'submitted'
  },
): Promise<{ batchId: string; items: IntakeItem[] }> {
  const { applicationId, makerId, count, change, state = 'submitted' } = options
  const batchId = randomUUID()
  const items = Array.from({ length: count }, (_, index) =>
    anIntakeItem(applicationId, {
      source: 'file',
      makerId,
      batchId,
      customerName: `Payee ${index}`,
      phoneNumber: `23767${String(index).padStart(7, '0')}`,
      bands: [aBand()],
      actor: { kind: 'person', id: makerId },
      ...change?.(index),
    }),
  )
  await pool.query(
    `insert into batches (application_id, batch_id, name, type, maker_id, created_by, file_name, file_sha256, state, row_count, submitted_at)
     values ($1, $2, 'Salaries', 'DEPOSIT', $3, $3, 'salaries.csv', '\\x00', $4, $5, now())`,
    [applicationId, batchId, makerId, state, count],
  )
  for (let start = 0; start < count; start += PART) await takeIn(pool, items.slice(start, start + PART))
  return { batchId, items }
}

import { withoutRepeat } from '#lib/finance/pivot.ts'
import { pivotOfMonth } from '#lib/finance/pivot-address.ts'
import type { MessageKey, Translate } from '#lib/i18n/translate.ts'
import { pivotQuerySchema } from '#lib/schemas/page-address.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { recordAct } from '#server/audit/run-command.ts'
import type { Pool } from '#server/database/pool.ts'
import { tableHead, tableLines } from '#server/reports/export/csv.ts'
import { pivotDetails, toPivotFile } from '#server/reports/totals/pivot-file.ts'
import { readPivot } from '#server/reports/totals/read-pivot.ts'
import type { MailAttachment, Notice } from '../notice-store.ts'

/** The table of a month as a file, or why the page has none. */
export type MonthlyTable = { attachment: MailAttachment } | { lacks: MessageKey }

/**
 * Makes the file of a notice about monthly totals from the figures of this moment, as the page and its export show them, and records that it is sent to
 * this person before it leaves. Undefined for every other notice.
 */
export async function makeMonthlyTable(
  { pool, reportPool }: { pool: Pool; reportPool: Pool },
  { applicationId, saved }: Notice,
  { t, personId, now }: { t: Translate; personId: string; now: Date },
): Promise<MonthlyTable | undefined> {
  if (saved === null || applicationId === null) return undefined
  const { name, query, month, businessZone } = saved
  const read = readAddress(pivotQuerySchema, pivotOfMonth(query, month))
  if (!read.ok) throw new Error('The query of a saved table cannot be read')
  const choice = withoutRepeat(read.value)
  const pivot = await readPivot(reportPool, { applicationId, businessZone }, choice, now)
  if (pivot.problem !== null) return { lacks: `pivot.problem.${pivot.problem}` }
  if (pivot.tables.length === 0) return { lacks: 'totals.none' }
  const { heads, rows } = toPivotFile(t, pivot, choice)
  const batches = await Array.fromAsync(rows)
  await recordAct(
    pool,
    { applicationId, actor: SYSTEM_ACTOR },
    { action: 'totals.sent', subject: personId, details: { name, format: 'csv', ...pivotDetails(pivot, choice) } },
  )
  return { attachment: { fileName: `${fileNameOf(name)} ${month}.csv`, text: tableHead(heads) + batches.map(tableLines).join('') } }
}

/** A name without what file systems refuse. */
function fileNameOf(name: string): string {
  return name.replaceAll(/[\p{Cc}/\\:*?"<>|]+/gu, '-')
}

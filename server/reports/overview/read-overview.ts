import { type BusinessTime, dayIn } from '#lib/business-days.ts'
import type { CheckerOverview, OverviewDto } from '#lib/finance-dto.ts'
import type { Role } from '#lib/permissions.ts'
import { approvalFilterSchema } from '#lib/schemas/approval-filter.ts'
import { addDays } from '#lib/time.ts'
import { type ApprovalViewer, listApprovals } from '#server/approvals/list-approvals.ts'
import type { Pool } from '#server/database/pool.ts'
import { listDisturbed } from '#server/operators/availability/list-disturbed.ts'
import { readHealth } from './read-health.ts'
import { readMoneyToday } from './read-money-today.ts'
import { readOwnWork } from './read-own-work.ts'

const RISKY_SHOWN = 5

type OverviewReader = ApprovalViewer & BusinessTime & { roles: readonly Role[] }

/** The first page after sign-in: a part for each role of the person, and only those. `days`: how far charts and operators look back. */
export async function readOverview(pool: Pool, reader: OverviewReader, days: number, now: Date): Promise<OverviewDto> {
  const to = dayIn(reader.businessZone, now)
  const range = { from: addDays(to, 1 - days), to }
  const partOf = <Part>(role: Role, read: () => Promise<Part>) => (reader.roles.includes(role) ? read() : null)
  const [disturbed, checker, finance, maker, administrator] = await Promise.all([
    listDisturbed(pool, reader.applicationId),
    partOf('checker', () => readWaiting(pool, reader)),
    partOf('finance', () => readMoneyToday(pool, reader, range, now)),
    partOf('maker', () => readOwnWork(pool, reader, now)),
    reader.roles.includes('administrator') || reader.roles.includes('engineer') ? readHealth(pool, reader, range) : null,
  ])
  return { zone: reader.businessZone, asOf: now.toISOString(), ...range, disturbed, checker, finance, maker, administrator }
}

/** Returns the items that wait for this checker, and the flags of the first page of their queue: the payments that they see next. */
async function readWaiting(pool: Pool, viewer: ApprovalViewer & BusinessTime): Promise<CheckerOverview> {
  const { rows, total, sums, oldestAt, batches } = await listApprovals(pool, viewer, approvalFilterSchema.parse({}))
  const flagged = rows.filter((row) => row.risks.length > 0)
  return {
    count: total,
    batches: batches.length,
    oldestAt,
    sums,
    looked: rows.length,
    flagged: flagged.length,
    risky: flagged.slice(0, RISKY_SHOWN).map(({ transactionId, type, operator, currency, amount, customerName, risks }) => ({
      transactionId,
      type,
      operator,
      currency,
      amount,
      customerName,
      risks,
    })),
  }
}

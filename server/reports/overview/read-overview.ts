import type { CheckerOverview, MakerOverview, OverviewDto, OwnTransaction } from '#lib/finance/finance-dto.ts'
import { CURRENCIES, formatMinor } from '#lib/money/money.ts'
import { failureCase } from '#lib/payments/failure-case.ts'
import type { Role } from '#lib/people/permissions.ts'
import { approvalFilterSchema } from '#lib/schemas/list-filter.ts'
import { type BusinessTime, dayIn } from '#lib/time/format-time.ts'
import { addDays, DAY_MS } from '#lib/time/time.ts'
import { type ApprovalViewer, listApprovals } from '#server/approvals/queue/queue.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { listDisturbed } from '#server/operators/availability/disturbed.ts'
import { listDrafts } from '#server/transactions/payments.ts'
import { OWN_RETURNED_DAYS, type OwnEndRow, selectOwnEnded, selectOwnWaiting } from './overview-store.ts'
import { readHealth } from './read-health.ts'
import { readMoneyToday } from './read-money-today.ts'

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

const FAILED_DAYS = 7
const SHOWN = 5
const RETURNED_SHOWN = 20

/** Returns a maker's work: items that wait for approval, items returned in the last thirty days, failures of the last seven, and drafts. */
async function readOwnWork(
  pool: Queryable,
  { applicationId, id }: { applicationId: string; id: string },
  now: Date,
): Promise<MakerOverview> {
  const since = new Date(now.getTime() - OWN_RETURNED_DAYS * DAY_MS)
  const failedSince = new Date(now.getTime() - FAILED_DAYS * DAY_MS)
  const [waiting, ended, drafts] = await Promise.all([
    selectOwnWaiting(pool, applicationId, id),
    selectOwnEnded(pool, applicationId, { personId: id, since }),
    listDrafts(pool, { applicationId, personId: id }),
  ])
  const oldest = waiting.map((sum) => sum.oldestAt.toISOString()).sort()[0]
  return {
    since: failedSince.toISOString(),
    waiting: {
      count: Number(waiting.reduce((count, sum) => count + sum.count, 0n)),
      oldestAt: oldest ?? null,
      sums: CURRENCIES.flatMap((currency) => waiting.filter((sum) => sum.currency === currency)).map(
        ({ currency, count, amountMinor }) => ({
          currency,
          count: Number(count),
          amount: formatMinor(amountMinor),
        }),
      ),
    },
    returned: toGroup(ended.filter((row) => row.isReturned)),
    failed: toGroup(ended.filter((row) => !row.isReturned && row.at >= failedSince)),
    drafts: drafts.length,
  }
}

/** Returns the items that were returned to a maker and not sent again, the newest first. */
export async function readReturned(
  pool: Queryable,
  { applicationId, id }: { applicationId: string; id: string },
  now: Date,
): Promise<OwnTransaction[]> {
  const since = new Date(now.getTime() - OWN_RETURNED_DAYS * DAY_MS)
  const ended = await selectOwnEnded(pool, applicationId, { personId: id, since })
  return ended
    .filter((row) => row.isReturned)
    .slice(0, RETURNED_SHOWN)
    .map(toOwn)
}

function toGroup(rows: readonly OwnEndRow[]): MakerOverview['returned'] {
  return { count: rows.length, newest: rows.slice(0, SHOWN).map(toOwn) }
}

function toOwn({ amountMinor, at, isReturned: _, event, reason, message, ...row }: OwnEndRow): OwnTransaction {
  const failure = failureCase(row.type, event, message)
  return {
    ...row,
    failure,
    message: reason ?? (failure === 'other' ? message : null),
    amount: formatMinor(amountMinor),
    at: at.toISOString(),
  }
}

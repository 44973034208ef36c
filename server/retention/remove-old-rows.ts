import { setTimeout as delay } from 'node:timers/promises'
import { ok } from '#lib/result.ts'
import { RETENTION_KINDS, type RetentionKind, type RetentionMonths } from '#server/config.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import {
  firstCursor,
  preferIndexes,
  RETENTION_RULES,
  type RetentionRule,
  removeByTime,
  removeOfTransactions,
  type Step,
  selectApplicationIds,
  selectRetentionMarks,
  setRetentionMark,
} from './retention-store.ts'

type RetentionOptions = {
  /** How many months each kind is kept; 0: without limit. */
  months: RetentionMonths
  now: Date
  /** Ends the run early: the next one goes on. */
  isEnding?: () => boolean
  batchRows?: number
  pauseMs?: number
  durationMs?: number
}

/** How many rows of each table were removed, where any were. */
type RemovedRows = Record<string, number>

const BATCH_ROWS = 2_000
/** Between batches, so that payments find the disk and the connections free. */
const PAUSE_MS = 50
const DURATION_MS_MAX = 15 * 60_000

/**
 * Removes rows that are older than the installation keeps them (retention-store.ts lists the tables), a few thousand per statement, each
 * committed in a transaction of its own and holding no lock that intake or settlement wait for. Any number of processes may run it at once.
 * The next run finishes the rest.
 */
export async function removeOldRows(pool: Pool, options: RetentionOptions): Promise<RemovedRows> {
  const removed: RemovedRows = {}
  const endMs = performance.now() + (options.durationMs ?? DURATION_MS_MAX)
  const run: Run = {
    pool,
    batchRows: options.batchRows ?? BATCH_ROWS,
    pauseMs: options.pauseMs ?? PAUSE_MS,
    isOver: () => performance.now() > endMs || options.isEnding?.() === true,
    note: (table, count) => {
      if (count > 0) removed[table] = (removed[table] ?? 0) + count
    },
  }
  const applicationIds = await selectApplicationIds(pool)
  for (const kind of RETENTION_KINDS) {
    const months = options.months[kind]
    if (months === 0) continue
    const before = monthsBefore(options.now, months)
    // First of all: from now on a missing row means nothing.
    await setRetentionMark(pool, kind, before)
    for (const rule of RETENTION_RULES.filter((each) => each.kind === kind)) {
      for (const applicationId of isPerApplication(rule) ? applicationIds : [null]) {
        await removeRows(run, rule, applicationId, before)
        // A later table may rely on an earlier one being done.
        if (run.isOver()) return removed
      }
    }
  }
  return removed
}

type Run = { pool: Pool; batchRows: number; pauseMs: number; isOver: () => boolean; note(table: string, count: number): void }

function isPerApplication(rule: RetentionRule): boolean {
  return rule.walk === 'transactions' || rule.isPerApplication
}

async function removeRows(run: Run, rule: RetentionRule, applicationId: string | null, before: Date): Promise<void> {
  let cursor = rule.walk === 'transactions' ? firstCursor(rule) : undefined
  for (let isDone = false; !isDone && !run.isOver(); ) {
    if (rule.walk === 'time') {
      const removed = await removeByTime(run.pool, rule, { applicationId, before, limit: run.batchRows })
      run.note(rule.table, removed)
      isDone = removed < run.batchRows
    } else {
      if (applicationId === null || !cursor) return
      const request = { applicationId, cursor, before, limit: run.batchRows }
      const step = await withTransaction<Step, never>(run.pool, async (trx) => {
        await preferIndexes(trx)
        return ok(await removeOfTransactions(trx, rule, request))
      })
      if (!step.ok) return
      run.note(rule.table, step.value.removed)
      cursor = step.value.cursor
      isDone = cursor === undefined
    }
    if (!isDone) await delay(run.pauseMs)
  }
}

/** The beginning of the UTC day this many calendar months ago; in a shorter month, its last day. */
export function monthsBefore(now: Date, months: number): Date {
  const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1))
  const daysInMonth = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate()
  return new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth(), Math.min(now.getUTCDate(), daysInMonth)))
}

/** Before which instant rows of each kind may have been removed; a kind of which nothing ever was is absent. */
export async function readRetentionMarks(queryable: Queryable): Promise<Partial<Record<RetentionKind, Date>>> {
  const marks = await selectRetentionMarks(queryable)
  return Object.fromEntries(marks.map(({ kind, removedBefore }) => [kind, removedBefore]))
}

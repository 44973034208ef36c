import { z } from 'zod'
import { LINE_CLASSES } from '#lib/reconciliation/classes.ts'
import { DAY_CLASSES } from '#lib/reconciliation/days.ts'
import type { Queryable } from '#server/database/pool.ts'
import type { DayScope, DaySums } from './day-store.ts'

/** A match with a transaction that has no result yet. */
export type OpenMatch = { applicationId: string; transactionId: string }

/** The settings of the wallet on which sums depend. */
const settings = z.object({
  account: z.string(),
  zone: z.string(),
  cutoffMinute: z.number(),
  feePpm: z.number().nullable(),
  feeFixed: z.string().nullable(),
  feeRounding: z.string(),
  feeTaxPpm: z.number(),
  feeForm: z.string(),
})
export type SumSettings = z.infer<typeof settings>

/** JSON has no bigint: amounts are texts in it. */
const minor = z.string().transform(BigInt)
const line = z.object({
  ...{ day: z.string(), class: z.enum(LINE_CLASSES), isIn: z.boolean(), isSameDay: z.boolean(), count: z.number() },
  ...{ grossMinor: minor, feeMinor: minor, netMinor: minor, amountMinor: minor },
})
const booked = z.object({
  ...{
    day: z.string(),
    kind: z.enum(['settle', 'late', 'reverse', 'fund', 'move', 'correct', 'withdraw']),
    isIn: z.boolean(),
    count: z.number(),
    effectMinor: minor,
  },
  class: z.enum(DAY_CLASSES),
})
const stored = z.object({
  settings,
  lines: z.array(line),
  booked: z.array(booked),
  printed: z.array(z.object({ day: z.string(), openingMinor: minor, closingMinor: minor })),
  open: z.array(z.object({ applicationId: z.string(), transactionId: z.string() })),
})

/** The kept figures of a day. `isOver`: nothing more is posted on it. */
export type KeptDay = { day: string; version: number; isOver: boolean; kept: z.infer<typeof stored> | null }

/** How long after the end of a day a posting of it may still be committed. */
const POSTED_WITHIN = '1 hour'
/** Of one day. */
export const OPEN_MAX = 500

/** The days that a statement covers or matches have touched, with what is kept of them. */
export async function listKeptDays(queryable: Queryable, { applicationId, wallet, from, to }: DayScope): Promise<KeptDay[]> {
  const { rows } = await queryable.query<{ day: string; version: number; isOver: boolean; sums: unknown }>(
    `select local_day::text as day, version, sums,
            now() > (((local_day + 1) + $5::interval) at time zone $6) + interval '${POSTED_WITHIN}' as "isOver"
       from wallet_days where application_id = $1 and wallet = $2 and local_day between $3 and $4`,
    [applicationId, wallet.wallet, from, to, `${wallet.cutoffMinute} minutes`, wallet.zone],
  )
  return rows.map(({ sums, ...day }) => ({ ...day, kept: sums === null ? null : stored.parse(sums) }))
}

type Kept = { scope: DayScope; day: string; version: number; settings: SumSettings; sums: DaySums; open: readonly OpenMatch[] }

/** Keeps the sums of a day, unless it has changed since it was listed. */
export async function keepSums(queryable: Queryable, { scope, day, version, sums, ...about }: Kept): Promise<void> {
  const text = JSON.stringify({ ...sums, ...about }, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
  await queryable.query(
    `update wallet_days set sums = $5, computed_at = clock_timestamp()
      where application_id = $1 and wallet = $2 and local_day = $3 and version = $4`,
    [scope.applicationId, scope.wallet.wallet, day, version, text],
  )
}

/** The open transactions of the lines of these days, up to one more than can be kept. */
export async function listOpenMatches(queryable: Queryable, { applicationId, wallet, from, to }: DayScope): Promise<OpenMatch[]> {
  const { rows } = await queryable.query<OpenMatch>(
    `select m.matched_application_id as "applicationId", m.transaction_id as "transactionId"
       from statement_lines l join line_matches m using (application_id, line_id)
       join transactions t on t.application_id = m.matched_application_id and t.transaction_id = m.transaction_id
      where l.application_id = $1 and l.wallet = $2 and l.local_day between $3 and $4 and t.final_at is null limit ${OPEN_MAX + 1}`,
    [applicationId, wallet.wallet, from, to],
  )
  return rows
}

/** Of transactions that were open, those that have a result now. */
export async function selectEnded(queryable: Queryable, open: readonly OpenMatch[]): Promise<Set<string>> {
  if (open.length === 0) return new Set()
  const { rows } = await queryable.query<{ id: string }>(
    `select t.transaction_id as id from unnest($1::uuid[], $2::uuid[]) as item (application_id, transaction_id)
       join transactions t using (application_id, transaction_id) where t.final_at is not null`,
    [open.map(({ applicationId }) => applicationId), open.map(({ transactionId }) => transactionId)],
  )
  return new Set(rows.map(({ id }) => id))
}

import type { Queryable } from '#server/database/pool.ts'
import { BOOKED, classed, type DayScope, valuesOf } from '../days/day-store.ts'

/** When the day of a scope begins and ends at the operator. */
export async function readInstants(queryable: Queryable, { wallet, from }: DayScope): Promise<{ startsAt: Date; endsAt: Date }> {
  const { rows } = await queryable.query<{ startsAt: Date; endsAt: Date }>(
    `select ($1::date + $2::interval) at time zone $3 as "startsAt", ($1::date + 1 + $2::interval) at time zone $3 as "endsAt"`,
    [from, `${wallet.cutoffMinute} minutes`, wallet.zone],
  )
  const [row] = rows
  if (!row) throw new Error('A query without a table returns one row')
  return row
}

/** How many lines the day has, and the digest over what is said of each. */
export async function readLineDigest(queryable: Queryable, scope: DayScope): Promise<{ lineCount: number; linesSha256: string }> {
  const { rows } = await queryable.query<{ lineCount: number; linesSha256: string }>(
    `with ${classed('as signed')}
     select count(*)::integer as "lineCount",
            encode(sha256(convert_to(coalesce(string_agg(concat(line_id, ',', class, ',', matched_application_id::text || '/' || transaction_id),
                                                        E'\\n' order by line_id), ''), 'UTF8')), 'hex') as "linesSha256"
       from lines, (select $5::text, $6::text) unused`,
    valuesOf(scope),
  )
  const [row] = rows
  if (!row) throw new Error('An aggregate returns one row')
  return row
}

export type FileFact = { fileId: string; sha256: string; firstDay: string; lastDay: string }

/** The imported files that cover the day or brought lines of it. */
export async function listFileFacts(queryable: Queryable, { applicationId, wallet, from }: DayScope): Promise<FileFact[]> {
  const { rows } = await queryable.query<FileFact>(
    `select f.file_id as "fileId", encode(f.sha256, 'hex') as sha256, f.first_day::text as "firstDay", f.last_day::text as "lastDay"
       from statement_files f
      where f.application_id = $1 and f.wallet = $2 and f.state = 'imported'
        and ($3::date between f.first_day and f.last_day
             or exists (select from statement_lines l where l.application_id = $1 and l.file_id = f.file_id and l.origin_day is not null
                           and l.local_day = $3))
      order by f.file_id`,
    [applicationId, wallet.wallet, from],
  )
  return rows
}

export type PostingFact = { kind: string; count: number; effectMinor: bigint }

/** Our postings of the day that move money of the wallet, by kind. */
export async function listPostingFacts(queryable: Queryable, scope: DayScope): Promise<PostingFact[]> {
  const { rows } = await queryable.query<PostingFact>(
    `with ${BOOKED}
     select kind, count(*)::integer as count, sum(effect_minor)::bigint as "effectMinor"
       from booked, (select $9::timestamptz, $10::jsonb) unused group by 1 order by 1`,
    valuesOf(scope),
  )
  return rows
}

const LEDGER = ['collect', 'deposit', 'held', 'fees', 'clearing', 'revenue'] as const
export type LedgerFact = { applicationId: string; kind: string; count: number } & Record<`${(typeof LEDGER)[number]}Minor`, bigint>

/** Everything that was posted in the wallet on the day, by application and kind; concessions up and down apart, because one is a loss and one a gain. */
export async function listLedgerFacts(
  queryable: Queryable,
  { wallet }: DayScope,
  { startsAt, endsAt }: { startsAt: Date; endsAt: Date },
): Promise<LedgerFact[]> {
  const { rows } = await queryable.query<LedgerFact>(
    `select p.application_id as "applicationId", p.kind, count(*)::integer as count,
            ${LEDGER.map((account) => `sum(p.${account}_minor)::bigint as "${account}Minor"`).join(', ')}
       from ledger_postings p
      where p.operator = $1 and p.at >= $3 and p.at < $4 and is_in_account($2, p.kind, p.collect_minor, p.clearing_minor)
      group by 1, 2, p.kind = 'concede' and p.revenue_minor > 0 order by 1, 2, p.kind = 'concede' and p.revenue_minor > 0`,
    [wallet.operator, wallet.account, startsAt, endsAt],
  )
  return rows
}

const BOOK = ['wallet', 'operator_fee', 'tax', 'commission', 'suspense', 'transit', 'loss'] as const
type BookName = 'wallet' | 'operatorFee' | 'tax' | 'commission' | 'suspense' | 'transit' | 'loss'
export type BookFact = { kind: string; count: number } & Record<`${BookName}Minor`, bigint>

/** The wallet book of the day, by kind and direction. */
export async function listBookFacts(queryable: Queryable, { applicationId, wallet, from }: DayScope): Promise<BookFact[]> {
  const { rows } = await queryable.query<BookFact>(
    `select kind, count(*)::integer as count,
            ${BOOK.map((account) => `sum(${account}_minor)::bigint as "${account.replace('_f', 'F')}Minor"`).join(', ')}
       from wallet_postings where application_id = $1 and wallet = $2 and day = $3
      group by 1, wallet_minor > 0 order by 1, wallet_minor > 0`,
    [applicationId, wallet.wallet, from],
  )
  return rows
}

export type ExceptionFact = { exceptionId: string; class: string; day: string; amountMinor: bigint }

/** The exceptions of the wallet up to the day that are open. */
export async function listOpenExceptions(queryable: Queryable, { applicationId, wallet, from }: DayScope): Promise<ExceptionFact[]> {
  const { rows } = await queryable.query<ExceptionFact>(
    `select exception_id as "exceptionId", class, local_day::text as day, amount_minor as "amountMinor" from exceptions
      where application_id = $1 and wallet = $2 and local_day <= $3 and outcome is null order by local_day, exception_id`,
    [applicationId, wallet.wallet, from],
  )
  return rows
}

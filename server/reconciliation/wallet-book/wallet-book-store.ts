import type { LineKind, PersonPosting } from '#lib/reconciliation/days.ts'
import type { Queryable, TrxClient } from '#server/database/pool.ts'

/**
 * Posts what the operator took or paid in the lines that a file has just brought: a line of a fee, a tax or a commission by itself, and what is
 * printed beside other lines as one posting of the file, the day and the kind.
 */
export async function insertFromLines(trx: TrxClient, applicationId: string, fileId: string): Promise<void> {
  await trx.query(
    `with lines as (
       select wallet, line_id, kind, local_day, origin_day, gross_minor, fee_minor, tax_minor from statement_lines
        where application_id = $1 and file_id = $2 and kind <> 'failed'),
     posted as (
       select wallet, 'line ' || line_id as subject, kind, local_day, origin_day, gross_minor as amount_minor, line_id
         from lines where kind in ('fee', 'tax', 'commission') and gross_minor <> 0
       union all
       select l.wallet, format('file %s %s', $2::uuid, coalesce(l.origin_day, l.local_day)), b.kind, l.local_day, l.origin_day, -sum(b.amount_minor), null
         from lines l cross join lateral (values ('fee', l.fee_minor), ('tax', l.tax_minor)) as b (kind, amount_minor)
        group by l.wallet, b.kind, l.local_day, l.origin_day having sum(b.amount_minor) <> 0)
     insert into wallet_postings (application_id, wallet, subject, kind, day, origin_day, line_id, wallet_minor, operator_fee_minor, tax_minor,
                                  commission_minor)
       select $1, wallet, subject, kind, local_day, origin_day, line_id, amount_minor, case kind when 'fee' then -amount_minor else 0 end,
              case kind when 'tax' then -amount_minor else 0 end, case kind when 'commission' then -amount_minor else 0 end
         from posted`,
    [applicationId, fileId],
  )
}

/** A line that people post about. `payment`: whether it is the first line of a transaction, a further one, or of none. */
export type BookLine = {
  wallet: string
  kind: LineKind
  grossMinor: bigint
  operatorId: string | null
  payment: 'first' | 'further' | 'none'
  /** The day on which a posting counts now, and that of the line if it is another. */
  day: string
  originDay: string | null
  /** The entries people have posted about it. */
  posted: readonly PersonPosting[]
  /** Whether it is one side of a transfer whose other side is known. */
  isPaired: boolean
}

/** Undefined if there is no such line. */
export async function readBookLine(queryable: Queryable, applicationId: string, lineId: bigint): Promise<BookLine | undefined> {
  const { rows } = await queryable.query<BookLine>(
    `select l.wallet, l.kind, l.gross_minor as "grossMinor", l.operator_id as "operatorId",
            coalesce((select case when m.ordinal = 0 then 'first' else 'further' end from line_matches m
                       where m.application_id = $1 and m.line_id = $2 and m.part = 0), 'none') as payment,
            coalesce(s.next_day, l.local_day)::text as day, case when s.day is not null then l.local_day::text end as "originDay",
            array(select w.kind from wallet_postings w where w.application_id = $1 and w.line_id = $2 and w.change_id is not null) as posted,
            exists (select from transfer_pairs p where p.application_id = $1 and $2 in (p.out_line_id, p.in_line_id)) as "isPaired"
       from statement_lines l
       left join signed_days s on s.application_id = l.application_id and s.wallet = l.wallet and s.day = l.local_day
      where l.application_id = $1 and l.line_id = $2`,
    [applicationId, lineId],
  )
  return rows[0]
}

/** Holds the days of a wallet as they are signed now until the transaction ends. */
export async function lockDaysShared(trx: TrxClient, applicationId: string, wallet: string): Promise<void> {
  await trx.query('select lock_wallet_days($1, $2, false)', [applicationId, wallet])
}

type PostingRow = {
  applicationId: string
  wallet: string
  kind: PersonPosting
  day: string
  originDay: string | null
  lineId: bigint | null
  /** Into the wallet, below zero out of it. */
  amountMinor: bigint
  changeId: string
  actorId: string
  reason: string
}

/** Posts what two people agreed on. False: such a posting exists already. */
export async function insertPosting(trx: TrxClient, row: PostingRow): Promise<boolean> {
  const { rowCount } = await trx.query(
    `insert into wallet_postings (application_id, wallet, subject, kind, day, origin_day, line_id, wallet_minor, suspense_minor, transit_minor, loss_minor,
                                  change_id, actor_id, reason)
       select $1, $2, 'change ' || $8::uuid, $3, $4::date, $5::date, $6::bigint, $7::bigint,
              case when $3 in ('opening', 'unmatched', 'release') then -$7 else 0 end, case when $3 = 'transfer' then -$7 else 0 end,
              case when $3 = 'loss' then -$7 else 0 end, $8, $9, $10
     on conflict do nothing`,
    [row.applicationId, row.wallet, row.kind, row.day, row.originDay, row.lineId, row.amountMinor, row.changeId, row.actorId, row.reason],
  )
  return rowCount === 1
}

/** Posts by how much people changed the opening balance of a wallet: on its day or, if that is signed, on the next open one. */
export async function insertOpening(
  trx: TrxClient,
  row: Pick<PostingRow, 'applicationId' | 'wallet' | 'day' | 'amountMinor' | 'changeId' | 'actorId'>,
): Promise<void> {
  await lockDaysShared(trx, row.applicationId, row.wallet)
  await trx.query(
    `insert into wallet_postings (application_id, wallet, subject, kind, day, origin_day, wallet_minor, suspense_minor, change_id, actor_id)
       select $1, $2, 'change ' || $5::uuid, 'opening', coalesce(s.next_day, d.day), case when s.day is not null then d.day end, $4::bigint, -$4::bigint, $5, $6
         from (select $3::date as day) d left join signed_days s on s.application_id = $1 and s.wallet = $2 and s.day = d.day`,
    [row.applicationId, row.wallet, row.day, row.amountMinor, row.changeId, row.actorId],
  )
}

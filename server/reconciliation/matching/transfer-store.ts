import type { TrxClient } from '#server/database/pool.ts'

/** How far apart the two lines of one transfer, and the move of the ledger, may be. */
const NEAR = "interval '36 hours'"

/** Own-transfer lines of two wallets of one operator, out of the one and into the other. `$1` application, `$2` wallets, `$3` first day, `$4` now. */
const FOUND = `open as (
    select l.line_id, l.wallet, l.at, l.gross_minor from statement_lines l
     where l.application_id = $1 and l.wallet = any($2) and l.kind = 'transfer' and l.local_day >= $3::date and l.gross_minor <> 0
       and not exists (select from transfer_pairs p where p.application_id = $1 and l.line_id in (p.out_line_id, p.in_line_id))
       and not exists (select from wallet_postings w where w.application_id = $1 and w.line_id = l.line_id)),
  candidates as (
    select o.line_id as out_line_id, i.line_id as in_line_id, o.wallet as out_wallet, least(o.at, i.at) as first_at, greatest(o.at, i.at) as last_at,
           i.gross_minor as amount_minor, count(*) over (partition by o.line_id) as of_out, count(*) over (partition by i.line_id) as of_in
      from open o join open i on i.wallet <> o.wallet and o.gross_minor = -i.gross_minor and i.gross_minor > 0
                             and i.at between o.at - ${NEAR} and o.at + ${NEAR}),
  -- One of several lines of an amount is nobody's to choose.
  pairs as (select * from candidates where of_out = 1 and of_in = 1),
  moved as (
    select p.*, m.application_id as move_application_id, m.subject_id as move_id, count(m.subject_id) over (partition by p.out_line_id) as moves,
           count(*) over (partition by m.application_id, m.subject_id) as of_move
      from pairs p
      left join ledger_postings m on m.kind = 'move' and m.operator = $5 and m.deposit_minor = p.amount_minor and p.out_wallet = m.operator || '-collect'
                                 and m.at between p.first_at - ${NEAR} and p.last_at + ${NEAR}
                                 and not exists (select from transfer_pairs t where t.application_id = $1 and t.move_application_id = m.application_id
                                                    and t.move_id = m.subject_id)),
  found as (
    select * from moved where moves = 1 and of_move = 1
     -- Without a move until one can no longer come.
     or moves = 0 and last_at < $4::timestamptz - ${NEAR})`

/**
 * Pairs own-transfer lines with each other and with the move of the ledger. A pair without a move is posted in the wallet book: out of the one wallet and into
 * the other, so that both are explained. Each posting counts on the day of its line or, if that is signed, on the next open day. Returns the number of pairs.
 */
export async function insertTransferPairs(
  trx: TrxClient,
  scope: { applicationId: string; operator: string; wallets: readonly string[]; sinceDay: string; now: Date },
): Promise<number> {
  const { applicationId, operator, wallets, sinceDay, now } = scope
  const { rows } = await trx.query<{ pairs: number }>(
    `with ${FOUND},
     paired as (
       insert into transfer_pairs (application_id, out_line_id, in_line_id, move_application_id, move_id)
         select $1, out_line_id, in_line_id, move_application_id, move_id from found on conflict do nothing
       returning out_line_id, in_line_id, move_id),
     posted as (
       insert into wallet_postings (application_id, wallet, subject, kind, day, origin_day, line_id, wallet_minor, transit_minor)
         select $1, l.wallet, 'line ' || l.line_id, 'transfer', coalesce(s.next_day, l.local_day), case when s.day is not null then l.local_day end,
                l.line_id, l.gross_minor, -l.gross_minor
           from paired p join statement_lines l on l.application_id = $1 and l.line_id in (p.out_line_id, p.in_line_id)
           left join signed_days s on s.application_id = $1 and s.wallet = l.wallet and s.day = l.local_day
          where p.move_id is null)
     select count(*)::integer as pairs from paired`,
    [applicationId, wallets, sinceDay, now, operator],
  )
  return rows[0]?.pairs ?? 0
}

/** One run of the pairing of an operator's wallets at a time, and no person who posts about one of their transfers meanwhile. */
export async function lockTransfers(trx: TrxClient, applicationId: string, operator: string): Promise<void> {
  await trx.query(`select pg_advisory_xact_lock(hashtext('countersign.transfers'), hashtext($1))`, [`${applicationId} ${operator}`])
}

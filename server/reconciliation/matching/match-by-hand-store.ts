import { findWallet } from '#lib/reconciliation/wallets.ts'
import type { TrxClient } from '#server/database/pool.ts'

/** `isSigned`: its match was signed with its day. */
type Line = { wallet: string; isSigned: boolean }

/** Holds a line until the transaction ends, so that two people never match it at once. Lines cannot be locked for update, because no one may. */
export async function lockLine(trx: TrxClient, applicationId: string, lineId: bigint): Promise<Line | undefined> {
  const { rows } = await trx.query<Line>(
    `select l.wallet, is_day_signed(l.application_id, l.wallet, coalesce(
              (select m.late_day from line_matches m where m.application_id = $1 and m.line_id = $2 and m.part = 0), l.local_day)) as "isSigned"
       from statement_lines l where l.application_id = $1 and l.line_id = $2 and l.kind in ('payment', 'failed') for share of l`,
    [applicationId, lineId],
  )
  const [line] = rows
  if (line)
    await trx.query(`select pg_advisory_xact_lock(hashtext('countersign.match'), hashtext($1))`, [`${applicationId} ${line.wallet}`])
  return line
}

type ByHand = { applicationId: string; lineId: bigint; transactionId: string; personId: string; note: string }

/** Stores a match of a person if the transaction fits the line and neither has another. */
export async function insertByHand(
  trx: TrxClient,
  { applicationId, lineId, transactionId, personId, note }: ByHand,
): Promise<'matched' | 'no_transaction' | 'taken'> {
  const { rows } = await trx.query<{ applicationId: string; operator: string; wallet: string; effect: string }>(
    `select t.application_id as "applicationId", t.operator, l.wallet, case when l.kind = 'failed' then 'failed' else 'settle' end as effect
       from statement_lines l cross join applications a
       join transactions t on t.application_id = a.application_id and t.transaction_id = $3
        and t.type = case when l.gross_minor > 0 then 'COLLECT' else 'DEPOSIT' end
      where l.application_id = $1 and l.line_id = $2`,
    [applicationId, lineId, transactionId],
  )
  const found = rows.find(({ operator, wallet }) => findWallet(wallet)?.operator === operator)
  if (!found) return 'no_transaction'
  const { rowCount } = await trx.query(
    `insert into line_matches (application_id, line_id, matched_application_id, transaction_id, effect, rule, rule_version, person_id, note, late_day)
       select $1, $2, $3, $4, $5, 'person', 1, $6, $7, s.next_day
         from statement_lines l left join signed_days s on s.application_id = $1 and s.wallet = l.wallet and s.day = l.local_day
        where l.application_id = $1 and l.line_id = $2
     on conflict do nothing`,
    [applicationId, lineId, found.applicationId, transactionId, found.effect, personId, note],
  )
  return rowCount === 1 ? 'matched' : 'taken'
}

/** Undoes the match of a line, with all its parts; false if it has none. */
export async function deleteMatch(
  trx: TrxClient,
  { applicationId, lineId, personId, note }: Omit<ByHand, 'transactionId'>,
): Promise<boolean> {
  const { rowCount } = await trx.query(
    `with gone as (delete from line_matches where application_id = $1 and line_id = $2 returning *)
     insert into match_events (application_id, event, line_id, part, matched_application_id, transaction_id, effect, ordinal, rule, rule_version,
                               group_id, person_id, note, matched_at)
       select application_id, 'undone', line_id, part, matched_application_id, transaction_id, effect, ordinal, rule, rule_version, group_id, $3, $4, at
         from gone`,
    [applicationId, lineId, personId, note],
  )
  return (rowCount ?? 0) > 0
}

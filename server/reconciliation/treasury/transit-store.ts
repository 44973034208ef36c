import type { TransitStep, WithdrawalAccount } from '#lib/finance/treasury-dto.ts'
import type { Currency } from '#lib/money/money.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { Queryable, TrxClient } from '#server/database/pool.ts'

type Mark = { step: TransitStep; day: string; reference: string; lineId: bigint | null; by: string | null; isPosted: boolean }

/** The kinds of changes after which money is on its way. */
export type TransitKind = 'funding.withdrawal' | 'wallet.plan'

/** A confirmed withdrawal or own transfer with its marks. */
export type TransitRow = {
  kind: TransitKind
  ledgerId: string
  application: string
  changeId: string
  /** Of a withdrawal: the balance. */
  operator: OperatorCode
  account: WithdrawalAccount
  /** Of an own transfer: wallets, or `bank:` and an id. */
  fromPlace: string | null
  toPlace: string | null
  currency: Currency
  amountMinor: bigint
  reference: string
  confirmedAt: Date
  /** The bank account on either side, if there is one. */
  bank: string | null
  holder: string | null
  number: string | null
  hasEnded: boolean
  marks: Mark[]
}

/** SQL: the change `f` has a mark of this step. */
const isMarked = (step: string) =>
  `exists (select from transit_marks e where e.ledger_id = f.application_id and e.change_id = f.change_id and e.step = ${step})`

/** SQL: it has returned, or arrived; between two wallets the lines of both have come. */
const HAS_ENDED = `(${isMarked("'returned'")} or ${isMarked("'arrived'")} and (f.kind <> 'wallet.plan' or f.payload ->> 'from' like 'bank:%' or ${isMarked("'left'")}))`

const TRANSIT = `select f.kind, f.application_id as "ledgerId", a.name as application, f.change_id as "changeId", f.payload ->> 'operator' as operator,
    f.payload ->> 'account' as account, f.payload ->> 'from' as "fromPlace", f.payload ->> 'to' as "toPlace", f.after ->> 'currency' as currency,
    (f.payload ->> 'amountMinor')::bigint as "amountMinor", f.payload ->> 'reference' as reference, f.decided_at as "confirmedAt", b.bank, b.holder,
    b.number, ${HAS_ENDED} as "hasEnded",
    coalesce((select jsonb_agg(jsonb_build_object('step', m.step, 'day', m.day, 'reference', m.reference, 'lineId', m.line_id, 'by', p.name,
                                 'isPosted', exists (select from wallet_postings w
                                    where w.application_id = m.application_id and w.line_id = m.line_id and w.change_id = m.change_id)) order by m.at)
                from transit_marks m left join people p on p.person_id = m.person_id
               where m.ledger_id = f.application_id and m.change_id = f.change_id), '[]') as marks
  from proposed_changes f
  join applications a on a.application_id = f.application_id
  left join bank_accounts b on b.application_id = f.application_id and b.bank_account_id =
    substring(concat_ws(' ', f.payload ->> 'bankAccountId', f.payload ->> 'from', f.payload ->> 'to') from '[0-9a-f]{8}-[0-9a-f-]{27}')::uuid
 where f.outcome = 'confirmed'`

/** Withdrawals on their way, of one application or (null) of all, then what has ended lately, each newest first. */
export async function listTransit(
  queryable: Queryable,
  { kind, ledgerId, endedMax }: { kind: TransitKind; ledgerId: string | null; endedMax: number },
): Promise<TransitRow[]> {
  // The kind as a literal: the index is of one kind.
  const own = `f.kind = '${kind}' and ($1::uuid is null or f.application_id = $1)`
  const order = 'order by f.decided_at desc, f.change_id'
  const { rows: open } = await queryable.query<TransitRow>(`${TRANSIT} and ${own} and not ${HAS_ENDED} ${order}`, [ledgerId])
  const { rows: ended } = await queryable.query<TransitRow>(`${TRANSIT} and ${own} and ${HAS_ENDED} ${order} limit $2`, [
    ledgerId,
    endedMax,
  ])
  return [...open, ...ended]
}

/** One withdrawal or own transfer; undefined if there is none, or nobody has confirmed it. */
export async function findTransit(queryable: Queryable, ledgerId: string, changeId: string): Promise<TransitRow | undefined> {
  const { rows } = await queryable.query<TransitRow>(
    `${TRANSIT} and f.kind in ('funding.withdrawal', 'wallet.plan') and f.application_id = $1 and f.change_id = $2`,
    [ledgerId, changeId],
  )
  return rows[0]
}

type NewMark = {
  applicationId: string
  ledgerId: string
  changeId: string
  step: TransitStep
  day: string
  reference: string
  personId: string
}

/** False: the step was marked before, or the money has arrived or returned. */
export async function insertMark(trx: TrxClient, mark: NewMark): Promise<boolean> {
  const { rowCount } = await trx.query(
    `insert into transit_marks (application_id, ledger_id, change_id, step, day, reference, person_id) values ($1, $2, $3, $4, $5, $6, $7)
     on conflict do nothing`,
    [mark.applicationId, mark.ledgerId, mark.changeId, mark.step, mark.day, mark.reference, mark.personId],
  )
  return rowCount === 1
}

/** Takes a mark back; its line is not found for the same change again. False: there is none, or its line is posted in the wallet book. */
export async function deleteMark(
  trx: TrxClient,
  { applicationId, ledgerId, changeId, step }: Pick<NewMark, 'applicationId' | 'ledgerId' | 'changeId' | 'step'>,
): Promise<boolean> {
  const { rowCount } = await trx.query(
    `with gone as (
       delete from transit_marks m where application_id = $1 and ledger_id = $2 and change_id = $3 and step = $4
          and not exists (select from wallet_postings w where w.application_id = $1 and w.line_id = m.line_id and w.change_id = $3)
       returning line_id
     ), undone as (
       insert into transit_lines_undone (application_id, ledger_id, change_id, line_id)
         select $1, $2, $3, line_id from gone where line_id is not null on conflict do nothing
     )
     select 1 from gone`,
    [applicationId, ledgerId, changeId, step],
  )
  return rowCount === 1
}

/**
 * The reference of the confirmed correction by which a withdrawal came back: with this key, to the same balance, of the same amount, later, and not the
 * return of another withdrawal. Undefined if there is none.
 */
export async function findReturn(queryable: Queryable, row: TransitRow, referenceKey: string): Promise<string | undefined> {
  const { rows } = await queryable.query<{ reference: string }>(
    `select c.payload ->> 'reference' as reference from proposed_changes c
      where c.application_id = $1 and c.kind = 'funding.correction' and c.subject = $2 and c.outcome = 'confirmed' and c.decided_at >= $3
        and c.payload ->> 'operator' = $4 and c.payload ->> 'account' = $5 and c.payload ->> 'amountMinor' = $6
        and not exists (select from transit_marks m where m.ledger_id = $1 and m.step = 'returned' and m.reference = c.payload ->> 'reference')`,
    [row.ledgerId, referenceKey, row.confirmedAt, row.operator, row.account, String(row.amountMinor)],
  )
  return rows[0]?.reference
}

/**
 * Finds the lines of operators that belong to withdrawals and own transfers, and marks them: an own transfer of the exact amount in the right direction and
 * account, from the day before the confirmation to `daysMax` days after it, in no other use, and the only candidate in both directions. A line that
 * may belong to a move between the accounts of the operator is left to people. The lines of own transfers are posted in the wallet book by the change
 * of two people, on their day or, if that is signed, on the next open one. Returns how many were marked.
 */
export async function insertLineMarks(queryable: Queryable, daysMax: number): Promise<number> {
  const { rows } = await queryable.query<{ count: number }>(
    `with confirmed as (
       select f.kind, f.application_id as ledger_id, f.change_id, f.payload, (f.payload ->> 'amountMinor')::bigint as amount_minor, f.decided_at, f.decided_by,
              (f.decided_at at time zone 'UTC')::date as day
         from proposed_changes f
        where f.kind in ('funding.withdrawal', 'wallet.plan') and f.outcome = 'confirmed' and not ${isMarked("'returned'")}
     ), legs as (
       select c.*, e.step, e.wallet, e.gross_minor
         from confirmed c
         cross join lateral (values ('left', coalesce(c.payload ->> 'from', c.payload ->> 'operator'), -c.amount_minor),
                                    ('left', c.payload ->> 'operator' || '-' || (c.payload ->> 'account'), -c.amount_minor),
                                    ('arrived', c.payload ->> 'to', c.amount_minor)) as e (step, wallet, gross_minor)
        where e.wallet is not null and e.wallet not like 'bank:%'
          and not exists (select from transit_marks m where m.ledger_id = c.ledger_id and m.change_id = c.change_id and m.step = e.step)
     ), candidates as (
       select g.*, l.application_id, l.line_id, l.local_day, coalesce(l.operator_id, l.line_key) as line_reference,
              count(*) over (partition by g.ledger_id, g.change_id, g.step) as lines, count(*) over (partition by l.application_id, l.line_id) as legs
         from legs g
         join statement_lines l on l.wallet = g.wallet and l.kind = 'transfer' and l.gross_minor = g.gross_minor
                               and l.local_day between g.day - 1 and g.day + $1::integer
         join applications i on i.application_id = l.application_id and i.runs_installation
        where not exists (select from wallet_postings w where w.application_id = l.application_id and w.line_id = l.line_id)
          and not exists (select from transit_marks m where m.application_id = l.application_id and m.line_id = l.line_id)
          and not exists (select from transit_lines_undone u where u.application_id = l.application_id and u.ledger_id = g.ledger_id
                             and u.change_id = g.change_id and u.line_id = l.line_id)
          and not exists (select from ledger_postings p
                           where p.operator = split_part(g.wallet, '-', 1) and p.kind = 'move' and p.deposit_minor = g.amount_minor
                             and p.at between g.decided_at - ($1 + 1) * interval '1 day' and g.decided_at + ($1 + 1) * interval '1 day')
     ), found as (
       select * from candidates where lines = 1 and legs = 1
     ), marked as (
       insert into transit_marks (application_id, ledger_id, change_id, step, day, reference, line_id)
         select application_id, ledger_id, change_id, step, local_day, left(line_reference, 100), line_id from found
       on conflict do nothing returning ledger_id, change_id, step
     ), posted as (
       insert into wallet_postings (application_id, wallet, subject, kind, day, origin_day, line_id, wallet_minor, transit_minor, change_id, actor_id, reason)
         select f.application_id, f.wallet, 'change ' || f.change_id, 'transfer', coalesce(s.next_day, f.local_day),
                case when s.day is not null then f.local_day end, f.line_id, f.gross_minor, -f.gross_minor, f.change_id, f.decided_by,
                f.payload ->> 'reference'
           from found f join marked m using (ledger_id, change_id, step)
           left join signed_days s on s.application_id = f.application_id and s.wallet = f.wallet and s.day = f.local_day
          where f.kind = 'wallet.plan'
       on conflict do nothing
     )
     select count(*)::integer as count from marked`,
    [daysMax],
  )
  return rows[0]?.count ?? 0
}

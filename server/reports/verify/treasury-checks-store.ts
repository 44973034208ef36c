/** Recounts one thing from the raw rows and selects what differs: `subject` and `detail`, no row when all is well. */
export type BookCheck = { check: string; sql: string }

/** Money that no payment moved: adjustments, fundings, withdrawals and the wallet book, each against the changes that two people made. */
export const TREASURY_CHECKS: BookCheck[] = [
  {
    check: 'adjustments',
    sql: `select concat_ws(' ', p.application_id, p.subject_id, p.kind) as subject, 'the adjustment fits no confirmed change of two people' as detail
      from ledger_postings p
      left join transactions t on t.application_id = p.application_id and t.transaction_id = p.subject_id
      left join proposed_changes f on f.application_id = p.change_application_id and f.change_id = p.change_id
      left join lateral posting_amounts(p.kind, coalesce(case p.kind when 'concede' then case f.payload ->> 'account' when 'collect' then 'COLLECT' else 'DEPOSIT' end end, t.type),
        coalesce((f.payload ->> 'amountMinor')::bigint, t.amount_minor),
        case when coalesce((f.payload ->> 'waivesFees')::boolean, false) then 0 else t.fee_system_minor end,
        case when coalesce((f.payload ->> 'waivesFees')::boolean, false) then 0 else t.fee_app_minor end) a on true
      where p.kind in ('reverse', 'late', 'concede', 'fees_out')
        and (f.outcome is distinct from 'confirmed' or (f.kind is distinct from 'adjustment.' || p.kind and (f.kind is distinct from 'reversal.ask' or p.kind <> 'reverse')) or f.decided_by is distinct from p.actor_id
          or coalesce(f.payload ->> 'ledger', f.application_id::text) is distinct from p.application_id::text
          or (f.payload ->> 'transactionId' is not null and f.payload ->> 'transactionId' is distinct from p.subject_id::text)
          or (p.kind = 'fees_out') is distinct from (t.transaction_id is null)
          or (p.kind = 'reverse' and t.status <> 'SUCCESS') or (p.kind = 'late' and t.status <> 'FAILED')
          or (p.collect_minor, p.deposit_minor, p.held_minor, p.fees_minor, p.clearing_minor, p.revenue_minor) is distinct from
             (a.collect_minor, a.deposit_minor, a.held_minor, a.fees_minor, a.clearing_minor, a.revenue_minor))
      union all
      select concat_ws(' ', f.application_id, f.change_id), 'a confirmed adjustment was not posted' from proposed_changes f
      where f.kind like 'adjustment.%' and f.outcome = 'confirmed' and not exists (select from ledger_postings p
        where p.change_application_id = f.application_id and p.change_id = f.change_id)`,
  },
  {
    check: 'reversals',
    sql: `select concat_ws(' ', r.application_id, r.transaction_id, r.reversal_id) as subject, 'no two people confirmed this reversal at the operator' as detail
      from operator_reversals r
      left join proposed_changes f on f.application_id = r.change_application_id and f.change_id = r.reversal_id and f.kind = 'reversal.ask'
      where f.outcome is distinct from 'confirmed' or f.decided_by is distinct from r.confirmed_by or f.proposed_by = f.decided_by
        or (f.payload ->> 'ledger', f.payload ->> 'transactionId') is distinct from (r.application_id::text, r.transaction_id::text)
      union all
      select concat_ws(' ', f.application_id, f.change_id), 'a confirmed reversal was not stored for the operator' from proposed_changes f
      where f.kind = 'reversal.ask' and f.outcome = 'confirmed' and not exists (select from operator_reversals r
        where r.change_application_id = f.application_id and r.reversal_id = f.change_id)
      union all
      select concat_ws(' ', r.application_id, r.transaction_id, r.reversal_id), 'the reversal at the operator and its posting do not go together'
      from operator_reversals r join transactions t on t.application_id = r.application_id and t.transaction_id = r.transaction_id
      where (r.state = 'done' and t.status = 'SUCCESS') <> exists (select from ledger_postings p where p.application_id = r.application_id
        and p.subject_id = r.transaction_id and p.kind = 'reverse' and p.change_id = r.reversal_id)`,
  },
  {
    check: 'wallet book',
    sql: `with posted as (
            select application_id, wallet, day, kind, sum(wallet_minor) as amount from wallet_postings
             where kind in ('fee', 'tax', 'commission') group by 1, 2, 3, 4),
          printed as (
            select l.application_id, l.wallet, l.local_day as day, b.kind, sum(b.amount) as amount
              from statement_lines l
              cross join lateral (values ('fee', case l.kind when 'fee' then l.gross_minor else 0 end - l.fee_minor),
                                         ('tax', case l.kind when 'tax' then l.gross_minor else 0 end - l.tax_minor),
                                         ('commission', case l.kind when 'commission' then l.gross_minor else 0 end)) as b (kind, amount)
             where l.kind <> 'failed' group by 1, 2, 3, 4)
          select wallet || ' ' || day || ' ' || kind as subject,
                 'posted ' || coalesce(p.amount, 0) || ', the lines say ' || coalesce(l.amount, 0) as detail
            from posted p full join printed l using (application_id, wallet, day, kind)
           where coalesce(p.amount, 0) <> coalesce(l.amount, 0)
          union all
          select w.wallet || ' ' || w.subject, 'no second person confirmed it, or it is not of its line'
            from wallet_postings w
            left join proposed_changes c on c.application_id = w.application_id and c.change_id = w.change_id and c.outcome = 'confirmed'
                                        and (c.kind = case w.kind when 'opening' then 'wallet.set' else 'wallet.' || w.kind end
                                          or w.kind = 'transfer' and c.kind = 'wallet.plan')
                                        and c.decided_by = w.actor_id and c.proposed_by <> c.decided_by
            left join statement_lines l on l.application_id = w.application_id and l.line_id = w.line_id and l.wallet = w.wallet
           where w.change_id is not null
             and (c.change_id is null or w.kind <> 'opening' and w.wallet_minor is distinct from case w.kind when 'release' then -l.gross_minor else l.gross_minor end)
          union all
          select w.wallet || ' ' || w.subject, 'a transfer that nobody confirmed, and whose other line is not known'
            from wallet_postings w
           where w.kind = 'transfer' and w.change_id is null
             and not exists (select from transfer_pairs p
                               join statement_lines l on l.application_id = p.application_id and l.line_id = w.line_id and l.wallet = w.wallet
                              where p.application_id = w.application_id and w.line_id in (p.out_line_id, p.in_line_id) and p.move_id is null
                                and w.wallet_minor = l.gross_minor)
          union all
          select r.wallet || ' ' || r.subject, 'released, and never placed in suspense'
            from wallet_postings r
           where r.kind = 'release' and not exists (select from wallet_postings u where u.application_id = r.application_id
                                                       and u.line_id = r.line_id and u.kind = 'unmatched')`,
  },
  {
    check: 'fundings',
    sql: `select concat_ws(' ', f.application_id, f.change_id) as subject, 'the funding and its posting do not go together' as detail
      from proposed_changes f
      left join ledger_postings p on p.application_id = f.application_id and p.subject_id = f.change_id and p.kind in ('fund', 'move', 'correct', 'withdraw')
      left join lateral posting_amounts(case f.kind when 'funding.pay_in' then 'fund' when 'funding.move' then 'move' when 'funding.withdrawal' then 'withdraw' else 'correct' end,
        case f.payload ->> 'account' when 'collect' then 'COLLECT' else 'DEPOSIT' end, (f.payload ->> 'amountMinor')::bigint, 0, 0) a on true
      where f.kind like 'funding.%' and ((f.outcome is not distinct from 'confirmed') <> (p.subject_id is not null)
        or (p.subject_id is not null and (p.operator, p.currency, p.collect_minor, p.deposit_minor, p.clearing_minor, p.actor_id) is distinct from
          (f.payload ->> 'operator', f.after ->> 'currency', a.collect_minor, a.deposit_minor, a.clearing_minor, f.decided_by)))`,
  },
  {
    check: 'withdrawals',
    sql: `select concat_ws(' ', m.ledger_id, m.change_id, m.step) as subject, 'marked, and no withdrawal or own transfer of two people' as detail
      from transit_marks m
      left join proposed_changes f on f.application_id = m.ledger_id and f.change_id = m.change_id and f.kind in ('funding.withdrawal', 'wallet.plan')
      where f.outcome is distinct from 'confirmed'
      union all
      select concat_ws(' ', m.ledger_id, m.change_id), 'returned, and no correction of its amount' from transit_marks m
      left join proposed_changes f on f.application_id = m.ledger_id and f.change_id = m.change_id
      where m.step = 'returned' and f.kind = 'funding.withdrawal' and not exists (select from proposed_changes c
        where c.application_id = m.ledger_id and c.kind = 'funding.correction' and c.outcome = 'confirmed' and c.payload ->> 'reference' = m.reference
          and c.payload ->> 'operator' = f.payload ->> 'operator' and c.payload ->> 'account' = f.payload ->> 'account'
          and c.payload ->> 'amountMinor' = f.payload ->> 'amountMinor')
      union all
      select concat_ws(' ', m.ledger_id, m.change_id, m.step), 'its line is not in the wallet book' from transit_marks m
      join proposed_changes f on f.application_id = m.ledger_id and f.change_id = m.change_id and f.kind = 'wallet.plan'
      where m.line_id is not null and not exists (select from wallet_postings w where w.application_id = m.application_id and w.line_id = m.line_id)
      union all
      select concat_ws(' ', r.application_id, r.operator, r.account, r.due_at), 'proposed by schedule, and no such proposal' from withdrawal_runs r
      left join proposed_changes f on f.application_id = r.application_id and f.change_id = r.change_id
      where r.outcome = 'proposed' and (f.kind, f.payload ->> 'amountMinor', f.payload ->> 'operator', f.payload ->> 'account')
        is distinct from ('funding.withdrawal', r.amount_minor::text, r.operator, r.account)
      union all
      select concat_ws(' ', f.application_id, f.change_id), 'its bank account is none of the application' from proposed_changes f
      left join bank_accounts b on b.application_id = f.application_id and b.bank_account_id::text = f.payload ->> 'bankAccountId'
      where f.kind = 'funding.withdrawal' and f.outcome = 'confirmed' and b.currency is distinct from f.after ->> 'currency'
      union all
      select concat_ws(' ', b.application_id, b.bank_account_id), 'a bank account that no two people added' from bank_accounts b
      left join proposed_changes f on f.application_id = b.application_id and f.change_id = b.bank_account_id and f.kind = 'bank_account.add'
      where f.outcome is distinct from 'confirmed' or f.decided_by is distinct from b.added_by or f.decided_by = f.proposed_by`,
  },
]

-- The rest of a difference (balance reported by an operator less our ledger) after everything that explains it: the wallet book, payments that
-- the operator may have executed and we have not settled, withdrawals that may not have left it, and agreed fees of payments settled since the last
-- statement, whose fees are not posted yet. Zero: a day without a mistake could have this difference.
create or replace function unexplained_difference(p_operator text, p_difference bigint) returns bigint language sql stable
set search_path from current as $$
  with book as (
    select coalesce(sum(b.wallet_minor), 0)::bigint as minor from wallet_postings b where split_part(b.wallet, '-', 1) = p_operator
  ), begun as (
    select coalesce(sum(t.amount_minor) filter (where o.type = 'COLLECT'), 0)::bigint as in_minor,
           coalesce(sum(t.amount_minor) filter (where o.type = 'DEPOSIT'), 0)::bigint as out_minor
      from operator_work o join transactions t on t.application_id = o.application_id and t.transaction_id = o.transaction_id
     where o.operator = p_operator and o.phase = 'begun'
  ), leaving as (
    select coalesce(sum((f.payload ->> 'amountMinor')::bigint), 0)::bigint as minor from proposed_changes f
     where f.kind = 'funding.withdrawal' and f.outcome = 'confirmed' and f.payload ->> 'operator' = p_operator
       and not exists (select from transit_marks m where m.ledger_id = f.application_id and m.change_id = f.change_id)
  ), fees as (
    select coalesce(sum(f.minor), 0)::bigint as minor
      from wallets w
      cross join lateral (
        select sum(agreed_fee(abs(p.clearing_minor), w.fee_ppm, w.fee_fixed_minor, w.fee_rounding, w.fee_tax_ppm)) as minor
          from ledger_postings p
         where p.operator = p_operator and p.kind = 'settle'
           and is_in_account(coalesce(nullif(split_part(w.wallet, '-', 2), ''), 'both'), p.kind, p.collect_minor, p.clearing_minor)
           -- Statements come daily; without one for days nothing explains the difference.
           and p.at >= greatest(clock_timestamp() - interval '3 days',
                 (select max(s.last_at) from statement_files s
                   where s.application_id = w.application_id and s.wallet = w.wallet and s.state = 'imported'))) f
     where split_part(w.wallet, '-', 1) = p_operator and w.fee_ppm is not null
  ), rest as (
    select p_difference - book.minor as minor, -begun.out_minor - fees.minor as lowest, begun.in_minor + leaving.minor as highest
      from book, begun, leaving, fees
  )
  select r.minor - least(greatest(r.minor, r.lowest), r.highest) from rest r
$$;

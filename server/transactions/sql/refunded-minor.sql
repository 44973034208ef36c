-- How much of a collect its refunds have taken or may still take, in hundredths. A refund that FAILED takes nothing, unless its operator may have
-- paid it all the same: while that is in doubt, and once it was booked as late.
create or replace function refunded_minor(p_application_id uuid, p_collect_id uuid) returns bigint language sql stable
set search_path from current as $$
  select coalesce(sum(r.refunded_minor), 0)::bigint
    from transaction_refunds r
    join transactions t on t.application_id = r.application_id and t.transaction_id = r.transaction_id
    where r.application_id = p_application_id and r.collect_id = p_collect_id
      and (t.status <> 'FAILED' or is_contradicted(t.application_id, t.transaction_id) or is_asked_about(t.application_id, t.transaction_id)
           or exists (select from ledger_postings p where p.application_id = t.application_id and p.subject_id = t.transaction_id and p.kind = 'late'))
$$;

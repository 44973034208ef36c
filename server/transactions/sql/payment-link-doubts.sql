-- How many payments of a link FAILED although their operator says otherwise, or is being asked, and were not booked as paid. For links with a
-- largest number of payments: it reads each of them that failed.
create or replace function payment_link_doubts(p_application_id uuid, p_link_id uuid) returns integer language sql stable
set search_path from current as $$
  select count(*)::integer
    from payment_link_payments p
    join transactions t on t.application_id = p.application_id and t.transaction_id = p.transaction_id
    where p.application_id = p_application_id and p.link_id = p_link_id and t.status = 'FAILED'
      and (is_contradicted(t.application_id, t.transaction_id) or is_asked_about(t.application_id, t.transaction_id))
      and not exists (select from ledger_postings l where l.application_id = t.application_id and l.subject_id = t.transaction_id and l.kind = 'late')
$$;

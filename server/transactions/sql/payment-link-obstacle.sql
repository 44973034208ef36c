-- Why a payment link accepts no payment now: null, or the first reason. p_phone_number: who wants to pay; null: somebody. p_except: a collect that is
-- stored already and is not counted. A payment that FAILED takes no place, unless its operator may have collected it all the same.
create or replace function payment_link_obstacle(p_application_id uuid, p_link_id uuid, p_phone_number text, p_except uuid) returns text
language sql stable
set search_path from current as $$
  select case
    when l.link_id is null then 'not_found'
    when l.paid_count + l.late_count >= l.payments_max then 'paid'
    when l.closed_at is not null then 'closed'
    when l.ends_at <= clock_timestamp() then 'expired'
    when not a.allows_payment_links or not a.is_enabled then 'not_allowed'
    when l.paid_count + l.late_count + l.open_count >= l.payments_max then 'in_progress'
    -- The newest of the number are enough: a payment is open for minutes.
    when exists (select from (select t.transaction_id, t.status from transactions t
                                where t.application_id = p_application_id and t.phone_number = p_phone_number order by t.sequence desc limit 100) t
                   join payment_link_payments p on p.application_id = p_application_id and p.transaction_id = t.transaction_id
                   where p.link_id = p_link_id and t.status in ('PENDING', 'PENDING_APPROVAL') and t.transaction_id is distinct from p_except)
      then 'in_progress'
    when l.payments_max is not null
      and l.paid_count + l.late_count + l.open_count + payment_link_doubts(p_application_id, p_link_id) >= l.payments_max then 'in_doubt' end
    from (select) one
    left join payment_links l on l.application_id = p_application_id and l.link_id = p_link_id
    left join applications a on a.application_id = p_application_id
$$;

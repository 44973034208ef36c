-- The part of an application that transaction_days lacks: its transactions since the last run of add_transaction_days. One statement that reads both has
-- sums that are exact in its snapshot.
create or replace function late_transaction_days(p_application uuid)
returns table (day date, operator text, type text, status text, transaction_count bigint, amount_minor bigint)
language sql stable rows 50 set search_path from current as $$
  select n.day, n.operator, n.type, n.status, n.transaction_count, n.amount_minor
    from application_counters c
    left join transaction_day_marks m on m.application_id = c.application_id
    cross join lateral day_changes_between(
      row(c.application_id, coalesce(m.created_until, 0), coalesce(m.success_until, 0), coalesce(m.failed_until, 0))::transaction_day_marks,
      row(c.application_id, c.transaction_count, c.success_count, c.failed_count)::transaction_day_marks) n
    where c.application_id = p_application
$$;

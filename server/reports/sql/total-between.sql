-- The sum of one status over days, both ends included: whole months, then days, then what is not sealed. A month without a row
-- is either not sealed or empty; its days are read and have the same sum.
create or replace function total_between(p_application uuid, p_status text, p_start date, p_end date) returns numeric
language sql stable set jit = off set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set search_path from current as $$
  with seal as materialized (
    select s.sealed_through, s.open_days from application_seals s where s.application_id = p_application and p_status in ('SUCCESS', 'FAILED')
  ), whole_months as materialized (
    -- Whole months of the range that are sealed.
    select t.first_day, (t.first_day + interval '1 month')::date as next_day, t.amount_minor
      from sealed_totals t
      where t.application_id = p_application and t.status = p_status and t.span = 'month'
        and t.first_day >= p_start and t.first_day <= p_end and (t.first_day + interval '1 month')::date - 1 <= p_end
      order by t.first_day
  ), gap as materialized (
    -- The ranges before, between and after them, as far as sealing has come.
    select coalesce(lag(w.next_day) over (order by w.first_day), p_start) as from_day, w.first_day - 1 as to_day from whole_months w
    union all
    select coalesce((select max(w.next_day) from whole_months w), p_start), least(p_end, s.sealed_through) from seal s
  )
  select coalesce((select sum(w.amount_minor) from whole_months w), 0)
    + coalesce((select sum(d.amount) from gap g cross join lateral (
        select sum(t.amount_minor) as amount from sealed_totals t
          where t.application_id = p_application and t.status = p_status and t.span = 'day' and t.first_day between g.from_day and g.to_day) d
        where g.from_day <= g.to_day), 0)
    + coalesce((select sum(o.amount) from seal s cross join lateral unnest(s.open_days) as open (day) cross join lateral (
        select sum(r.amount_minor) as amount from transaction_days r
          where r.application_id = p_application and r.status = p_status and r.day = open.day) o
        where open.day between p_start and p_end), 0)
    + coalesce((select sum(r.amount_minor) from late_transaction_days(p_application) r
        where r.status = p_status and r.day between p_start and p_end
          and (r.day > coalesce((select s.sealed_through from seal s), '-infinity') or r.day = any ((select s.open_days from seal s)::date[]))), 0)
    + coalesce((select sum(r.amount_minor) from transaction_days r
        where r.application_id = p_application and r.status = p_status
          and r.day >= greatest(p_start, coalesce((select s.sealed_through + 1 from seal s), p_start)) and r.day <= p_end), 0)
$$;

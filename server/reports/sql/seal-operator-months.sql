-- Takes finished months over into sealed_operator_months. The months concerned are worked out first and once: left to the
-- planner they were worked out again for every row of transaction_days, which took minutes for ten years of one application.
create or replace function seal_operator_months() returns void language plpgsql volatile set jit = off
set search_path from current as $$
begin
  perform pg_advisory_xact_lock(7304114805);
  insert into sealed_operator_months (application_id, month, operator, type, status, transaction_count, amount_minor)
    with sealed as materialized (
      select t.application_id, date_trunc('month', t.first_day)::date as month from sealed_totals t where t.span = 'day' group by 1, 2
    ), open as materialized (
      select s.application_id, date_trunc('month', o.day)::date as month from application_seals s cross join lateral unnest(s.open_days) as o (day)
    ), wanted as materialized (
      select m.application_id, m.month from sealed m join application_seals s on s.application_id = m.application_id
        where (m.month + interval '1 month')::date - 1 <= s.sealed_through
          and (m.application_id, m.month) not in (select o.application_id, o.month from open o)
          and (m.application_id, m.month) not in (select k.application_id, k.month from sealed_operator_months k)
    )
    select w.application_id, w.month, d.operator, d.type, d.status, sum(d.transaction_count), sum(d.amount_minor)
      from wanted w
      join transaction_days d on d.application_id = w.application_id and d.status in ('SUCCESS', 'FAILED')
        and d.day >= w.month and d.day < (w.month + interval '1 month')::date and d.transaction_count > 0
      group by 1, 2, 3, 4, 5
    on conflict do nothing;
end $$;

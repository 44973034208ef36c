-- Totals per operator and by month over years in a few thousand rows. A month is taken over when every day of it is sealed
-- (0070): nothing created in it is open, so all of it is SUCCESS or FAILED for ever. What is not here is read from
-- transaction_days: this is never needed for a right answer, only for a fast one.
create table sealed_operator_months (
  application_id uuid not null,
  month date not null,
  operator text not null,
  type text not null,
  status text not null check (status in ('SUCCESS', 'FAILED')),
  transaction_count bigint not null,
  amount_minor bigint not null,
  primary key (application_id, month, operator, type, status)
);

create function seal_operator_months() returns void language plpgsql volatile set jit = off as $$
begin
  perform pg_advisory_xact_lock(7304114805);
  insert into sealed_operator_months (application_id, month, operator, type, status, transaction_count, amount_minor)
    select d.application_id, m.month, d.operator, d.type, d.status, sum(d.transaction_count), sum(d.amount_minor)
      from application_seals s
      cross join lateral (
        select date_trunc('month', t.first_day)::date as month from sealed_totals t
          where t.application_id = s.application_id and t.span = 'day' group by 1) m
      join transaction_days d on d.application_id = s.application_id and d.status in ('SUCCESS', 'FAILED')
        and d.day >= m.month and d.day < (m.month + interval '1 month')::date and d.transaction_count > 0
      where (m.month + interval '1 month')::date - 1 <= s.sealed_through
        and not exists (select 1 from unnest(s.open_days) as o (day) where date_trunc('month', o.day) = m.month)
        and not exists (select 1 from sealed_operator_months k where k.application_id = s.application_id and k.month = m.month)
      group by 1, 2, 3, 4, 5
    on conflict do nothing;
end $$;

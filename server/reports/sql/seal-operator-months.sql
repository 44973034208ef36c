-- Takes over the months of which every day is sealed, application by application: one whose sums cannot be stored holds up no other. The
-- months to be taken over are worked out first: left to the planner they were worked out again for every row of transaction_days.
create or replace function seal_operator_months() returns void
language plpgsql volatile set jit = off
set search_path from current as $$
declare
  v_seal record;
  v_months date[];
begin
  perform pg_advisory_xact_lock(7304114805);
  for v_seal in select s.application_id, s.sealed_through, s.open_days from application_seals s order by s.application_id loop
    v_months := array(
      select m.month from (
        select distinct date_trunc('month', t.first_day)::date as month from sealed_totals t
          where t.application_id = v_seal.application_id and t.status in ('SUCCESS', 'FAILED') and t.span = 'day') m
        where (m.month + interval '1 month')::date - 1 <= v_seal.sealed_through
          and m.month <> all (array(select date_trunc('month', o.day)::date from unnest(v_seal.open_days) as o (day)))
          and not exists (select 1 from sealed_operator_months k where k.application_id = v_seal.application_id and k.month = m.month));
    continue when v_months = '{}';
    begin
      insert into sealed_operator_months (application_id, month, operator, type, status, transaction_count, amount_minor)
        select d.application_id, w.month, d.operator, d.type, d.status, sum(d.transaction_count), sum(d.amount_minor)
          from unnest(v_months) as w (month)
          join transaction_days d on d.application_id = v_seal.application_id and d.status in ('SUCCESS', 'FAILED')
            and d.day >= w.month and d.day < (w.month + interval '1 month')::date and d.transaction_count > 0
          group by 1, 2, 3, 4, 5
        on conflict do nothing;
    exception when data_exception or integrity_constraint_violation then
      raise warning 'The months of application % could not be sealed: %', v_seal.application_id, sqlerrm;
    end;
  end loop;
end $$;

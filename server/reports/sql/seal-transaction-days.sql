-- Seals what can be sealed, for every application that has something to seal. Safe to run at any time; a second run waits.
create or replace function seal_transaction_days() returns void language plpgsql set jit = off
set search_path from current as $$
declare
  -- A day is left alone for a day, so that no statement that started on it can still be in progress.
  v_last date := (now() at time zone 'UTC')::date - 2;
  v_through date;
  v_seal record;
  v_open date[];
begin
  -- One at a time: a look that started earlier must not write its open days over those of a later one.
  perform pg_advisory_xact_lock(7304114804);
  for v_seal in
    select c.application_id, coalesce(s.sealed_through, '-infinity') as sealed_through, coalesce(s.open_days, '{}') as open_days
      from application_counters c left join application_seals s on s.application_id = c.application_id
      where s.application_id is null or s.sealed_through < v_last or s.open_days <> '{}'
      order by c.application_id
  loop
    begin
      -- Not the day of a transaction that transaction_days does not count yet. One that ended and is not counted keeps its day open.
      v_through := coalesce((
        select least((t.created_at at time zone 'UTC')::date - 1, v_last) from transactions t
          where t.application_id = v_seal.application_id
            and t.sequence > coalesce((select m.created_until from transaction_day_marks m where m.application_id = v_seal.application_id), 0)
          order by t.sequence limit 1), v_last);
      v_open := array(
        select d.day from transaction_days d
          where d.application_id = v_seal.application_id and d.status in ('PENDING', 'PENDING_APPROVAL')
            and d.day <= v_through and (d.day > v_seal.sealed_through or d.day = any (v_seal.open_days))
          group by d.day having sum(d.transaction_count) > 0 order by 1);
      insert into sealed_totals (application_id, status, span, first_day, transaction_count, amount_minor)
        select d.application_id, d.status, 'day', d.day, sum(d.transaction_count), sum(d.amount_minor)
          from transaction_days d
          where d.application_id = v_seal.application_id and d.status in ('SUCCESS', 'FAILED') and d.day <= v_through
            and (d.day > v_seal.sealed_through or d.day = any (v_seal.open_days)) and d.day <> all (v_open)
          group by d.application_id, d.status, d.day
        on conflict do nothing;
      insert into sealed_totals (application_id, status, span, first_day, transaction_count, amount_minor)
        select d.application_id, d.status, 'month', date_trunc('month', d.first_day)::date, sum(d.transaction_count), sum(d.amount_minor)
          from sealed_totals d
          where d.application_id = v_seal.application_id and d.status in ('SUCCESS', 'FAILED') and d.span = 'day'
            and d.first_day >= date_trunc('month', least(v_seal.sealed_through, v_seal.open_days[1]))
            and date_trunc('month', d.first_day) <> all (array(select date_trunc('month', o.day) from unnest(v_open) as o (day)))
          group by d.application_id, d.status, date_trunc('month', d.first_day)
          having (date_trunc('month', d.first_day) + interval '1 month')::date - 1 <= v_through
        on conflict do nothing;
      insert into application_seals (application_id, sealed_through, open_days) values (v_seal.application_id, v_through, v_open)
        on conflict (application_id) do update set sealed_through = excluded.sealed_through, open_days = excluded.open_days
          where application_seals.sealed_through <= excluded.sealed_through;
    exception when data_exception or integrity_constraint_violation then
      -- Its days stay open and are read from the roll-ups.
      raise warning 'The days of application % could not be sealed: %', v_seal.application_id, sqlerrm;
    end;
  end loop;
end $$;

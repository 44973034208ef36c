-- Totals over ranges of years in a few hundred rows. transaction_days has up to 26 rows for each day and status; here is one
-- per day, and one per month, for days of which nothing can change any more: they ended more than a day ago and nothing
-- created on them is open. SUCCESS and FAILED are final, so what is sealed once is right for ever, and the statements that
-- move money neither know nor pay for it. What is not sealed is read from transaction_days: sealing is never needed for a
-- right answer, only for a fast one.

create table sealed_totals (
  application_id uuid not null,
  status text not null check (status in ('SUCCESS', 'FAILED')),
  span text not null check (span in ('day', 'month')),
  first_day date not null,
  transaction_count bigint not null,
  amount_minor bigint not null,
  primary key (application_id, status, span, first_day)
);

-- Days up to sealed_through are sealed, except open_days: on those something was still open at the last look.
create table application_seals (
  application_id uuid primary key,
  sealed_through date not null,
  open_days date[] not null default '{}'
);

-- Seals what can be sealed, for every application that has something to seal. Safe to run at any time; a second run waits.
create function seal_transaction_days() returns void language plpgsql set jit = off as $$
declare
  -- A day is left alone for a day, so that no statement that began on it can still be under way.
  v_through date := (now() at time zone 'UTC')::date - 2;
  v_seal record;
  v_open date[];
begin
  -- One at a time: a look that began earlier must not write its open days over those of a later one.
  perform pg_advisory_xact_lock(7304114804);
  for v_seal in
    select c.application_id, coalesce(s.sealed_through, '-infinity') as sealed_through, coalesce(s.open_days, '{}') as open_days
      from application_counters c left join application_seals s on s.application_id = c.application_id
      where s.application_id is null or s.sealed_through < v_through or s.open_days <> '{}'
      order by c.application_id
  loop
    v_open := array(
      select distinct d.day from transaction_days d
        where d.application_id = v_seal.application_id and d.status in ('PENDING', 'PENDING_APPROVAL') and d.transaction_count > 0
          and d.day <= v_through and (d.day > v_seal.sealed_through or d.day = any (v_seal.open_days)) order by 1);
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
  end loop;
end $$;

-- The sum of one status over days, both ends included: whole months, then days, then what is not sealed. A month without a row
-- is either not sealed or empty; its days are asked for and give the same.
create function total_between(p_application uuid, p_status text, p_start date, p_end date) returns numeric
language sql stable set jit = off set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  with seal as materialized (
    select s.sealed_through, s.open_days from application_seals s where s.application_id = p_application and p_status in ('SUCCESS', 'FAILED')
  ), whole as materialized (
    -- Whole months of the range that are sealed.
    select t.first_day, (t.first_day + interval '1 month')::date as next_day, t.amount_minor
      from sealed_totals t
      where t.application_id = p_application and t.status = p_status and t.span = 'month'
        and t.first_day >= p_start and t.first_day <= p_end and (t.first_day + interval '1 month')::date - 1 <= p_end
      order by t.first_day
  ), gap as materialized (
    -- What lies before, between and after them, up to where sealing has come.
    select coalesce(lag(w.next_day) over (order by w.first_day), p_start) as from_day, w.first_day - 1 as to_day from whole w
    union all
    select coalesce((select max(w.next_day) from whole w), p_start), least(p_end, s.sealed_through) from seal s
  )
  select coalesce((select sum(w.amount_minor) from whole w), 0)
    + coalesce((select sum(d.amount) from gap g cross join lateral (
        select sum(t.amount_minor) as amount from sealed_totals t
          where t.application_id = p_application and t.status = p_status and t.span = 'day' and t.first_day between g.from_day and g.to_day) d
        where g.from_day <= g.to_day), 0)
    + coalesce((select sum(o.amount) from seal s cross join lateral unnest(s.open_days) as open (day) cross join lateral (
        select sum(r.amount_minor) as amount from transaction_days r
          where r.application_id = p_application and r.status = p_status and r.day = open.day) o
        where open.day between p_start and p_end), 0)
    + coalesce((select sum(r.amount_minor) from transaction_days r
        where r.application_id = p_application and r.status = p_status
          and r.day >= greatest(p_start, coalesce((select s.sealed_through + 1 from seal s), p_start)) and r.day <= p_end), 0)
$$;

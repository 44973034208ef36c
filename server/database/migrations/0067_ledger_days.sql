-- Statements and trends without reading postings: the movements of each account by UTC day, summed up to an instant.
-- Nothing on the hot path writes here; a scheduled task adds what was posted since it last ran. Readers add the postings
-- since `sealed_until` themselves, so that what they show is right however late the task is.

-- What a posting is to a statement. `collected`, `paid` and `funded` are seen from the outside; held money only moves within.
create view ledger_movements as
  select p.application_id, p.operator, p.at, (p.at at time zone 'UTC')::date as day, p.collect_minor, p.deposit_minor, p.held_minor,
         case when p.kind = 'settle' and p.clearing_minor < 0 then -p.clearing_minor else 0 end as collected_minor,
         case when p.kind = 'settle' and p.clearing_minor > 0 then p.clearing_minor else 0 end as paid_minor,
         case when p.kind = 'settle' then p.fees_minor + p.revenue_minor else 0 end as fees_minor,
         case when p.kind = 'fund' then p.deposit_minor else 0 end as funded_minor,
         case when p.kind = 'correct' then p.collect_minor + p.deposit_minor + p.held_minor else 0 end as corrected_minor,
         case when p.kind = 'hold' then p.held_minor else 0 end as placed_minor,
         case when p.kind = 'release' then -p.held_minor else 0 end as released_minor
    from ledger_postings p;

create table ledger_days (
  application_id uuid not null,
  operator text not null,
  day date not null,
  posting_count bigint not null,
  -- By how much each balance moved.
  collect_minor bigint not null,
  deposit_minor bigint not null,
  held_minor bigint not null,
  collected_minor bigint not null,
  paid_minor bigint not null,
  fees_minor bigint not null,
  funded_minor bigint not null,
  corrected_minor bigint not null,
  placed_minor bigint not null,
  released_minor bigint not null,
  -- How far the deposit balance rose above where it began the day; since when a balance is low is found by it.
  deposit_peak_minor bigint not null check (deposit_peak_minor >= 0),
  primary key (application_id, operator, day),
  constraint statement_adds_up check (
    collect_minor + deposit_minor + held_minor = collected_minor + funded_minor + corrected_minor - paid_minor - fees_minor)
);

-- One row: up to which instant postings are in ledger_days.
create table ledger_seal (
  is_only boolean primary key default true check (is_only),
  sealed_until timestamptz not null
);
insert into ledger_seal (sealed_until) values ('-infinity');

-- Adds the postings of a stretch of time, of one application or (null) of all.
create function add_ledger_days(p_application uuid, p_from timestamptz, p_until timestamptz) returns void
language plpgsql volatile set jit = off as $$
begin
  execute $sql$
    insert into ledger_days as d (application_id, operator, day, posting_count, collect_minor, deposit_minor, held_minor,
        collected_minor, paid_minor, fees_minor, funded_minor, corrected_minor, placed_minor, released_minor, deposit_peak_minor)
      select m.application_id, m.operator, m.day, count(*), sum(m.collect_minor), sum(m.deposit_minor), sum(m.held_minor),
             sum(m.collected_minor), sum(m.paid_minor), sum(m.fees_minor), sum(m.funded_minor), sum(m.corrected_minor),
             sum(m.placed_minor), sum(m.released_minor), greatest(0, max(m.risen_minor))
        -- Postings of one instant are one batch and happened together.
        from (select n.*, sum(n.deposit_minor) over (partition by n.application_id, n.operator, n.day order by n.at) as risen_minor
                from ledger_movements n
                where n.at >= $2 and n.at < $3 and ($1 is null or n.application_id = $1)) m
        group by m.application_id, m.operator, m.day
      on conflict (application_id, operator, day) do update set
        posting_count = d.posting_count + excluded.posting_count,
        collect_minor = d.collect_minor + excluded.collect_minor,
        deposit_minor = d.deposit_minor + excluded.deposit_minor,
        held_minor = d.held_minor + excluded.held_minor,
        collected_minor = d.collected_minor + excluded.collected_minor,
        paid_minor = d.paid_minor + excluded.paid_minor,
        fees_minor = d.fees_minor + excluded.fees_minor,
        funded_minor = d.funded_minor + excluded.funded_minor,
        corrected_minor = d.corrected_minor + excluded.corrected_minor,
        placed_minor = d.placed_minor + excluded.placed_minor,
        released_minor = d.released_minor + excluded.released_minor,
        deposit_peak_minor = greatest(d.deposit_peak_minor, d.deposit_minor + excluded.deposit_peak_minor)
  $sql$ using p_application, p_from, p_until;
end $$;

-- Brings ledger_days up to an instant that no transaction still under way can post before: a posting carries a time after
-- its transaction began, so the oldest one that writes is the limit. The margin is for clocks that are set back a little.
create function seal_ledger_days(p_margin interval) returns timestamptz language plpgsql volatile as $$
declare
  v_from timestamptz;
  v_until timestamptz;
begin
  select s.sealed_until into v_from from ledger_seal s for update;
  select least(clock_timestamp() - p_margin, min(a.xact_start)) into v_until
    from pg_stat_activity a
    where a.datname = current_database() and a.pid <> pg_backend_pid() and a.backend_xid is not null;
  select least(v_until, min(x.prepared)) into v_until from pg_prepared_xacts x where x.database = current_database();
  if v_until <= v_from then
    return v_from;
  end if;
  perform add_ledger_days(null, v_from, v_until);
  update ledger_seal set sealed_until = v_until;
  return v_until;
end $$;

-- Makes the days of an application anew from its postings.
create function rebuild_ledger_days(p_application uuid) returns void language plpgsql volatile as $$
declare
  v_until timestamptz;
begin
  select s.sealed_until into v_until from ledger_seal s for update;
  delete from ledger_days where application_id = p_application;
  perform add_ledger_days(p_application, '-infinity', v_until);
end $$;

-- Below which deposit balance finance wants to be warned.
create table balance_thresholds (
  application_id uuid not null,
  operator text not null,
  threshold_minor bigint not null check (threshold_minor > 0),
  set_by uuid not null,
  set_at timestamptz not null default now(),
  primary key (application_id, operator)
);

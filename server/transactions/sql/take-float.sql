-- Returns how many of the deposits, in the given order, may be sent now to an operator, and counts their amounts as sent: the reported balance of our
-- account there, less what was claimed since, must not fall below its floor. The first one that is not covered holds back those behind it, so
-- that order is kept. Without a report of the last 15 minutes nothing is known, and everything may be sent.
--
-- p_first_at: since when the first of them is due; null if they have just been created, and wait behind those that wait already, also when the
-- account covers all of them or a person has released them: until the last one was claimed, those are still first.
--
-- Far from the floor nothing is locked. A claim of at most a twentieth of what is available may run beside nineteen others of that size without
-- knowing of them; a larger one waits for its turn, and takes nothing while older deposits are queued: another process may have locked those and wait
-- for its turn behind this one. Everything is locked operator by operator, in order: callers with several operators call in
-- ascending order.
create or replace function take_float(p_operator text, p_amounts_minor bigint[], p_first_at timestamptz)
returns integer
language plpgsql volatile
set search_path from current as $$
declare
  v_at timestamptz := clock_timestamp();
  v_float operator_floats;
  v_available_minor bigint;
  v_total_minor bigint;
  v_count integer := cardinality(p_amounts_minor);
  v_missing_minor bigint;
begin
  select * into v_float from operator_floats f where f.operator = p_operator;
  if not found then
    return v_count;
  end if;
  if v_float.waits_since is not null and (p_first_at is null or v_float.try_at > v_at) then
    return 0;
  end if;
  if p_first_at is null and exists (select from operator_work w where w.operator = p_operator and w.type = 'DEPOSIT' and w.phase = 'queued'
                                      and w.next_at <= v_at) then
    return 0;
  end if;
  select sum(a) into v_total_minor from unnest(p_amounts_minor) a;
  if v_float.reported_at >= v_at - interval '15 minutes' then
    v_available_minor := float_left(v_float);
    if v_total_minor * 20 > v_available_minor then
      perform pg_advisory_xact_lock(hashtext('take_float'), hashtext(p_operator));
      -- Statements of their own see what the turn before has committed.
      if exists (select from operator_work w where w.operator = p_operator and w.type = 'DEPOSIT' and w.phase = 'queued'
                   and w.next_at < coalesce(p_first_at, v_at)) then
        return 0;
      end if;
      select * into v_float from operator_floats f where f.operator = p_operator;
      v_available_minor := float_left(v_float);
      select count(*) filter (where s.running_minor <= v_available_minor), min(s.running_minor) filter (where s.running_minor > v_available_minor)
        into v_count, v_missing_minor
        from (select sum(a.amount_minor) over (order by a.place) as running_minor
                from unnest(p_amounts_minor) with ordinality as a (amount_minor, place)) s;
      v_total_minor := (select coalesce(sum(a.amount_minor), 0) from unnest(p_amounts_minor[1:v_count]) as a (amount_minor));
    end if;
  end if;
  if v_missing_minor is not null then
    update operator_floats f
      -- It was tried, so a refusal before is over: the next one is compared with what the operator reports now.
      set waits_since = coalesce(f.waits_since, v_at), missing_minor = v_missing_minor - v_available_minor, try_at = v_at + interval '5 seconds',
          is_refused = false, refused_at_minor = null
      where f.operator = p_operator;
  elsif v_float.waits_since is not null then
    update operator_floats f set waits_since = null, missing_minor = null, try_at = null, is_refused = false, refused_at_minor = null
      where f.operator = p_operator;
  end if;
  if v_count > 0 then
    insert into operator_float_sent as s (operator, slot, sent_minor) values (p_operator, pg_backend_pid() % 16, v_total_minor)
      on conflict (operator, slot) do update set sent_minor = s.sent_minor + excluded.sent_minor;
  end if;
  return v_count;
end $$;

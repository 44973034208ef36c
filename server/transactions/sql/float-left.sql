-- Returns what may still be sent from our account at an operator before it falls below its floor: what it reported, less what was claimed since.
-- A claim of another process that has not been committed is missing.
create or replace function float_left(p_float operator_floats)
returns bigint
language sql stable
set search_path from current as $$
  select p_float.available_minor - p_float.floor_minor + p_float.sent_before_minor
    - (select coalesce(sum(s.sent_minor), 0)::bigint from operator_float_sent s where s.operator = p_float.operator)
$$;

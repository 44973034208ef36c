-- The least time from the last claim of a row to the query that a callback makes due. p_hints: unsigned callbacks that did so since the last
-- signed one, this one included. The first costs a query at once; each further one waits twice as long, at most ten minutes.
create or replace function hint_gap_ms(p_gap_ms integer, p_hints integer)
returns integer language sql immutable
set search_path from current as $$
  select case when p_hints <= 1 then p_gap_ms else greatest(p_gap_ms, least(1000 * power(2, least(p_hints, 20) - 1), 600000)::integer) end
$$;

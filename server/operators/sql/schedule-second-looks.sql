-- Schedules the query of each payment that was submitted and ended as failed, one hour after its end. Follows the order in which payments end, so
-- that the statement that ends one does no more than before. Takes at most p_limit failures of each application and returns how many it read.
-- Failures older than thirty days are not queried: no operator is expected to answer about them.
create or replace function schedule_second_looks(p_limit integer, p_spread_ms integer)
returns bigint
language plpgsql volatile set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set jit = off
set search_path from current as $$
declare
  v_read bigint;
begin
  with behind as materialized (
    select c.application_id, coalesce(m.failed_sequence, 0) as failed_sequence
      from application_counters c left join second_look_marks m on m.application_id = c.application_id
      where c.failed_count > coalesce(m.failed_sequence, 0)
  ), failure as materialized (
    select f.* from behind b
      cross join lateral (select t.application_id, t.transaction_id, t.operator, t.version, t.final_sequence, t.final_at from final_transactions t
                          where t.application_id = b.application_id and t.to_status = 'FAILED' and t.final_sequence > b.failed_sequence
                          order by t.final_sequence limit p_limit) f
  ), scheduled as (
    insert into contradiction_queries (application_id, transaction_id, kind, operator, next_at)
      select f.application_id, f.transaction_id, 'hour_look', f.operator,
             f.final_at + interval '1 hour' + random() * p_spread_ms * interval '1 millisecond'
        from failure f
        cross join lateral (select n.event, n.actor_kind from transaction_events n
                            where n.application_id = f.application_id and n.transaction_id = f.transaction_id and n.version = f.version offset 0) e
        -- Transactions that people rejected or stopped, and those ended without a call (`system`), were never at an operator. A row of a
        -- stopped batch that the operator denied ends with this event too, in the name of the person who stopped it.
        where e.event = 'failed' and e.actor_kind <> 'system' and f.final_at > clock_timestamp() - interval '30 days'
      on conflict do nothing
  ), marked as (
    insert into second_look_marks as m (application_id, failed_sequence)
      select f.application_id, max(f.final_sequence) from failure f group by f.application_id
      on conflict (application_id) do update set failed_sequence = greatest(m.failed_sequence, excluded.failed_sequence)
  )
  select count(*) into v_read from failure;
  return v_read;
end $$;

-- Records what contradicts a final result, the first time for each transaction, and queues one question to the operator
-- about it. What does not contradict anything is ignored. Returns the places of those that contradict, and whether they are
-- new: however often a contradiction is repeated, it costs one row and one question.
create or replace function record_operator_contradictions(p_items json)
returns table (place integer, is_new boolean)
language plpgsql volatile set enable_seqscan = off set jit = off
set search_path from current as $$
#variable_conflict use_column
begin
  return query
  with item as materialized (
    select i.* from json_to_recordset(p_items) as i (place integer, app uuid, id uuid, operator text, source text, said text,
      http_status integer, answer text)
  ), contradicting as materialized (
    select i.place, i.app, i.id, i.operator, i.source, i.said, i.http_status, i.answer, t.status
      from item i
      cross join lateral (select n.transaction_id, n.operator, n.status from transactions n
                          where n.application_id = i.app and n.transaction_id >= i.id order by n.transaction_id limit 1) t
      where t.transaction_id = i.id and t.operator = i.operator
        and ((t.status = 'FAILED' and i.said = 'succeeded') or (t.status = 'SUCCESS' and i.said = 'failed'))
  ), recorded as (
    insert into operator_contradictions (application_id, transaction_id, number, source, said, stored_status, http_status, answer, at)
      select c.app, c.id, 1, c.source, c.said, c.status, c.http_status, c.answer, clock_timestamp() from contradicting c
      order by c.app, c.id
      on conflict do nothing
      returning application_id, transaction_id
  ), queued as (
    insert into contradiction_queries (application_id, transaction_id, operator, next_at)
      select c.app, c.id, c.operator, clock_timestamp()
        from contradicting c join recorded r on r.application_id = c.app and r.transaction_id = c.id
      on conflict do nothing
  )
  select c.place, exists (select from recorded r where r.application_id = c.app and r.transaction_id = c.id) from contradicting c;
end $$;

-- Stores what contradicts a final result, the first time for each transaction, and queues one question to the operator
-- about it. Answers that contradict nothing are ignored. Returns those that contradict, and whether they are
-- new: however often a contradiction is repeated, it costs one row and one question.
create or replace function store_operator_contradictions(p_items json)
returns table (item_index integer, is_new boolean)
language plpgsql volatile set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set jit = off
set search_path from current as $$
#variable_conflict use_column
begin
  return query
  with item as materialized (
    select i.* from json_to_recordset(p_items) as i (item_index integer, application_id uuid, transaction_id uuid, operator text,
      source text, said text, answer text)
  ), contradicting as materialized (
    select i.item_index, i.application_id, i.transaction_id, i.operator, i.source, i.said, i.answer, t.status
      from item i
      cross join lateral (select n.transaction_id, n.operator, n.status from transactions n
                          where n.application_id = i.application_id and n.transaction_id >= i.transaction_id order by n.transaction_id limit 1) t
      where t.transaction_id = i.transaction_id and t.operator = i.operator
        and ((t.status = 'FAILED' and i.said = 'succeeded') or (t.status = 'SUCCESS' and i.said = 'failed'))
  ), recorded as (
    insert into operator_contradictions (application_id, transaction_id, number, source, said, stored_status, answer, at)
      select c.application_id, c.transaction_id, 1, c.source, c.said, c.status, c.answer, clock_timestamp() from contradicting c
      order by c.application_id, c.transaction_id
      on conflict do nothing
      returning application_id, transaction_id
  ), queued as (
    insert into contradiction_queries (application_id, transaction_id, kind, operator, next_at)
      select c.application_id, c.transaction_id, 'contradiction', c.operator, clock_timestamp()
        from contradicting c join recorded r on r.application_id = c.application_id and r.transaction_id = c.transaction_id
      on conflict do nothing
  )
  select c.item_index, exists (select from recorded r where r.application_id = c.application_id and r.transaction_id = c.transaction_id) from contradicting c;
end $$;

-- Whether an operator contradicts the final result of a transaction and did not settle it in favour of that result when it was queried.
create or replace function is_contradicted(p_application_id uuid, p_transaction_id uuid)
returns boolean language sql stable
set search_path from current as $$
  select coalesce(bool_or(c.number = 1), false) and not (
           coalesce(bool_or(c.number > 1 and c.said = case c.stored_status when 'SUCCESS' then 'succeeded' else 'failed' end), false)
           and not coalesce(bool_or(c.number > 1 and c.said = case c.stored_status when 'SUCCESS' then 'failed' else 'succeeded' end), false))
    from operator_contradictions c where c.application_id = p_application_id and c.transaction_id = p_transaction_id
$$;

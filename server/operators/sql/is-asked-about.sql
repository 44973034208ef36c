-- Whether an operator is being queried about a contradiction or a hint against the final result of a transaction.
create or replace function is_asked_about(p_application_id uuid, p_transaction_id uuid)
returns boolean language sql stable
set search_path from current as $$
  select exists (select from contradiction_queries q where q.application_id = p_application_id and q.transaction_id = p_transaction_id
                   and q.kind in ('contradiction', 'hint') and q.ended_at is null)
$$;

-- Why a collect cannot be refunded now: null, or the first reason. An operator that contradicts the result, and an adjustment or a reversal at the operator that is
-- made or proposed, mean that the money may not be there any more.
create or replace function refund_obstacle(p_application_id uuid, p_collect_id uuid) returns text language sql stable
set search_path from current as $$
  select case
    when t.transaction_id is null then 'not_found'
    when t.type <> 'COLLECT' then 'not_a_collect'
    when t.status <> 'SUCCESS' then 'not_successful'
    when is_contradicted(p_application_id, p_collect_id) or is_asked_about(p_application_id, p_collect_id) then 'contradicted'
    when exists (select from ledger_postings p where p.application_id = p_application_id and p.subject_id = p_collect_id
                   and p.kind in ('reverse', 'late', 'concede'))
      or exists (select from proposed_changes c where c.outcome is null and c.expires_at > clock_timestamp()
                   and (c.kind like 'adjustment.%' or c.kind = 'reversal.ask') and c.subject = p_application_id || ' ' || p_collect_id)
      or exists (select from operator_reversals o where o.application_id = p_application_id and o.transaction_id = p_collect_id
                   and o.state <> 'refused') then 'adjusted' end
    from (select) one left join transactions t on t.application_id = p_application_id and t.transaction_id = p_collect_id
$$;

-- Lists the operator references and tokens of the next final transactions of an application, at most p_limit of each status, and returns how many
-- transactions it went through. Final sequences have no gaps and commit in order, so what is read up to the highest one is complete. A
-- second run waits for the mark and continues after it. A reference that another transaction of the same operator and direction has
-- is recorded for both of them, also across applications, because they share one account at the operator.
create or replace function list_operator_references(p_application uuid, p_limit bigint) returns bigint
language plpgsql volatile set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_sort = off
set jit = off
set search_path from current as $$
declare
  v_mark operator_reference_marks;
  v_success bigint;
  v_failed bigint;
begin
  insert into operator_reference_marks (application_id, success_until, failed_until) values (p_application, 0, 0) on conflict do nothing;
  select * into v_mark from operator_reference_marks m where m.application_id = p_application for no key update;
  select least(c.success_count, v_mark.success_until + p_limit), least(c.failed_count, v_mark.failed_until + p_limit)
    into v_success, v_failed from application_counters c where c.application_id = p_application;
  if v_success is null or (v_success <= v_mark.success_until and v_failed <= v_mark.failed_until) then return 0; end if;
  with ended as materialized (
    (select f.application_id, f.transaction_id, f.operator, f.type, f.operator_reference, f.operator_reference_other, f.operator_token
       from final_transactions f
       where f.application_id = p_application and f.to_status = 'SUCCESS' and f.final_sequence > v_mark.success_until and f.final_sequence <= v_success
       order by f.final_sequence)
    union all
    (select f.application_id, f.transaction_id, f.operator, f.type, f.operator_reference, f.operator_reference_other, f.operator_token
       from final_transactions f
       where f.application_id = p_application and f.to_status = 'FAILED' and f.final_sequence > v_mark.failed_until and f.final_sequence <= v_failed
       order by f.final_sequence)
  ), new_tokens as (
    insert into operator_tokens (application_id, operator_token, transaction_id)
      select t.application_id, t.operator_token, t.transaction_id from ended t where t.operator_token is not null
      on conflict do nothing
  ), listed as (
    insert into operator_references (application_id, operator_reference, transaction_id, operator, type)
      select t.application_id, named.reference, t.transaction_id, t.operator, t.type
        from ended t
        cross join lateral (values (t.operator_reference), (t.operator_reference_other)) named (reference)
        where named.reference is not null
      on conflict do nothing
      returning application_id, operator_reference, transaction_id, operator, type
  ), repeated as materialized (
    select c.* from (select l.*, count(*) over (partition by l.operator, l.type, l.operator_reference) as uses from listed l) c where c.uses > 1
  ), pair as (
    select l.*, r.application_id as other_application_id, r.transaction_id as other_transaction_id
      from listed l
      join operator_references r on r.operator = l.operator and r.type = l.type and r.operator_reference = l.operator_reference
    union all
    -- The statement does not see what it inserts, so two of one slice are compared among themselves.
    select l.application_id, l.operator_reference, l.transaction_id, l.operator, l.type, s.application_id, s.transaction_id
      from repeated l
      join repeated s on s.operator = l.operator and s.type = l.type and s.operator_reference = l.operator_reference
      where (s.application_id, s.transaction_id) <> (l.application_id, l.transaction_id)
  )
  insert into shared_operator_references
      (application_id, transaction_id, operator, type, operator_reference, other_application_id, other_transaction_id)
    select p.application_id, p.transaction_id, p.operator, p.type, p.operator_reference, p.other_application_id, p.other_transaction_id from pair p
    union all
    select p.other_application_id, p.other_transaction_id, p.operator, p.type, p.operator_reference, p.application_id, p.transaction_id from pair p
    on conflict do nothing;
  update operator_reference_marks m set success_until = v_success, failed_until = v_failed where m.application_id = p_application;
  return v_success - v_mark.success_until + v_failed - v_mark.failed_until;
end $$;

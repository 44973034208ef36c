-- The absent checker in whose place a deputy may decide about a transaction now; null: none. That person must not have been its maker, by the same
-- rules as the deputy (may-decide.ts), and their right must not have been used: one checker's right counts once, also through several deputies.
create or replace function deputy_for(p_application uuid, p_person uuid, p_transaction uuid) returns uuid language sql stable
set search_path from current as $$
  select a.absent_id from absent_checkers(p_application, p_person) a
      join transactions t on t.application_id = p_application and t.transaction_id = p_transaction
    where t.maker_id is distinct from a.absent_id
      and not exists (select from batches b where b.application_id = t.application_id and b.batch_id = t.batch_id
        and a.absent_id = any (b.prepared_by))
      and not exists (select from api_users u where u.application_id = t.application_id and u.api_user_id = t.api_user_id
        and a.absent_id = any (u.password_holders))
      and not exists (select from approval_decisions d where d.application_id = t.application_id and d.transaction_id = t.transaction_id
        and d.authority_id = a.absent_id)
    order by a.ends_at, a.absent_id limit 1
$$;

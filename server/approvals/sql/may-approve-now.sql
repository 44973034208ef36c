-- Whether a person may approve in an application at this moment: an active member with the checker role who is not blocked
-- and not the maker. Everything that counts approvals asks this, so that the queue and the decision never count differently.
create or replace function may_approve_now(p_application uuid, p_person uuid, p_maker uuid) returns boolean language sql stable
set search_path from current as $$
  select p_person is distinct from p_maker and exists (
    select 1 from memberships m join people p on p.person_id = m.person_id
      where m.application_id = p_application and m.person_id = p_person and m.is_active and 'checker' = any (m.roles) and not p.is_blocked)
$$;

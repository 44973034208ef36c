-- Whether a person is an active checker of an application now: a member with the role who is not blocked.
create or replace function is_checker(p_application uuid, p_person uuid) returns boolean language sql stable
set search_path from current as $$
  select exists (
    select 1 from memberships m join people p on p.person_id = m.person_id
      where m.application_id = p_application and m.person_id = p_person and m.is_active and 'checker' = any (m.roles) and not p.is_blocked)
$$;

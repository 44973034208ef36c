-- Whether an approval of this person counts now: an active checker who is not the maker. Everything that counts approvals
-- calls this function, so that the queue and the decision never count differently.
create or replace function may_approve_now(p_application uuid, p_person uuid, p_maker uuid) returns boolean language sql stable
set search_path from current as $$
  select p_person is distinct from p_maker and is_checker(p_application, p_person)
$$;

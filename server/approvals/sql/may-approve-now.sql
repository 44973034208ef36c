-- Whether an approval of this person counts now, which a deputy gave on behalf of a checker: an active checker who is not the maker. Everything that
-- counts approvals calls this function, so that the queue and the decision never count differently. An approval of a deputy outlives the absence in
-- which it was given, but neither the deputy's membership nor the checker's role.
create or replace function may_approve_now(p_application uuid, p_person uuid, p_maker uuid, p_behalf uuid) returns boolean language sql stable
set search_path from current as $$
  select p_person is distinct from p_maker
    and (is_own_checker(p_application, p_person) or p_behalf is distinct from p_maker and may_stand_in(p_application, p_person, p_behalf))
$$;

-- Whether a person may decide about payments of an application now: a checker, or the deputy of one.
create or replace function is_checker(p_application uuid, p_person uuid) returns boolean language sql stable
set search_path from current as $$
  select is_own_checker(p_application, p_person) or exists (select from absent_checkers(p_application, p_person))
$$;

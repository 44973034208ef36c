-- The name of who made a payment or a batch, as people read it: the maker's, or else the user name of the program's API user.
create or replace function maker_name_of(p_application uuid, p_maker uuid, p_api_user uuid) returns text language sql stable
set search_path from current as $$
  select coalesce((select p.name from people p where p.person_id = p_maker),
    (select u.username from api_users u where u.application_id = p_application and u.api_user_id = p_api_user))
$$;

create or replace function refuse_change() returns trigger language plpgsql
set search_path from current as $$
begin
  raise exception 'rows of % are never changed or removed: write a new one', tg_table_name using errcode = 'restrict_violation';
end $$;

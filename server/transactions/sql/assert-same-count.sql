-- Fails the statement, and with it everything it did, if two counts that must be equal differ.
create or replace function assert_same_count(p_actual bigint, p_expected bigint) returns boolean language plpgsql stable
set search_path from current as $$
begin
  if p_actual <> p_expected then
    raise exception '% of % transactions moved: something changed them without the lock of their application', p_actual, p_expected
      using errcode = 'serialization_failure';
  end if;
  return true;
end $$;

-- Ends the statement, and with it everything it did, where two counts that must agree do not.
create or replace function same_number(done bigint, expected bigint) returns boolean language plpgsql stable
set search_path from current as $$
begin
  if done <> expected then
    raise exception '% of % transactions moved: something changed them without the lock of their application', done, expected
      using errcode = 'serialization_failure';
  end if;
  return true;
end $$;

-- Fails the statement, and with it everything it did, if a balance that must change has no row: the posting would be in no balance.
-- The error is one of the data, not of the moment, so that the batch is repeated without this item.
create or replace function assert_balances_moved(p_actual bigint, p_expected bigint) returns boolean language plpgsql stable
set search_path from current as $$
begin
  if p_actual <> p_expected then
    raise exception '% of % balances moved: an application has no balance at one of its operators', p_actual, p_expected
      using errcode = 'foreign_key_violation';
  end if;
  return true;
end $$;

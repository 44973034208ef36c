-- Ends the statement, and with it everything it did, where a balance that had to move has no row: money would be posted
-- that no balance knows of. An error of the data and not of the moment, so that callers try the batch without this item.
create or replace function balances_moved(done bigint, expected bigint) returns boolean language plpgsql stable
set search_path from current as $$
begin
  if done <> expected then
    raise exception '% of % balances moved: an application has no balance at one of its operators', done, expected
      using errcode = 'foreign_key_violation';
  end if;
  return true;
end $$;

-- A trigger of operator_work in a database that was restored (ask-after-restore.ts): work of an older transaction begins as unconfirmed, so
-- its operator is asked first. It may have been approved, resumed and paid after the point that was restored.
create or replace function ask_before_first_submission() returns trigger language plpgsql
set search_path from current as $$
begin
  new.state := 'unconfirmed';
  new.next_at := clock_timestamp();
  new.unconfirmed_since := clock_timestamp();
  return new;
end $$;

-- A receiver as people see it: its address without user name and password. Without a search_path of its own, which would keep it from being
-- inlined into the statements that group by it.
create or replace function webhook_receiver(target text) returns text language sql immutable parallel safe
  return regexp_replace(target, '^([a-z]+://)[^/]*@', '\1');

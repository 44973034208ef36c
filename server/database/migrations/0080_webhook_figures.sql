-- Which deliveries ended in the last hours, and which were given up: figures of the overview and the lists behind them.

-- A receiver as people see it: its address without user name and password.
create function webhook_receiver(target text) returns text language sql immutable parallel safe
  return regexp_replace(target, '^([a-z]+://)[^/]*@', '\1');

-- A block range costs a delivery almost nothing, a b-tree entry each would; rows end roughly in the order in which they lie.
create index webhook_deliveries_by_finish on webhook_deliveries using brin (finished_at) with (pages_per_range = 32, autosummarize = on);

-- Few are given up, and they are looked for by those who must act, however long ago it was.
create index webhook_deliveries_exhausted on webhook_deliveries (application_id, finished_at) where state = 'exhausted';

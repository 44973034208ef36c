-- A claim is noted beside the due time instead of in it: `next_at` is in an index, so that moving it wrote every index entry of the row again.
-- Now a claim changes the row in its page, if there is room.
alter table operator_work add column claimed_until timestamptz;
alter table operator_work add column submit_number integer;
alter table operator_work set (fillfactor = 40);
alter table webhook_deliveries add column claimed_until timestamptz;
alter table webhook_deliveries set (fillfactor = 70);
-- An attempt is written once, when its outcome is known.
alter table operator_attempts reset (fillfactor);

-- The final result that a submission returned, kept until it is settled. An operator that refuses a submission may keep no trace of it, so that
-- a query after a restart could not find out again.
alter table operator_work
  add column result text check (result in ('succeeded', 'failed')),
  add column result_reason text,
  add column result_code text;

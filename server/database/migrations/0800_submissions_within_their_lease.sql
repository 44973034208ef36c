-- The lease of a submission depends on its operator's timeouts, so each lane names its own.
drop function if exists claim_operator_work(json, integer);

-- An operator may require a pause from a submission to its first query and to the next submission: until then the row is not queried, and
-- what the operator denies does not count.
alter table operator_work add column enquire_at timestamptz;

-- `refused`: a repeated submission was refused. The refusal is the result once the operator denies that it knows the reference.
alter table operator_work drop constraint operator_work_result_check;
alter table operator_work add constraint operator_work_result_check check (result in ('succeeded', 'failed', 'refused'));

-- Since when the operator is known to have the transfer: it accepted it, answered a query about it, or called back.
-- Such a row is never sent again without a person's decision, which the check keeps true whoever writes.
alter table operator_work add column accepted_at timestamptz;
alter table operator_work add constraint operator_work_accepted_stays check (state <> 'queued' or accepted_at is null);

-- A fault of ours, such as a wrong PIN, would refuse every submission of its direction, and the next ones could lock the operator's account.
-- The direction stays closed for all processes as long as the settings are the ones that had the fault.
alter table operator_circuits add column fault text;
alter table operator_circuits add column fault_version text;
alter table operator_circuits add constraint operator_circuits_fault_check check (fault is null or state = 'CLOSED' and fault_version is not null);

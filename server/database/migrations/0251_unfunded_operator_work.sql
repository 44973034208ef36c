-- What the balance did not cover is `unfunded`: it was never refused by anybody but this service. Processes of the release before still
-- write `refused` while they are replaced, and claim_due_operator_work treats it as the same, so both are allowed.
alter table operator_work drop constraint operator_work_state_check;
alter table operator_work add constraint operator_work_state_check
  check (state in ('queued', 'unfunded', 'refused', 'submitting', 'submitted', 'unconfirmed'));
update operator_work set state = 'unfunded' where state = 'refused';

-- The functions that server/operators/sql replaces; see 0250 for where they stay.
do $$
begin
  if to_regclass('schema_functions') is null and not exists (select from applications) then
    drop function claim_operator_work(text[], integer[], integer);
    drop function record_operator_answers(json, integer, integer, integer);
    drop function hint_operator_work(json, integer);
  end if;
end $$;

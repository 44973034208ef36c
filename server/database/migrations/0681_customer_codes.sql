-- `awaiting_code`: nothing is sent before the customer has entered a code. next_at is when the customer's time ends.
alter table operator_work drop constraint operator_work_state_check;
alter table operator_work add constraint operator_work_state_check
  check (state in ('queued', 'paused', 'unfunded', 'refused', 'awaiting_code', 'submitting', 'submitted', 'unconfirmed'));
alter table operator_work drop constraint operator_work_accepted_stays;
alter table operator_work add constraint operator_work_accepted_stays
  check (state not in ('queued', 'paused', 'awaiting_code') or accepted_at is null);

-- The code, encrypted, from its entry to the submission that sends it; until when the customer may enter one; the codes that were refused.
alter table operator_work
  add column customer_code text,
  add column code_until timestamptz,
  add column refused_codes integer not null default 0;

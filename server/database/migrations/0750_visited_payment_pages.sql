-- Sandbox only: when a tester opened the page of a payment that awaits a code. The simulated customer then leaves it to the tester.
alter table operator_work add column page_opened_at timestamptz;

-- The simulated customers of a sandbox look for these again and again.
create index operator_work_awaiting_code on operator_work (code_until) where state = 'awaiting_code';

-- Submissions are claimed by direction, so that one direction can be held back while the other one continues. The default is for
-- functions of releases before, which name no type: it decides only with which direction such a row is held back.
alter table operator_work add column type text not null default 'DEPOSIT' check (type in ('COLLECT', 'DEPOSIT'));
update operator_work w set type = t.type from transactions t
  where t.application_id = w.application_id and t.transaction_id = w.transaction_id and t.type <> w.type;

-- The protocol and the operator's environment that it was last submitted through: what another one does not know was not refused.
alter table operator_work add column route text;

-- False for a callback without a signature: it is a hint and proves nothing.
alter table operator_attempts add column is_verified boolean;

-- Each row is in one of the two, so they cost as much as the one index that they replace.
create index operator_work_waiting on operator_work (operator, type, next_at) where state = 'queued';
create index operator_work_begun on operator_work (operator, next_at) where state <> 'queued';
drop index operator_work_due;

-- The run state that people gave the batch of a transaction while it was being sent: running, paused or stopped; null outside a batch that
-- anybody touched. Volatile, so that it sees what was committed while its caller waited for the row's lock.
create or replace function batch_run_state_of(p_application uuid, p_transaction uuid) returns text language sql volatile
set search_path from current as $$
  select r.state from transactions t join batch_runs r on r.application_id = t.application_id and r.batch_id = t.batch_id
    where t.application_id = p_application and t.transaction_id = p_transaction
$$;

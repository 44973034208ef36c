-- Whether people paused or stopped the batch of a transaction, so that it may not be sent now. Volatile, so that it sees what was
-- committed while its caller waited for the row's lock.
create or replace function is_batch_held(p_application uuid, p_transaction uuid) returns boolean language sql volatile
set search_path from current as $$
  select exists (
    select 1 from transactions t join batch_runs r on r.application_id = t.application_id and r.batch_id = t.batch_id
      where t.application_id = p_application and t.transaction_id = p_transaction and r.state <> 'running')
$$;

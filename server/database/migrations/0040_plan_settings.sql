-- The batched statements of dispatch and delivery join a few dozen rows to tables of any size. As in 0003, nested loops over
-- indexes are the only plan that stays good however the tables grow between two analyses.
do $$
declare named text;
begin
  foreach named in array array['claim_operator_work', 'record_operator_answers', 'hint_operator_work', 'claim_webhook_deliveries',
                               'record_webhook_attempts', 'return_webhook_deliveries'] loop
    execute format('alter function %I set enable_hashjoin = off', named);
    execute format('alter function %I set enable_mergejoin = off', named);
  end loop;
end $$;

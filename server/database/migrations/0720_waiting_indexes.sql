-- What waits outside batches: queues, their counts and the badge read these rows, and not the thousands of a batch that waits beside them.
create index transactions_waiting_alone on transactions (application_id, sequence)
  where status = 'PENDING_APPROVAL' and not (source = 'file' and batch_id is not null);

-- Other payments to the same name that wait. The name is first, so that nothing else is read through this index.
create index transactions_waiting_by_name on transactions (lower(btrim(customer_name)), application_id) where status = 'PENDING_APPROVAL';

-- Failed rows that a retry left out, because they may have been paid. contradicted: the operator reports another result. asked: it is being
-- queried about that. unanswered: it did not confirm the failure when it was queried before the retry.
create table batch_left_out (
  application_id uuid not null,
  batch_id uuid not null,
  failed_transaction_id uuid not null,
  reason text not null check (reason in ('contradicted', 'asked', 'unanswered')),
  primary key (application_id, batch_id, failed_transaction_id)
);

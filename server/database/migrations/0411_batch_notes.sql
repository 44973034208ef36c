-- What a person starts has no webhook: no program waits for it.
alter table batches drop column webhook_url;
-- Warnings about a row alone; `warnings` has those that come from comparing it with others.
alter table batch_rows add column notes jsonb not null default '[]';

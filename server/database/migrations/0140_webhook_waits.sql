-- How long after its due time an attempt began. Null in attempts that were recorded before this column existed, and in interrupted ones.
alter table webhook_attempts add column waited_ms integer check (waited_ms >= 0);

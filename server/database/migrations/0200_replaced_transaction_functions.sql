-- The functions that sql/start-transactions.sql, sql/apply-transitions.sql and the two assert_… functions of server/transactions
-- replace. In a database that an earlier release has used they stay, because its processes still call them while they are replaced.
-- Where no release has applied a function file, and nobody has an application, no such process can be running.
do $$
begin
  if to_regclass('schema_functions') is null and not exists (select from applications) then
    drop function intake_batch(uuid[], json);
    drop function transition_batch(uuid[], json);
    drop function approval_band(uuid, uuid, text, text, bigint, bigint, bigint, jsonb, timestamptz);
    drop function same_number(bigint, bigint);
  end if;
end $$;

-- Whether a request asks for what is stored under its externalId: then it is a repetition, otherwise a conflict. The one definition for
-- start_transactions and for the check of several requests before it. A person names no address, and the application's default one may
-- have changed since the first try. p_refund_of: the collect that the request refunds; null: none.
create or replace function is_same_request(p_stored transactions, p_type text, p_operator text, p_customer_name text, p_purpose text, p_phone_number text,
  p_amount_minor bigint, p_webhook_url text, p_source text, p_refund_of uuid) returns boolean language sql stable
set search_path from current as $$
  select p_stored.type = p_type and p_stored.operator = p_operator and p_stored.customer_name = p_customer_name and p_stored.purpose = p_purpose
    and p_stored.phone_number = p_phone_number and p_stored.amount_minor = p_amount_minor
    and (p_stored.webhook_url is not distinct from p_webhook_url or (p_source <> 'api' and p_stored.source = p_source))
    and p_refund_of is not distinct from (select r.collect_id from transaction_refunds r
      where r.application_id = p_stored.application_id and r.transaction_id = p_stored.transaction_id)
$$;

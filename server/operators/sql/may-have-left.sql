-- Whether an operator may have a transfer that was submitted p_submissions times: at least one of these calls is not known to have sent
-- nothing (`not_sent`) or to have been refused for the customer's code. Counted from what is proven, so that an attempt that is missing, was
-- interrupted or has no outcome yet counts as sent.
create or replace function may_have_left(p_application uuid, p_transaction uuid, p_submissions integer) returns boolean language sql volatile
set search_path from current as $$
  select p_submissions > (select count(*) from operator_attempts a
    where a.application_id = p_application and a.transaction_id = p_transaction and a.kind = 'submit' and a.outcome in ('not_sent', 'wrong_code'))
$$;

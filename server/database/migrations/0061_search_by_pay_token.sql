-- The search box finds a transaction by its pay token, ours or the operator's. Hash indexes: only equality is asked, and they
-- cost a new row less than a tree over random text.
create index transactions_by_pay_token on transactions using hash (pay_token);
create index transactions_by_operator_token on transactions using hash (operator_token) where operator_token is not null;

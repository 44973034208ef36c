-- A customer's codes are short, so the tries are counted by operator and number over all applications, and one payment at a time asks for
-- a code. `transaction_id` is the payment that does, until `held_until`; `refused_at` are the refusals of the last day.
create table customer_code_numbers (
  operator       text          not null,
  phone_number   text          not null,
  transaction_id uuid          not null,
  held_until     timestamptz   not null,
  refused_at     timestamptz[] not null default '{}',
  constraint customer_code_numbers_pkey primary key (operator, phone_number)
);

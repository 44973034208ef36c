-- Payment links: an address, or its QR code, at which a customer starts a collect without a program of the application.

-- A link as a maker created it. Its terms never change: a customer may have the address on paper. What was paid is counted here under the lock of
-- the application, so that lists need not read the payments.
create table payment_links (
  application_id uuid not null,
  link_id uuid not null,
  -- 128 random bits. Readable, as pay tokens are, because pages show the address again; its holder can pay and nothing else.
  token text not null check (length(token) = 22),
  -- The goods or the number of an invoice; the purpose of each collect.
  purpose text not null check (length(purpose) between 1 and 140),
  country text not null,
  currency text not null,
  operators text[] not null check (cardinality(operators) > 0),
  -- Null: the customer enters the amount, within both limits.
  amount_minor bigint check (amount_minor > 0),
  minimum_minor bigint check (minimum_minor > 0),
  maximum_minor bigint check (maximum_minor >= minimum_minor),
  -- How many payments it accepts; null: any number. With 1 it is for one payment.
  payments_max integer check (payments_max between 1 and 1000),
  -- The last day in the business time zone, and the instant at which that day ended there when the link was created; null: no end.
  last_day date,
  ends_at timestamptz,
  created_by uuid not null,
  created_at timestamptz not null default clock_timestamp(),
  closed_by uuid,
  closed_at timestamptz,
  -- Collects of the link that have not ended, that succeeded, and that failed and were booked as paid all the same.
  open_count integer not null default 0 check (open_count >= 0),
  paid_count integer not null default 0,
  late_count integer not null default 0,
  -- The amounts of what succeeded and of what was booked late, without what was reversed.
  collected_minor bigint not null default 0,
  primary key (application_id, link_id),
  constraint amount_or_limits check (num_nonnulls(amount_minor, minimum_minor) = 1 and (minimum_minor is null) = (maximum_minor is null)),
  constraint last_day_has_end check ((last_day is null) = (ends_at is null)),
  constraint closed_by_somebody check ((closed_by is null) = (closed_at is null))
);
-- Only equality is asked.
create index payment_links_by_token on payment_links using hash (token);
create index payment_links_by_time on payment_links (application_id, created_at desc, link_id);
create trigger refuse_change after update of token, purpose, country, currency, operators, amount_minor, minimum_minor, maximum_minor, payments_max,
    last_day, ends_at, created_by, created_at on payment_links
  for each row execute function refuse_change();
alter table payment_links enable always trigger refuse_change;

-- The collects of links.
create table payment_link_payments (
  application_id uuid not null,
  transaction_id uuid not null,
  link_id uuid not null,
  primary key (application_id, transaction_id)
);
-- Ids are ordered by time, so the newest payments of a link are at the end.
create index payment_link_payments_by_link on payment_link_payments (application_id, link_id, transaction_id);
create trigger refuse_change before update or delete on payment_link_payments for each row execute function refuse_change();
create trigger refuse_truncate before truncate on payment_link_payments for each statement execute function refuse_change();
alter table payment_link_payments enable always trigger refuse_change;
alter table payment_link_payments enable always trigger refuse_truncate;

-- A link never collects more often than its terms allow, whatever code inserts: each insert holds the application's lock, and that of the link against
-- closing. It runs after the statement, so that it sees the collect, and others of the same batch.
create function refuse_excessive_link_payment() returns trigger language plpgsql
set search_path from current as $$
declare
  v_obstacle text;
  v_collect transactions;
begin
  perform from application_counters c where c.application_id = new.application_id for no key update;
  perform from payment_links l where l.application_id = new.application_id and l.link_id = new.link_id for no key update;
  select t.* into v_collect from transactions t where t.application_id = new.application_id and t.transaction_id = new.transaction_id;
  v_obstacle := payment_link_obstacle(new.application_id, new.link_id, v_collect.phone_number, new.transaction_id);
  if v_obstacle is not null then
    raise exception 'the payment link accepts no payment: %', v_obstacle using errcode = 'check_violation', constraint = 'payment_link_accepts';
  end if;
  if not exists (select from payment_links l where l.application_id = new.application_id and l.link_id = new.link_id
      and v_collect.type = 'COLLECT' and v_collect.source = 'link' and v_collect.maker_id = l.created_by and v_collect.currency = l.currency
      and v_collect.operator = any (l.operators)
      and v_collect.amount_minor between coalesce(l.amount_minor, l.minimum_minor) and coalesce(l.amount_minor, l.maximum_minor)) then
    raise exception 'the collect differs from the terms of its link' using errcode = 'check_violation', constraint = 'payment_link_terms';
  end if;
  update payment_links l set open_count = l.open_count + 1 where l.application_id = new.application_id and l.link_id = new.link_id;
  return null;
end $$;
create trigger refuse_excessive_link_payment after insert on payment_link_payments
  for each row execute function refuse_excessive_link_payment();
alter table payment_link_payments enable always trigger refuse_excessive_link_payment;

-- A collect of a link has ended. Other transactions do not enter the function.
create function count_link_payment() returns trigger language plpgsql
set search_path from current as $$
begin
  update payment_links l
    set open_count = l.open_count - 1, paid_count = l.paid_count + (new.status = 'SUCCESS')::integer,
        collected_minor = l.collected_minor + case when new.status = 'SUCCESS' then new.amount_minor else 0 end
    from payment_link_payments p
    where p.application_id = new.application_id and p.transaction_id = new.transaction_id
      and l.application_id = p.application_id and l.link_id = p.link_id;
  return null;
end $$;
create trigger count_link_payment after update of status on transactions for each row
  when (new.source = 'link' and old.final_at is null and new.final_at is not null) execute function count_link_payment();

-- The books of a final collect are corrected: it was paid although it FAILED, or it was not although it was SUCCESS.
create function count_link_correction() returns trigger language plpgsql
set search_path from current as $$
begin
  update payment_links l
    set late_count = l.late_count + (new.kind = 'late')::integer,
        collected_minor = l.collected_minor + case new.kind when 'late' then t.amount_minor else -t.amount_minor end
    from payment_link_payments p
    join transactions t on t.application_id = p.application_id and t.transaction_id = p.transaction_id
    where p.application_id = new.application_id and p.transaction_id = new.subject_id
      and l.application_id = p.application_id and l.link_id = p.link_id;
  return null;
end $$;
create trigger count_link_correction after insert on ledger_postings for each row
  when (new.kind in ('late', 'reverse')) execute function count_link_correction();

-- The outbox of e-mails and browser notifications: a row is inserted in the transaction of its cause, and a task writes and sends the messages.

-- One event that people are told of. Who receives it is read when it is sent, from who may act then.
create table notices (
  notice_id uuid primary key default gen_random_uuid(),
  -- Null: a person's account belongs to no application.
  application_id uuid references applications,
  cause text not null check (cause in ('approval_waiting', 'change_waiting', 'change_expiring', 'payment_rejected', 'batch_ended',
                                       'exception_overdue', 'new_device', 'new_passkey')),
  -- The change, transaction, batch, exception or person; of waiting approvals the application: there is one notice about all of them.
  subject_id uuid not null,
  created_at timestamptz not null default now(),
  -- Raised by each transaction that starts to wait. The lock of this row keeps the task away until that transaction has ended.
  bumped_at timestamptz not null default now(),
  -- addressed: its messages are stored.
  state text not null default 'waiting' check (state in ('waiting', 'addressed')),
  addressed_at timestamptz,
  constraint addressed_has_time check ((state = 'addressed') = (addressed_at is not null)),
  constraint only_accounts_have_no_application check ((application_id is null) = (cause in ('new_device', 'new_passkey')))
);
create unique index notices_of_waiting_approvals on notices (application_id) where cause = 'approval_waiting' and state = 'waiting';
create index notices_of_approvals_by_time on notices (application_id, addressed_at) where cause = 'approval_waiting';
create index notices_by_age on notices (created_at);
create index notices_waiting on notices (created_at) where state = 'waiting';
-- A change expires and an exception becomes overdue once; everything else is written by its event.
create unique index notices_once on notices (subject_id, cause) where cause in ('change_expiring', 'exception_overdue');

-- The key pair with which this installation proves to push services that it is the one to which a browser subscribed (VAPID, RFC 8292).
create table push_keys (
  push_key_id uuid primary key default gen_random_uuid(),
  is_only boolean not null default true unique check (is_only),
  -- As browsers take it, in base64url; the private one is sealed.
  public_key text not null,
  private_key text not null
);

-- A browser in which a person wants to be told.
create table notice_browsers (
  browser_id uuid primary key,
  person_id uuid not null references people,
  name text not null check (length(name) between 1 and 60),
  -- Address at the push service and keys, sealed: who has them and our key can write to the person.
  subscription text not null,
  endpoint_digest bytea not null unique,
  added_at timestamptz not null,
  tested_at timestamptz
);
create index notice_browsers_by_person on notice_browsers (person_id);

-- An act that ends all sessions of a person ends their browsers too: one of them may be in other hands.
create function forget_browsers() returns trigger language plpgsql set search_path from current as $$
begin
  delete from notice_browsers where person_id = new.person_id;
  return null;
end $$;
create trigger forget_browsers after update of session_epoch on people for each row when (new.session_epoch <> old.session_epoch)
  execute function forget_browsers();

-- One notice for one person, by e-mail or in one browser.
create table notice_messages (
  notice_message_id uuid primary key default gen_random_uuid(),
  notice_id uuid not null references notices on delete cascade,
  person_id uuid not null references people,
  -- Null: by e-mail.
  browser_id uuid references notice_browsers on delete cascade,
  in_digest boolean not null,
  -- sending: an attempt was recorded before it began. unknown: nobody knows whether the mail server or push service took it. dropped: the person may
  -- not act on it any longer.
  state text not null default 'waiting' check (state in ('waiting', 'sending', 'unknown', 'sent', 'failed', 'dropped')),
  -- The mail or notification that contains it, the same in every attempt; several notices of a digest share one.
  message_id uuid,
  attempts integer not null default 0,
  next_at timestamptz not null,
  claimed_at timestamptz,
  sent_at timestamptz,
  unique nulls not distinct (notice_id, person_id, browser_id),
  constraint attempted_has_message check (attempts = 0 or message_id is not null)
);
create index notice_messages_due on notice_messages (next_at) where state in ('waiting', 'sending', 'unknown');
create index notice_messages_by_person on notice_messages (person_id) where state in ('waiting', 'sending', 'unknown');
create index notice_messages_by_message on notice_messages (message_id) where message_id is not null;
create index notice_messages_by_browser on notice_messages (browser_id) where browser_id is not null;

-- How a person wants to be told of a cause; without a row: by e-mail at once, and in their browsers.
create table notice_preferences (
  person_id uuid not null references people,
  cause text not null check (cause not in ('new_device', 'new_passkey')),
  -- By e-mail.
  delivery text not null check (delivery in ('at_once', 'digest', 'never')),
  in_browser boolean not null default true,
  primary key (person_id, cause)
);

-- The browsers and networks from which a person has signed in, as digests.
create table person_devices (
  person_id uuid not null references people,
  device_digest bytea not null,
  first_seen_at timestamptz not null default now(),
  primary key (person_id, device_digest)
);

-- Mails of a sandbox, which a page shows. The same message arrives once.
create table sandbox_mails (
  message_id text primary key,
  recipient text not null,
  subject text not null,
  body text not null,
  arrived_at timestamptz not null default now(),
  -- File name and text of each.
  attachments jsonb not null default '[]'
);
create index sandbox_mails_by_time on sandbox_mails (arrived_at desc);

-- An approval item starts to wait. Transactions that need no approval insert none, and write nothing here.
create function note_waiting_approvals() returns trigger language plpgsql set search_path from current as $$
begin
  if exists (select 1 from changed_rows) then
    insert into notices (application_id, cause, subject_id)
      select distinct application_id, 'approval_waiting', application_id from changed_rows order by application_id
      on conflict (application_id) where cause = 'approval_waiting' and state = 'waiting' do update set bumped_at = now();
  end if;
  return null;
end $$;
create trigger note_waiting after insert on approval_items referencing new table as changed_rows
  for each statement execute function note_waiting_approvals();

create function note_waiting_change() returns trigger language plpgsql set search_path from current as $$
begin
  insert into notices (application_id, cause, subject_id) values (new.application_id, 'change_waiting', new.change_id);
  return null;
end $$;
create trigger note_waiting after insert on proposed_changes for each row when (new.outcome is null) execute function note_waiting_change();

-- A row of a batch is no mail of its own: its maker is told of the end of the batch.
create function note_rejected_payment() returns trigger language plpgsql set search_path from current as $$
begin
  insert into notices (application_id, cause, subject_id)
    select t.application_id, 'payment_rejected', t.transaction_id from transactions t
      where t.application_id = new.application_id and t.transaction_id = new.transaction_id and t.source = 'person' and t.maker_id is not null;
  return null;
end $$;
create trigger note_rejected after insert on transaction_events for each row when (new.event = 'rejected')
  execute function note_rejected_payment();

create function note_ended_batch() returns trigger language plpgsql set search_path from current as $$
begin
  insert into notices (application_id, cause, subject_id) values (new.application_id, 'batch_ended', new.batch_id);
  return null;
end $$;
create trigger note_ended after update of places on batches for each row when (old.places is null and new.places is not null)
  execute function note_ended_batch();

-- A person signs in with a browser, or from a network, that was never seen before. The very first one is no news.
create function note_new_device() returns trigger language plpgsql set search_path from current as $$
declare
  v_is_known_person boolean := exists (select 1 from person_devices where person_id = new.person_id);
begin
  insert into person_devices (person_id, device_digest)
    values (new.person_id, sha256(convert_to(new.user_agent || ' ' || coalesce(substring(new.address from '^[0-9a-f]+[.:][0-9a-f]+'), new.address), 'UTF8')))
    on conflict do nothing;
  if found and v_is_known_person then
    insert into notices (cause, subject_id) values ('new_device', new.person_id);
  end if;
  return null;
end $$;
create trigger note_new_device after insert on person_sessions for each row execute function note_new_device();

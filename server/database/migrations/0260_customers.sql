-- Whom an application has paid or collected from, for the search box: nothing on the hot path writes here; a scheduled task adds the
-- transactions since it last ran. Names are folded (lower case, no accents) by the service, because PostgreSQL folds by its own locale.
create table customers (
  application_id uuid not null,
  phone_number text collate "C" not null,
  folded_name text collate "C" not null,
  customer_name text not null,
  primary key (application_id, phone_number, folded_name)
);

-- One row per word of a name, so that any word of it can be typed.
create table customer_words (
  application_id uuid not null,
  word text collate "C" not null,
  phone_number text collate "C" not null,
  primary key (application_id, word, phone_number)
);

-- Up to which sequence an application's transactions are in the tables above.
create table customer_marks (
  application_id uuid primary key,
  listed_until bigint not null
);

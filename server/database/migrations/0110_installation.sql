-- What this database belongs to. One row, written once: a process of the other mode refuses to start.
create table installation (
  is_only boolean primary key default true check (is_only),
  mode text not null check (mode in ('sandbox', 'production')),
  stamped_at timestamptz not null default now()
);

-- The keys that secrets in this database are encrypted with, by their ids. Each decrypts its own verification value:
-- a process that cannot do so has the wrong key and must not start. The keys themselves are never stored here.
create table secrets_keys (
  key_id text primary key,
  verification text not null,
  registered_at timestamptz not null default now()
);

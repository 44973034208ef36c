-- The newest calls of each application, for its engineer. Written in a sandbox only; at most a hundred per application. No query and no
-- body: phone numbers and notes are in them.
create table api_requests (
  application_id uuid not null,
  request_id uuid not null,
  at timestamptz not null,
  method text not null,
  path text not null,
  status integer not null,
  -- Why it was refused, if that is known.
  cause text,
  address text not null,
  primary key (application_id, request_id)
);
create index api_requests_by_time on api_requests (application_id, at desc);

-- The API user that sent a decision in; null for a person in the back office.
alter table approval_decisions add column api_user_id uuid;

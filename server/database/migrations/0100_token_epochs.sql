-- Raised when a password is reset and when a refresh token is reused: access tokens that carry a lower number are refused.
alter table api_users add column token_epoch integer not null default 1;

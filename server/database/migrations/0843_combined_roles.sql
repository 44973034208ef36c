-- Whether one person may prepare, approve and decide who may do either. Always allowed in a sandbox.
alter table applications add column allows_combined_roles boolean not null default false;

-- Which networks that are not public an application's webhooks may reach. The machine administrator grants them.
alter table applications add column webhook_networks cidr[] not null default '{}';

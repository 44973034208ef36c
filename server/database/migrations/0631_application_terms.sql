-- The countries in which an application works: a service of any other country is off. And the address for the results of payments that no
-- program started, which name none themselves.
alter table applications
  add column countries text[] not null default array['CAMEROON', 'IVORY_COAST', 'SENEGAL', 'BURKINA_FASO', 'MALI', 'BENIN', 'UGANDA']
    constraint countries_are_known check (cardinality(countries) > 0
      and countries <@ array['CAMEROON', 'IVORY_COAST', 'SENEGAL', 'BURKINA_FASO', 'MALI', 'BENIN', 'UGANDA']),
  add column default_webhook_url text constraint default_webhook_url_fits check (length(default_webhook_url) between 1 and 2048);

create or replace function give_application_slug() returns trigger language plpgsql
set search_path from current as $$
declare
  stem text := slug_of(new.name);
  place integer := 1;
begin
  if new.slug is not null then return new; end if;
  -- Addresses that belong to the product itself.
  if stem in ('api', 'public', 'sign-in', 'sign-out', 'settings', 'health', 'metrics', 'search', 'static') then stem := stem || '-app'; end if;
  -- Two new applications of one name take turns.
  perform pg_advisory_xact_lock(hashtext('countersign.slug'), hashtext(stem));
  new.slug := stem;
  while exists (select 1 from applications a where a.slug = new.slug) loop
    place := place + 1;
    new.slug := stem || '-' || place;
  end loop;
  return new;
end $$;

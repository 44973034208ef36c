-- The name of an application in the addresses of the back office: made once from its name, kept when the name changes, so
-- that a link that somebody sent keeps working.

alter table applications add column slug text;

create function slug_of(name text) returns text language sql immutable as $$
  select coalesce(nullif(trim(both '-' from left(trim(both '-' from regexp_replace(
    translate(lower(name), 'àáâãäåçèéêëìíîïñòóôõöùúûüýÿœæ', 'aaaaaaceeeeiiiinooooouuuuyyoa'),
    '[^a-z0-9]+', '-', 'g')), 48)), ''), 'application')
$$;

create function give_application_slug() returns trigger language plpgsql as $$
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

create trigger give_slug before insert on applications for each row execute function give_application_slug();

do $$
declare each uuid;
begin
  for each in select application_id from applications order by created_at, application_id loop
    update applications a set slug = slug_of(a.name) ||
      case when exists (select 1 from applications b where b.slug = slug_of(a.name)) then '-' || left(a.application_id::text, 8) else '' end
      where a.application_id = each;
  end loop;
end $$;

alter table applications alter column slug set not null;
alter table applications add constraint one_application_per_slug unique (slug);
alter table applications add constraint slug_fits_an_address check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$');

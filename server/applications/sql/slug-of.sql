-- lower() leaves accented capitals alone where the database's locale is C, so they are spelt out: Élite becomes elite.
create or replace function slug_of(name text) returns text language sql immutable
set search_path from current as $$
  select coalesce(nullif(trim(both '-' from left(trim(both '-' from regexp_replace(
    translate(lower(name), 'àáâãäåçèéêëìíîïñòóôõöùúûüýÿœæÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÑÒÓÔÕÖÙÚÛÜÝŸŒÆ', 'aaaaaaceeeeiiiinooooouuuuyyoaaaaaaaceeeeiiiinooooouuuuyyoa'),
    '[^a-z0-9]+', '-', 'g')), 48)), ''), 'application')
$$;

-- /docs is the API reference. An application that already had this address gets another one, as a new one of that name would.
update applications set slug = 'docs-app-' || left(application_id::text, 8) where slug = 'docs';

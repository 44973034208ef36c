-- A shared view is offered to everybody in the application; it still belongs to the person who saved it.
alter table saved_views add column is_shared boolean not null default false;

-- Waiting deliveries of an application, newest first. A delivery leaves the index when it is delivered or given up.
create index webhook_deliveries_waiting on webhook_deliveries (application_id, transaction_id) where state = 'due';

-- What the service, programs and operators did. Most entries are people's, and those are found by person.
create index audit_entries_by_kind on audit_entries (application_id, actor_kind, sequence) where actor_kind <> 'person';

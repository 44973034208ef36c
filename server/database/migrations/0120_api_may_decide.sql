-- Whether an item may be decided through the API, as the rule stood when the item came in. Items that wait already keep
-- what they could do where the application's default rule alone holds them; other rules never said that the API may.
alter table approval_items add column api_may_decide boolean not null default false;
update approval_items i set api_may_decide = true
  from transactions t
  where t.application_id = i.application_id and t.transaction_id = i.transaction_id and t.status = 'PENDING_APPROVAL'
    and i.rule ->> 'name' = 'Prepared by a person' and i.steps = '{1}' and not i.needs_code;

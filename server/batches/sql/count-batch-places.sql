-- Returns where the rows of a submitted batch are: {"waiting", "open", "succeeded", "failed", "rejected", "recalled", "expired", "stopped"}, each
-- a count; places without rows are missing. `by` is the name of the person who rejected or recalled rows last.
create or replace function count_batch_places(p_application uuid, p_batch uuid)
returns jsonb language sql stable set search_path from current as $$
  with r as materialized (
    select case t.status when 'PENDING_APPROVAL' then 'waiting' when 'PENDING' then 'open' when 'SUCCESS' then 'succeeded'
        else case e.event when 'refused_for_funds' then 'failed' else e.event end end as place,
      case when e.event in ('rejected', 'recalled') then e.actor_id end as ended_by, e.at
    from transactions t
      left join transaction_events e on t.status = 'FAILED' and e.application_id = t.application_id and e.transaction_id = t.transaction_id
        and e.version = t.version
    where t.application_id = p_application and t.batch_id = p_batch
  )
  select coalesce((select jsonb_object_agg(g.place, g.count) from (select place, count(*) from r group by place) g), '{}')
    || coalesce((select jsonb_build_object('by', p.name) from r join people p on p.person_id = r.ended_by order by r.at desc limit 1), '{}')
$$;

-- Returns the same for a batch in any state, empty before its submission: stored once its last row has ended, counted until then.
create or replace function places_of_batch(p_batch batches)
returns jsonb language sql stable set search_path from current as $$
  select coalesce(p_batch.places, case when p_batch.state = 'submitted' then count_batch_places(p_batch.application_id, p_batch.batch_id) end, '{}')
$$;

-- Returns what a batch is for people: its own state until it is submitted, then that of its rows. What still changes comes first; of rows that
-- ended without a success, the most frequent end names the batch.
create or replace function name_batch_state(p_state text, p_places jsonb)
returns text language sql immutable set search_path from current as $$
  select case
    when p_state <> 'submitted' then p_state
    when p_places ? 'waiting' then 'waiting'
    when p_places ? 'open' then 'running'
    when p_places ? 'succeeded' then
      case when p_places ?| array['failed', 'rejected', 'recalled', 'expired', 'stopped'] then 'partly' else 'succeeded' end
    else coalesce((select e.place from unnest(array['failed', 'rejected', 'recalled', 'expired', 'stopped']) with ordinality as e (place, position)
                   where p_places ? e.place order by (p_places ->> e.place)::integer desc, e.position limit 1), 'waiting') end
$$;

/**
 * Finds open payments that nothing will move again. Each shape is one that no command leaves behind, so it needs no time to pass before it
 * counts. That a PENDING payment has its operator work, and one in PENDING_APPROVAL its approval item, is in other checks.
 */
export const OPEN_PAYMENTS_CHECK = {
  check: 'open payments',
  sql: `with work as (
        select w.*, t.type as payment_type, t.operator as payment_operator, coalesce(r.state, 'running') as run_state
          from operator_work w
          join transactions t on t.application_id = w.application_id and t.transaction_id = w.transaction_id
          left join batch_runs r on r.application_id = t.application_id and r.batch_id = t.batch_id
      ), stuck as (
        select application_id, transaction_id, 'never due, and not paused' as detail from work
          where not isfinite(next_at) and state <> 'paused'
        union all
        -- Queries are an hour apart at most, and codes are awaited for half an hour.
        select application_id, transaction_id, 'not due for more than a day' from work
          where isfinite(next_at) and next_at > clock_timestamp() + interval '1 day'
        union all
        select application_id, transaction_id, 'claimed for more than a day' from work
          where is_claimed and claimed_until > clock_timestamp() + interval '1 day'
        union all
        select application_id, transaction_id, 'waits for a code without an end' from work
          where state = 'awaiting_code' and not coalesce(isfinite(code_until), false)
        union all
        select application_id, transaction_id, 'about to be sent although its batch was stopped' from work
          where state = 'queued' and run_state = 'stopped'
        union all
        select application_id, transaction_id, 'paused in a stopped batch although an operator may have it' from work
          where state = 'paused' and run_state = 'stopped' and absent_since is null
            and may_have_left(application_id, transaction_id, submissions)
        union all
        select application_id, transaction_id, 'its work belongs to another operator or direction' from work
          where (operator, type) is distinct from (payment_operator, payment_type)
        union all
        select t.application_id, t.transaction_id, 'waits for a decision without an end'
          from transactions t
          join approval_items i on i.application_id = t.application_id and i.transaction_id = t.transaction_id
          where t.status = 'PENDING_APPROVAL' and not isfinite(i.expires_at)
        union all
        select t.application_id, t.transaction_id, 'rejected, and still waiting for a decision'
          from transactions t
          join approval_decisions d on d.application_id = t.application_id and d.transaction_id = t.transaction_id and d.decision = 'rejected'
          where t.status = 'PENDING_APPROVAL'
      )
      select application_id || ' ' || transaction_id as subject, detail from stuck`,
}

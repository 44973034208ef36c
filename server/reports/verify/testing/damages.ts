import { randomUUID } from 'node:crypto'

/** One transaction in each state that the books have a rule about. */
export const COLLECTED = randomUUID()
export const PAID = randomUUID()
export const DENIED = randomUUID()
export const OPEN = randomUUID()
export const WAITING = randomUUID()
export const REJECTED = randomUUID()
export const REPLACING = randomUUID()
export const REFUND = randomUUID()
export const [LINK, LINKED] = [randomUUID(), randomUUID()]
export const BATCH = randomUUID()
export const [PAY_IN, MOVE, FEE, REVERSAL, ASKED] = [randomUUID(), randomUUID(), randomUUID(), randomUUID(), randomUUID()]
export const [WITHDRAWAL, BANK_ACCOUNT] = [randomUUID(), randomUUID()]

const plusOne = (table: string, columns: string, where = 'true') =>
  columns.split(' ').map((column) => `update ${table} set ${column} = ${column} + 1 where ${where}`)
/** Stores another value in the content of a funding. */
const setContent = (fundingId: string, name: string, value: string) =>
  `update proposed_changes set payload = payload || jsonb_build_object('${name}', (${value})::text) where change_id = '${fundingId}'`
const of = (transactionId: string) => `transaction_id = '${transactionId}'`
const posting = (transactionId: string, kind: string) => `subject_id = '${transactionId}' and kind = '${kind}'`
const anotherPosting = (transactionId: string, kind: string) =>
  `insert into ledger_postings (application_id, subject_id, kind, operator, currency, at)
     select application_id, transaction_id, '${kind}', operator, currency, now() from transactions where ${of(transactionId)}`
const SUMS_OF_A_DAY = 'posting_count collect_minor deposit_minor held_minor collected_minor paid_minor fees_minor'
const SUMS_OF_KINDS =
  'funded_minor corrected_minor withdrawn_minor reversed_minor late_minor conceded_minor fees_out_minor placed_minor released_minor collected_count paid_count fees_app_minor collect_fees_minor collect_fees_app_minor'

/** Damages that each check finds as one difference, or as the number of differences that follows. */
export const DAMAGES: Record<string, (string | [statements: string, count: number])[]> = {
  balances: [
    ...plusOne('ledger_balances', 'collect_minor deposit_minor held_minor fees_minor clearing_minor revenue_minor', "operator = 'MOMOCM'"),
    "delete from ledger_balances where operator = 'MOMOCM'",
    ...plusOne('ledger_balances', 'held_minor', "operator = 'OMCM'"),
  ],
  entries: [
    ...plusOne('ledger_postings', 'revenue_minor', posting(COLLECTED, 'settle')),
    // Each currency separately.
    [
      `update ledger_postings set revenue_minor = revenue_minor + 1 where ${posting(COLLECTED, 'settle')};
       update ledger_postings set revenue_minor = revenue_minor - 1, currency = 'UGX' where ${posting(PAID, 'settle')};
       update ledger_postings set currency = 'UGX' where ${posting(PAID, 'hold')}`,
      2,
    ],
  ],
  counters: [
    ...plusOne('application_counters', 'transaction_count pending_count pending_approval_count success_count failed_count'),
    'delete from application_counters',
  ],
  sequences: [
    'update transactions set sequence = sequence + 1',
    'update transactions set sequence = sequence + 1 where sequence = (select max(sequence) from transactions)',
    "update transaction_events set final_sequence = final_sequence + 1 where to_status = 'FAILED'",
    "update transaction_events set final_sequence = 3 where to_status = 'SUCCESS' and final_sequence = 2",
    "update transaction_events set final_sequence = 1 where to_status = 'SUCCESS' and final_sequence = 2",
    `update transaction_events set final_sequence = null where ${of(DENIED)} and to_status = 'FAILED'`,
  ],
  'roll-ups': [
    ...plusOne('transaction_days', 'transaction_count amount_minor', "status = 'PENDING' and transaction_count > 0 and type = 'DEPOSIT'"),
    ["delete from transaction_days where status = 'PENDING'", 2],
    'update transaction_day_marks set created_until = created_until - 1',
    ['update transaction_day_marks set success_until = success_until - 1', 2],
    ['update transaction_day_marks set failed_until = failed_until - 1', 2],
    ["update transaction_days set day = day + 1 where status = 'FAILED' and day = '2026-03-13'", 2],
    ["update transaction_days set operator = 'OMCM' where status = 'FAILED' and day = '2026-03-13'", 2],
    ["update transaction_days set type = 'COLLECT' where status = 'FAILED' and day = '2026-03-13'", 2],
  ],
  'sealed totals': [
    ...['day', 'month'].flatMap((span) =>
      plusOne('sealed_totals', 'transaction_count amount_minor', `span = '${span}' and status = 'SUCCESS'`),
    ),
    "delete from sealed_totals where span = 'day' and status = 'SUCCESS'",
    "delete from sealed_totals where span = 'day' and status = 'FAILED'",
    ["update application_seals set open_days = '{2026-03-13}'", 2],
    ["update application_seals set sealed_through = '2026-03-12'", 2],
    // A day and its month.
    ["update transaction_days set amount_minor = amount_minor + 1 where status = 'FAILED' and day = '2026-03-13'", 2],
    ["insert into sealed_totals select application_id, status, span, '2026-04-01', 1, 1 from sealed_totals where status = 'FAILED'", 2],
  ],
  'fee days': [
    ...plusOne('fee_days', 'fee_system_minor fee_app_minor', "type = 'COLLECT'"),
    "delete from fee_days where type = 'COLLECT'",
    'update fee_marks set added_until = 1',
    "insert into fee_days select application_id, day, 'OMCM', type, 1, 1 from fee_days where type = 'COLLECT'",
  ],
  'fee months': [
    ...plusOne('fee_months', 'fee_system_minor fee_app_minor', "type = 'DEPOSIT'"),
    "delete from fee_months where type = 'DEPOSIT'",
    ["update fee_months set month = '2026-04-01' where type = 'DEPOSIT'", 2],
  ],
  'day edges': [
    ...plusOne(
      'transaction_day_edges',
      'transaction_count amount_minor fee_system_minor fee_app_minor',
      "status = 'FAILED' and day = '2026-03-13'",
    ),
    "delete from transaction_day_edges where status = 'FAILED' and day = '2026-03-13'",
    `update transactions set created_at = created_at - interval '1 hour' where ${of(DENIED)}`,
  ],
  'time zones': [
    'update day_zones set counted_from = 2',
    'update day_zones set counted_from = null',
    'update day_zones set is_ledger_counted = false',
    'delete from day_zones',
    "update day_zones set time_zone = 'Africa/Douala'",
  ],
  'ledger day edges': [
    ...plusOne('ledger_day_edges', `${SUMS_OF_A_DAY} ${SUMS_OF_KINDS}`, "day = '2026-03-13'"),
    "delete from ledger_day_edges where day = '2026-03-13'",
    `update ledger_postings set at = at - interval '1 hour' where ${posting(DENIED, 'release')}`,
  ],
  'ledger days': [
    ...plusOne('ledger_days', `${SUMS_OF_A_DAY} ${SUMS_OF_KINDS}`, "day = '2026-03-13'"),
    "delete from ledger_days where day = '2026-03-13'",
    ["update ledger_seal set sealed_until = '2026-03-13 21:00Z'", 2],
    [`update ledger_postings set at = at - interval '1 day' where ${posting(DENIED, 'release')}`, 2],
  ],
  postings: [
    `delete from ledger_postings where ${posting(COLLECTED, 'settle')}`,
    anotherPosting(OPEN, 'settle'),
    anotherPosting(OPEN, 'release'),
    `delete from ledger_postings where ${posting(DENIED, 'release')};
     update transactions t set held_minor = p.held_minor from ledger_postings p where ${posting(DENIED, 'hold')} and t.${of(DENIED)}`,
    `delete from ledger_postings where ${posting(DENIED, 'hold')};
     update transactions t set held_minor = p.held_minor from ledger_postings p where ${posting(DENIED, 'release')} and t.${of(DENIED)}`,
    `update transactions set held_minor = held_minor + 1 where ${of(OPEN)}`,
    `update ledger_postings set held_minor = held_minor + 1 where ${posting(OPEN, 'hold')}`,
    `update ledger_postings set held_minor = held_minor + 1 where ${posting(PAID, 'settle')}`,
    `update ledger_postings set held_minor = held_minor + 1 where ${posting(DENIED, 'release')}`,
    `delete from ledger_postings where ${posting(PAID, 'hold')};
     update transactions t set held_minor = p.held_minor from ledger_postings p where ${posting(PAID, 'settle')} and t.${of(PAID)}`,
  ],
  adjustments: [
    `delete from ledger_postings where ${posting(COLLECTED, 'reverse')}`,
    ...plusOne(
      'ledger_postings',
      'collect_minor deposit_minor held_minor fees_minor clearing_minor revenue_minor',
      posting(COLLECTED, 'reverse'),
    ),
    `update ledger_postings set actor_id = gen_random_uuid() where ${posting(COLLECTED, 'reverse')}`,
    `update ledger_postings set subject_id = '${PAID}' where ${posting(COLLECTED, 'reverse')}`,
    `update transactions set status = 'FAILED' where ${of(COLLECTED)}`,
    `update proposed_changes set outcome = null where change_id = '${REVERSAL}'`,
    `update proposed_changes set kind = 'adjustment.late' where change_id = '${REVERSAL}'`,
    setContent(REVERSAL, 'ledger', 'gen_random_uuid()'),
    setContent(REVERSAL, 'waivesFees', 'true'),
  ],
  reversals: [
    'delete from operator_reversals',
    'update operator_reversals set confirmed_by = gen_random_uuid()',
    "update operator_reversals set state = 'done'",
    `update proposed_changes set outcome = null where change_id = '${ASKED}'`,
    `update proposed_changes set proposed_by = decided_by where change_id = '${ASKED}'`,
    setContent(ASKED, 'ledger', 'gen_random_uuid()'),
    setContent(ASKED, 'transactionId', 'gen_random_uuid()'),
    `update ledger_postings set subject_id = '${PAID}', change_id = '${ASKED}' where ${posting(COLLECTED, 'reverse')}`,
    ["update operator_reversals set state = 'refused'", 0],
  ],
  events: [
    `delete from transaction_events where ${of(PAID)}`,
    `update transaction_events set version = 3 where ${of(PAID)} and version = 2`,
    `update transaction_events set to_status = 'FAILED' where ${of(PAID)} and version = 2`,
    `update transaction_events set from_status = 'PENDING_APPROVAL' where ${of(PAID)} and version = 2`,
    `update transactions set needed_approval = true where ${of(PAID)}`,
    `update transactions set version = 3 where ${of(PAID)}`,
  ],
  'operator work': [
    `delete from operator_work where ${of(OPEN)}`,
    `insert into operator_work (application_id, transaction_id, operator, type, state, next_at)
       values ((select application_id from applications), '${PAID}', 'MOMOCM', 'DEPOSIT', 'queued', now())`,
  ],
  approvals: [
    `delete from approval_items where ${of(WAITING)}`,
    `delete from approval_items where ${of(REJECTED)}`,
    `delete from approval_decisions where ${of(OPEN)}`,
    `update approval_decisions set decision = 'rejected' where ${of(OPEN)}`,
    `update approval_items set steps = '{1,1}' where ${of(OPEN)}`,
    `delete from approval_decisions where ${of(OPEN)}; update transactions set status = 'SUCCESS' where ${of(OPEN)}`,
    `update transactions t set maker_id = d.checker_id from approval_decisions d where t.${of(REJECTED)} and d.${of(REJECTED)}`,
    `update batches b set prepared_by = array[b.maker_id, d.checker_id] from approval_decisions d where d.batch_id = b.batch_id`,
  ],
  batches: [
    `update operator_work set state = 'paused' where ${of(OPEN)}`,
    `update operator_work set state = 'paused' where ${of(OPEN)};
     insert into batch_runs (application_id, batch_id, state, changed_by) select application_id, batch_id, 'running', gen_random_uuid() from batches`,
    `update batch_retries set failed_transaction_id = '${PAID}'`,
    'update batch_retries set failed_transaction_id = gen_random_uuid()',
    `update approval_decisions set batch_id = gen_random_uuid() where ${of(OPEN)}`,
    `update approval_decisions set batch_id = '${BATCH}' where ${of(REJECTED)}`,
    // Its row in the file, and the decision about its batch.
    [`update transactions set batch_id = gen_random_uuid() where ${of(OPEN)}`, 2],
    `update transactions set external_id = gen_random_uuid() where ${of(OPEN)}`,
    `update transactions set phone_number = phone_number || '0' where ${of(OPEN)}`,
    `update transactions set amount_minor = amount_minor + 1 where ${of(OPEN)}`,
    'update batches set started_count = started_count + 1',
    ['update batches set started_count = 1; delete from batch_rows where row_number = 2', 0],
    'update batches set started_count = 1; update batch_rows set refusal = null where row_number = 2',
    'update batch_rows set exclusion = null where row_number = 3',
    "update batch_rows set problems = '[]' where row_number = 4",
    `update batches set places = '{"succeeded": 7}'`,
  ],
  webhooks: [
    `delete from webhook_deliveries where ${of(PAID)}`,
    [`update webhook_deliveries set transaction_id = '${OPEN}' where ${of(PAID)}`, 2],
    `insert into retention_marks (kind, removed_before) values ('attempts', now()); delete from webhook_deliveries where ${of(PAID)}`,
    [
      `insert into retention_marks (kind, removed_before) values ('deliveries', now()); delete from webhook_deliveries where ${of(PAID)}`,
      0,
    ],
    [attemptsOf('failed', 'failed', 'failed', 'failed'), 0],
    attemptsOf('failed', 'failed', 'failed', 'failed', 'failed'),
    attemptsOf('delivered', 'failed'),
    [attemptsOf('failed', 'delivered'), 0],
  ],
  origins: [
    'update transaction_origins set transaction_id = gen_random_uuid()',
    `update transaction_origins set origin_id = '${DENIED}'`,
    `update transaction_origins set origin_id = '${PAID}'`,
    'update transaction_origins set origin_id = gen_random_uuid()',
    [`update transaction_events set event = 'recalled' where ${of(REJECTED)} and version = 2`, 0],
    [`update transaction_events set event = 'expired' where ${of(REJECTED)} and version = 2`, 0],
    `update transactions set status = 'SUCCESS' where ${of(REJECTED)}`,
  ],
  refunds: [
    'update transaction_refunds set transaction_id = gen_random_uuid()',
    'update transaction_refunds set collect_id = gen_random_uuid()',
    `update transaction_refunds set collect_id = '${PAID}'`,
    `update transactions set status = 'FAILED' where ${of(COLLECTED)}`,
    ...['type = ', 'operator = ', 'currency = ', 'phone_number = '].map(
      (column) => `update transactions set ${column} ${column === 'type = ' ? "'COLLECT'" : "'x'"} where ${of(REFUND)}`,
    ),
    'update transaction_refunds set refunded_minor = 99999',
    'update transaction_refunds set refunded_minor = 500001',
  ],
  'payment links': [
    'delete from payment_links',
    ['delete from payment_link_payments', 2],
    `update transactions set amount_minor = 500100 where ${of(LINKED)}`,
    `update transactions set currency = 'UGX' where ${of(LINKED)}`,
    `update transactions set type = 'DEPOSIT' where ${of(LINKED)}`,
    `update transactions set source = 'api' where ${of(LINKED)}`,
    ...['open_count', 'paid_count', 'late_count', 'collected_minor'].map((column) => `update payment_links set ${column} = ${column} + 1`),
  ],
  fundings: [
    ...[PAY_IN, MOVE, FEE, WITHDRAWAL].flatMap((fundingId) => [
      `delete from ledger_postings where subject_id = '${fundingId}'`,
      setContent(fundingId, 'amountMinor', "(payload ->> 'amountMinor')::bigint + 1"),
      `update proposed_changes set outcome = 'refused' where change_id = '${fundingId}'`,
      `update proposed_changes set decided_by = proposed_by where change_id = '${fundingId}'`,
    ]),
    `update proposed_changes set outcome = null where change_id = '${PAY_IN}'`,
    setContent(FEE, 'account', "'deposit'"),
    setContent(PAY_IN, 'operator', "'OMCM'"),
    `update proposed_changes set after = after || '{"currency": "UGX"}' where change_id = '${PAY_IN}'`,
    ...plusOne('ledger_postings', 'collect_minor deposit_minor clearing_minor', `subject_id = '${MOVE}'`),
  ],
  withdrawals: [
    `insert into transit_marks (application_id, ledger_id, change_id, step, day, reference, person_id)
       select application_id, application_id, change_id, 'left', now(), 'x', proposed_by from proposed_changes where change_id = '${PAY_IN}'`,
    `insert into transit_marks (application_id, ledger_id, change_id, step, day, reference, person_id)
       select application_id, application_id, change_id, 'returned', now(), 'x', proposed_by from proposed_changes where change_id = '${WITHDRAWAL}'`,
    `insert into withdrawal_runs (application_id, operator, account, due_at, outcome, amount_minor, change_id)
       select application_id, 'MOMOCM', 'collect', now(), 'proposed', 301, change_id from proposed_changes where change_id = '${WITHDRAWAL}'`,
    'delete from bank_accounts',
    "update bank_accounts set currency = 'UGX'",
    'update bank_accounts set added_by = gen_random_uuid()',
    `update proposed_changes set proposed_by = decided_by where change_id = '${BANK_ACCOUNT}'`,
  ],
  references: [`update transactions set application_id = gen_random_uuid() where ${of(WAITING)}`],
}

function attemptsOf(...outcomes: string[]): string {
  const rows = outcomes.map(
    (outcome, index) => `((select application_id from applications), '${PAID}'::uuid, ${index + 1}, now(), 1, '${outcome}')`,
  )
  return `insert into webhook_attempts (application_id, transaction_id, number, started_at, duration_ms, outcome) values ${rows.join(', ')}`
}

import type { RefundFeesFrom } from '#lib/money/fees.ts'
import type { RefundObstacle } from '#lib/payments/refunds.ts'
import type { LedgerEntryDto, OperatorAttemptDto, OperatorWorkDto } from '#lib/payments/transactions/transaction-dto.ts'
import type { EventName, TransactionStatus } from '#lib/payments/transactions/transaction-status.ts'
import { type ApprovalDecision, DECISION_COLUMNS } from '#server/approvals/approval-store.ts'
import type { Queryable } from '#server/database/pool.ts'

export type EventRow = {
  version: number
  at: Date
  event: EventName
  from: TransactionStatus | null
  to: TransactionStatus
  actorKind: 'api' | 'person' | 'operator' | 'system'
  actorName: string | null
  reason: string | null
}

/** Every move of a transaction, oldest first, with the name of who caused it. */
export async function selectEvents(queryable: Queryable, applicationId: string, transactionId: string): Promise<EventRow[]> {
  const { rows } = await queryable.query<EventRow>({
    name: 'select_transaction_events',
    text: `select e.version, e.at, e.event, e.from_status as "from", e.to_status as "to", e.actor_kind as "actorKind", e.reason,
        coalesce(p.name, u.username) as "actorName"
      from all_transaction_events e
      left join people p on e.actor_kind = 'person' and p.person_id = e.actor_id
      left join api_users u on e.actor_kind = 'api' and u.application_id = e.application_id and u.api_user_id = e.actor_id
      where e.application_id = $1 and e.transaction_id = $2 order by e.version`,
    values: [applicationId, transactionId],
  })
  return rows
}

export type OperatorAttemptRow = {
  number: number
  kind: OperatorAttemptDto['kind']
  startedAt: Date
  finishedAt: Date | null
  outcome: OperatorAttemptDto['outcome']
  httpStatus: number | null
  answer: string | null
}

/** The newest calls to and from the operator about a transaction, at most `limit`, oldest first. */
export async function selectOperatorAttempts(
  queryable: Queryable,
  applicationId: string,
  transactionId: string,
  limit: number,
): Promise<OperatorAttemptRow[]> {
  const { rows } = await queryable.query<OperatorAttemptRow>({
    name: 'select_operator_attempts',
    // A submission that is in progress is not yet among the attempts.
    text: `select a.number, a.kind, a.started_at as "startedAt", a.finished_at as "finishedAt", a.outcome, a.http_status as "httpStatus", a.answer
      from (select number, kind, started_at, finished_at, outcome, http_status, answer from all_operator_attempts
              where application_id = $1 and transaction_id = $2
            union all
            select submit_number, 'submit', claimed_at, null, null, null, null from operator_work
              where application_id = $1 and transaction_id = $2 and state = 'submitting' and submit_number is not null) a
      order by a.number desc limit $3`,
    values: [applicationId, transactionId, limit],
  })
  return rows.toReversed()
}

export type WorkRow = {
  state: OperatorWorkDto['state']
  nextAt: Date
  unconfirmedSince: Date | null
  queries: number
  lastAnswer: string | null
  isDenied: boolean
  waitsForFloat: boolean
  missingMinor: bigint | null
}

/** Returns the work still to be done at the operator; undefined when there is none. */
export async function selectOperatorWork(queryable: Queryable, applicationId: string, transactionId: string): Promise<WorkRow | undefined> {
  const { rows } = await queryable.query<WorkRow>({
    name: 'select_operator_work',
    text: `select w.state,
        case when w.is_claimed then greatest(w.next_at, now()) else w.next_at end as "nextAt", w.unconfirmed_since as "unconfirmedSince", w.queries, w.last_answer as "lastAnswer",
        w.accepted_at is not null and w.absent_since is not null as "isDenied",
        f.operator is not null as "waitsForFloat", case when a.runs_installation then f.missing_minor end as "missingMinor"
      from operator_work w join applications a on a.application_id = w.application_id
        left join operator_floats f on f.operator = w.operator and f.waits_since is not null and w.state = 'queued' and w.type = 'DEPOSIT'
      where w.application_id = $1 and w.transaction_id = $2`,
    values: [applicationId, transactionId],
  })
  return rows[0]
}

/** When it was found that another transaction has the operator reference of this one; undefined if none has. */
export async function selectSharedReference(queryable: Queryable, applicationId: string, transactionId: string): Promise<Date | undefined> {
  const { rows } = await queryable.query<{ at: Date }>({
    name: 'select_shared_reference',
    text: 'select s.at from shared_operator_references s where s.application_id = $1 and s.transaction_id = $2',
    values: [applicationId, transactionId],
  })
  return rows[0]?.at
}

type EntryRow = { kind: LedgerEntryDto['kind']; account: LedgerEntryDto['account']; amountMinor: bigint; at: Date }

/** The ledger entries of a transaction in order of time, one line per account. */
export async function selectEntries(queryable: Queryable, applicationId: string, transactionId: string): Promise<EntryRow[]> {
  const { rows } = await queryable.query<EntryRow>({
    name: 'select_ledger_entries',
    text: `select e.kind, e.account, e.amount_minor as "amountMinor", e.at from ledger_entries e
      where e.application_id = $1 and e.subject_id = $2 order by e.at, e.kind, e.account`,
    values: [applicationId, transactionId],
  })
  return rows
}

export type ItemRow = { policyVersion: number; rule: { name: string }; steps: number[]; needsCode: boolean; expiresAt: Date }

/** Returns the approvals that a transaction had to wait for, by the rule that was active at intake; undefined when it never waited. */
export async function selectApprovalItem(queryable: Queryable, applicationId: string, transactionId: string): Promise<ItemRow | undefined> {
  const { rows } = await queryable.query<ItemRow>({
    name: 'select_approval_item',
    text: `select i.policy_version as "policyVersion", i.rule, i.steps, i.needs_code as "needsCode", i.expires_at as "expiresAt"
      from approval_items i where i.application_id = $1 and i.transaction_id = $2`,
    values: [applicationId, transactionId],
  })
  return rows[0]
}

export type DecisionRow = ApprovalDecision & { checkerName: string }

/** The people who decided about a transaction, in order of time. */
export async function selectDecisions(queryable: Queryable, applicationId: string, transactionId: string): Promise<DecisionRow[]> {
  const { rows } = await queryable.query<DecisionRow>({
    name: 'select_transaction_decisions',
    text: `select p.name as "checkerName", ${DECISION_COLUMNS}
      from approval_decisions d join people p on p.person_id = d.checker_id
        join transactions t on t.application_id = d.application_id and t.transaction_id = d.transaction_id
      where d.application_id = $1 and d.transaction_id = $2 order by d.decided_at`,
    values: [applicationId, transactionId],
  })
  return rows
}

/** The name of a person; undefined when there is none of this id. */
export async function selectPersonName(queryable: Queryable, personId: string): Promise<string | undefined> {
  const { rows } = await queryable.query<{ name: string }>({
    name: 'select_person_name',
    text: 'select name from people where person_id = $1',
    values: [personId],
  })
  return rows[0]?.name
}

/** Returns the transaction that this one replaces, and the one that replaces it. */
export async function selectLineage(
  queryable: Queryable,
  applicationId: string,
  transactionId: string,
): Promise<{ replaces: string | null; replacedBy: string | null }> {
  const { rows } = await queryable.query<{ replaces: string | null; replacedBy: string | null }>({
    name: 'select_lineage',
    text: `select (select origin_id from transaction_origins where application_id = $1 and transaction_id = $2) as replaces,
        (select transaction_id from transaction_origins where application_id = $1 and origin_id = $2) as "replacedBy"`,
    values: [applicationId, transactionId],
  })
  return rows[0] ?? { replaces: null, replacedBy: null }
}

/** The collect that a transaction refunds, and whether it may not have been paid after all; undefined if it is no refund. Hundredths. */
export async function selectRefundOf(
  queryable: Queryable,
  applicationId: string,
  transactionId: string,
): Promise<{ transactionId: string; amountMinor: bigint; isDoubted: boolean } | undefined> {
  const { rows } = await queryable.query<{ transactionId: string; amountMinor: bigint; isDoubted: boolean }>({
    name: 'select_refund_of',
    text: `select c.transaction_id as "transactionId", c.amount_minor as "amountMinor",
        refund_obstacle(r.application_id, r.collect_id) is not null as "isDoubted" from transaction_refunds r
      join transactions c on c.application_id = r.application_id and c.transaction_id = r.collect_id
      where r.application_id = $1 and r.transaction_id = $2`,
    values: [applicationId, transactionId],
  })
  return rows[0]
}

/** Who pays the fees of an application's refunds, how much of a collect its refunds take, and why it cannot be refunded now. Hundredths. */
export async function selectRefundTerms(
  queryable: Queryable,
  applicationId: string,
  collectId: string,
): Promise<{ feesFrom: RefundFeesFrom; refundedMinor: bigint; obstacle: RefundObstacle | null } | undefined> {
  const { rows } = await queryable.query<{ feesFrom: RefundFeesFrom; refundedMinor: bigint; obstacle: RefundObstacle | null }>({
    name: 'select_refund_terms',
    text: `select refund_fees_from as "feesFrom", refunded_minor($1, $2) as "refundedMinor", refund_obstacle($1, $2) as obstacle
      from applications where application_id = $1`,
    values: [applicationId, collectId],
  })
  return rows[0]
}

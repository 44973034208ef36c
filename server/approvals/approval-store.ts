import type { DecisionObstacle, SingleObstacle } from '#lib/approvals/approvals.ts'
import type { ApprovalBand } from '#lib/rules/approval-policy.ts'
import { runQuery, sql } from '#server/database/compose-sql.ts'
import type { Queryable, TrxClient } from '#server/database/pool.ts'
import type { Transaction } from '#server/transactions/transaction-store.ts'
import { DECISION_COUNTS, decisionObstacle, onBehalfOf, SINGLE_OBSTACLE } from './may-decide.ts'

/** The approvals and the code that a transaction needs, by the rule that was active at intake. */
export type ApprovalItem = {
  applicationId: string
  transactionId: string
  policyVersion: number
  rule: ApprovalBand['rule']
  /** Distinct checkers per step, one or two steps. */
  steps: number[]
  needsCode: boolean
  /** Whether the rules let the application's program send in decisions. */
  apiMayDecide: boolean
  expiresAt: Date
  /** The API user that started the transaction; null where a person did. */
  startedByApiUser: string | null
}

/** Why a person may not decide or approve now; null: they may. `onBehalfOf`: the absent checker for whom they would. */
export type Verdict = { obstacle: DecisionObstacle | null; termsObstacle: SingleObstacle | null; onBehalfOf: string | null }

/** Why a person may not decide on a transaction, at the start of this statement; undefined if there is no such transaction. */
export async function selectVerdict(
  queryable: Queryable,
  applicationId: string,
  transactionId: string,
  personId: string,
): Promise<Verdict | undefined> {
  const rows = await runQuery<Verdict>(
    queryable,
    sql`select ${decisionObstacle(sql`${applicationId}`, sql`${personId}`)} as obstacle, ${SINGLE_OBSTACLE} as "termsObstacle",
      ${onBehalfOf(sql`${applicationId}`, sql`${personId}`)} as "onBehalfOf"
    from transactions t
      left join approval_items i on i.application_id = t.application_id and i.transaction_id = t.transaction_id
    where t.application_id = ${applicationId} and t.transaction_id = ${transactionId}`,
  )
  return rows[0]
}

/** Returns the requirements of a transaction; undefined when it never had to be approved. */
export async function selectItem(queryable: Queryable, applicationId: string, transactionId: string): Promise<ApprovalItem | undefined> {
  const { rows } = await queryable.query<ApprovalItem>(
    `select i.application_id as "applicationId", i.transaction_id as "transactionId", i.policy_version as "policyVersion", i.rule, i.steps,
       i.needs_code as "needsCode", i.api_may_decide as "apiMayDecide", i.expires_at as "expiresAt",
       t.api_user_id as "startedByApiUser"
     from approval_items i
       left join transactions t on t.application_id = i.application_id and t.transaction_id = i.transaction_id
     where i.application_id = $1 and i.transaction_id = $2`,
    [applicationId, transactionId],
  )
  return rows[0]
}

/** The decisions on a transaction so far, in order of time. */
export async function selectDecisions(queryable: Queryable, applicationId: string, transactionId: string): Promise<ApprovalDecision[]> {
  const { rows } = await queryable.query<ApprovalDecision>(
    `select ${DECISION_COLUMNS}
     from approval_decisions d join transactions t on t.application_id = d.application_id and t.transaction_id = d.transaction_id
     where d.application_id = $1 and d.transaction_id = $2 order by d.decided_at, d.checker_id`,
    [applicationId, transactionId],
  )
  return rows
}

type NewDecision = Omit<ApprovalDecision, 'decidedAt' | 'counts' | 'programName' | 'absentName'> & {
  applicationId: string
  transactionId: string
}

/** The maker is copied from the transaction itself, so that the CHECK compares with the truth. */
export async function insertDecision(trx: TrxClient, decision: NewDecision): Promise<void> {
  await trx.query(
    `insert into approval_decisions (application_id, transaction_id, checker_id, on_behalf_of, maker_id, decision, step, note, used_code, through, api_user_id, decided_at)
     select t.application_id, t.transaction_id, $3, $10, t.maker_id, $4, $5, $6, $7, $8, $9, clock_timestamp()
     from transactions t where t.application_id = $1 and t.transaction_id = $2`,
    [
      decision.applicationId,
      decision.transactionId,
      decision.checkerId,
      decision.decision,
      decision.step,
      decision.note,
      decision.usedCode,
      decision.through,
      decision.apiUserId,
      decision.onBehalfOf,
    ],
  )
}

/** Waiting items that have expired by the database's clock, oldest first, without the first `offset` of them. */
export async function selectExpired(
  queryable: Queryable,
  limit: number,
  offset: number,
): Promise<{ applicationId: string; transactionId: string }[]> {
  const { rows } = await queryable.query<{ applicationId: string; transactionId: string }>(
    `select i.application_id as "applicationId", i.transaction_id as "transactionId"
     from approval_items i join transactions t on t.application_id = i.application_id and t.transaction_id = i.transaction_id
     where i.expires_at <= now() and t.is_waiting
     order by i.expires_at, i.application_id, i.transaction_id limit $1 offset $2`,
    [limit, offset],
  )
  return rows
}

/** Which of these require a one-time code. */
export async function selectNeedingCode(
  queryable: Queryable,
  applicationId: string,
  transactionIds: readonly string[],
): Promise<Set<string>> {
  const { rows } = await queryable.query<{ id: string }>(
    'select transaction_id as id from approval_items where application_id = $1 and transaction_id = any ($2::uuid[]) and needs_code',
    [applicationId, transactionIds],
  )
  return new Set(rows.map((row) => row.id))
}

/** Tells live pages that something changed although no transaction moved. Needs the counters' lock. */
export async function noteChange(trx: TrxClient, applicationId: string): Promise<void> {
  await trx.query('update application_counters set change_number = change_number + 1 where application_id = $1', [applicationId])
}

/** The name of the program that sent a decision `d` in; null for a person in the back office. */
export const PROGRAM_NAME = `case when d.through = 'api' then coalesce((select u.username from api_users u
  where u.application_id = d.application_id and u.api_user_id = d.api_user_id), 'API') end`

/** The name of the program that caused an event `e`, of the API user `u` of that event; null for anybody else. */
export const EVENT_PROGRAM_NAME = `case when e.actor_kind = 'api' then coalesce(u.username, 'API') end`

/** The fields of a decision `d` on a transaction `t`, each with its SQL: one definition for rows and for JSON. */
const DECISION_FIELDS = {
  checkerId: 'd.checker_id',
  decision: 'd.decision',
  step: 'd.step',
  note: 'd.note',
  usedCode: 'd.used_code',
  through: 'd.through',
  apiUserId: 'd.api_user_id',
  programName: PROGRAM_NAME,
  onBehalfOf: 'd.on_behalf_of',
  absentName: '(select b.name from people b where b.person_id = d.on_behalf_of)',
  decidedAt: 'd.decided_at',
  counts: DECISION_COUNTS,
} as const

type FieldTypes = {
  checkerId: string
  decision: 'validated' | 'rejected'
  step: number
  note: string
  usedCode: boolean
  through: 'api' | 'back_office'
  /** The API user that sent it in; null for a person in the back office. */
  apiUserId: string | null
  programName: string | null
  /** The absent checker in whose place a deputy decided, and their name; null for a checker. */
  onBehalfOf: string | null
  absentName: string | null
  decidedAt: Date
  /** False while the transaction waits and the person may no longer approve: the approval then does not count. */
  counts: boolean
}

/** A decision as a row. */
export type ApprovalDecision = { [Field in keyof typeof DECISION_FIELDS]: FieldTypes[Field] }
/** A decision in JSON, where an instant is text. */
export type ApprovalDecisionJson = {
  [Field in keyof ApprovalDecision]: ApprovalDecision[Field] extends Date ? string : ApprovalDecision[Field]
}

/** For a select list. */
export const DECISION_COLUMNS = Object.entries(DECISION_FIELDS)
  .map(([name, expression]) => `${expression} as "${name}"`)
  .join(', ')

/** The parameters of json_build_object. */
export const DECISION_JSON = Object.entries(DECISION_FIELDS)
  .map(([name, expression]) => `'${name}', ${expression}`)
  .join(', ')

/** Whether a transaction is a row of a batch. IS_BATCH_ROW in may-decide.ts is the same in SQL. */
export function isBatchRow({ batchId }: Pick<Transaction, 'batchId'>): boolean {
  return batchId !== null
}

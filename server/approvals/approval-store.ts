import type { ApprovalBand } from '#lib/approval-policy.ts'
import type { Queryable, TrxClient } from '#server/database/pool.ts'

/** What a waiting transaction needs, as the rule stood when it came in. */
export type ApprovalItem = {
  applicationId: string
  transactionId: string
  policyVersion: number
  rule: ApprovalBand['rule']
  /** Distinct checkers per step, one or two steps. */
  steps: number[]
  needsCode: boolean
  expiresAt: Date
}

export type ApprovalDecision = {
  checkerId: string
  decision: 'validated' | 'rejected'
  step: number
  note: string
  usedCode: boolean
  through: 'api' | 'back_office'
  decidedAt: Date
}

/** Takes the lock that orders everything about one application's money. */
export async function lockCounters(trx: TrxClient, applicationId: string): Promise<void> {
  await trx.query('select 1 from application_counters where application_id = $1 for no key update', [applicationId])
}

export async function selectItem(queryable: Queryable, applicationId: string, transactionId: string): Promise<ApprovalItem | undefined> {
  const { rows } = await queryable.query<ApprovalItem>(
    `select application_id as "applicationId", transaction_id as "transactionId", policy_version as "policyVersion", rule, steps,
       needs_code as "needsCode", expires_at as "expiresAt"
     from approval_items where application_id = $1 and transaction_id = $2`,
    [applicationId, transactionId],
  )
  return rows[0]
}

export async function selectDecisions(queryable: Queryable, applicationId: string, transactionId: string): Promise<ApprovalDecision[]> {
  const { rows } = await queryable.query<ApprovalDecision>(
    `select checker_id as "checkerId", decision, step, note, used_code as "usedCode", through, decided_at as "decidedAt"
     from approval_decisions where application_id = $1 and transaction_id = $2 order by decided_at, checker_id`,
    [applicationId, transactionId],
  )
  return rows
}

export type NewDecision = Omit<ApprovalDecision, 'decidedAt'> & { applicationId: string; transactionId: string }

/** The maker is copied from the transaction itself, so that the CHECK compares with the truth. */
export async function insertDecision(trx: TrxClient, decision: NewDecision): Promise<void> {
  await trx.query(
    `insert into approval_decisions (application_id, transaction_id, checker_id, maker_id, decision, step, note, used_code, through, decided_at)
     select t.application_id, t.transaction_id, $3, t.maker_id, $4, $5, $6, $7, $8, clock_timestamp()
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
    ],
  )
}

/** Waiting items whose time is over by the database's clock, oldest first. */
export async function selectExpired(queryable: Queryable, limit: number): Promise<{ applicationId: string; transactionId: string }[]> {
  const { rows } = await queryable.query<{ applicationId: string; transactionId: string }>(
    `select i.application_id as "applicationId", i.transaction_id as "transactionId"
     from approval_items i join transactions t on t.application_id = i.application_id and t.transaction_id = i.transaction_id
     where i.expires_at <= now() and t.status = 'PENDING_APPROVAL'
     order by i.expires_at limit $1`,
    [limit],
  )
  return rows
}

/** Which of these ask for a fresh one-time code. */
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

/** Tells live pages that something about the application moved; for what moves no transaction. Needs the counters' lock. */
export async function noteChange(trx: TrxClient, applicationId: string): Promise<void> {
  await trx.query('update application_counters set change_number = change_number + 1 where application_id = $1', [applicationId])
}

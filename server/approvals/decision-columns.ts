import { DECISION_COUNTS } from './may-decide.ts'

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

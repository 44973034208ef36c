import { DECISION_COUNTS } from './may-decide.ts'

/** The fields of a decision `d` on a transaction `t`, each with its SQL: one definition for rows and for JSON. */
const DECISION_FIELDS = {
  checkerId: 'd.checker_id',
  decision: 'd.decision',
  step: 'd.step',
  note: 'd.note',
  usedCode: 'd.used_code',
  through: 'd.through',
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

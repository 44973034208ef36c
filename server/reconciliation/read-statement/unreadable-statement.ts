import type { StatementProblem } from '#lib/reconciliation/statement-problem.ts'

/** Thrown inside the reader where a statement as a whole is refused, and turned into a value at its edge. */
export class UnreadableStatement extends Error {
  readonly problem: StatementProblem
  constructor(kind: StatementProblem['kind'], values?: StatementProblem['values'], sample?: StatementProblem['sample']) {
    super(kind)
    this.name = 'UnreadableStatement'
    this.problem = { kind, ...(values && { values }), ...(sample && { sample }) }
  }
}

import type { FileProblem, FileProblemKind } from '#lib/batch-file/file-problem.ts'

/** Thrown inside the reader where a file cannot be read, and turned into a Result at its edge. */
export class UnreadableFile extends Error {
  readonly problem: FileProblem
  constructor(kind: FileProblemKind, values?: Record<string, number>) {
    super(kind)
    this.name = 'UnreadableFile'
    this.problem = values ? { kind, values } : { kind }
  }
}

import { z } from 'zod'
import type { RowProblem } from '#lib/batches/batch-fields.ts'
import { type BatchWords, problemText } from '#lib/batches/batches.ts'
import { fileProblemSchema } from '#lib/batches/file-problem.ts'
import { OPERATOR_CODES } from '#lib/operators/operators.ts'

/** The people that one file can add or change: as many as a second person can look through. */
export const IMPORTED_PEOPLE_MAX = 1_000

/** The change of a row to the book. `number`: another number, perhaps with another operator; `name`: another name or operator; `place`: group or amount. */
export const IMPORT_EFFECTS = ['new', 'number', 'name', 'place'] as const
export type ImportEffect = (typeof IMPORT_EFFECTS)[number]
export type ImportCounts = Record<ImportEffect, number>

/** Why a row is left out: as in a file of payments, or because of the book and the other rows. */
export type ImportProblem =
  | RowProblem
  /** An earlier row has the number. */
  | { kind: 'twice'; row: number }
  /** Several people in the book, or several rows, have the name, and none has the number. */
  | { kind: 'namesakes' }
  /** The number is that of somebody else in the book, and the name is in the book too. */
  | { kind: 'number_of_other'; name: string }
  | { kind: 'group_length' }

const identity = { name: z.string(), operator: z.enum(OPERATOR_CODES), phoneNumber: z.string() }
const place = { groupName: z.string().nullable(), amount: z.string().nullable() }

/**
 * A person as the file has them, and as they are in the book now; amounts are decimals. `changed`: of somebody who was in the book, once the change is decided
 * or the person has left.
 */
const importedPersonSchema = z.object({
  effect: z.enum([...IMPORT_EFFECTS, 'changed']),
  ...identity,
  ...place,
  present: z.object({ ...identity, ...place }).nullable(),
})
export type ImportedPersonDto = z.infer<typeof importedPersonSchema>

/** The changes of a file, before anything is stored. `digest`: of all of it, which the proposal repeats. `problemFile`: the rows that are left out, as CSV. */
const importPreviewSchema = z.object({
  digest: z.string(),
  people: z.array(importedPersonSchema),
  unchanged: z.number(),
  dialCodes: z.number(),
  problems: z.array(z.object({ rowNumber: z.number(), name: z.string(), phoneNumber: z.string(), reason: z.string() })),
  problemFile: z.string(),
})
export type ImportPreviewDto = z.infer<typeof importPreviewSchema>

const importAnswerSchema = z.union([
  importPreviewSchema,
  z.object({ changeId: z.uuid() }),
  z.object({ problem: fileProblemSchema }),
  z.object({ code: z.string() }),
])

/** Reads the answer to a file; undefined for one that this page does not know, such as a page of a proxy. */
export function readImportAnswer(json: unknown): z.infer<typeof importAnswerSchema> | undefined {
  return importAnswerSchema.safeParse(json).data
}

/** Why a row is left out, in a sentence that says what to do. */
export function importProblemText(words: BatchWords, problem: ImportProblem): string {
  const { t } = words
  if (!('field' in problem)) return t(`beneficiaries.import.problem.${problem.kind}`, { ...problem })
  if (problem.kind === 'operator_missing' || problem.kind === 'amount_thousands') return t(`beneficiaries.import.problem.${problem.kind}`)
  return problemText(words, problem)
}

/** Counts people by what the file does to them. */
export function countEffects(people: readonly { effect: ImportEffect | 'changed' }[]): ImportCounts {
  const counts: ImportCounts = { new: 0, number: 0, name: 0, place: 0 }
  for (const { effect } of people) if (effect !== 'changed') counts[effect]++
  return counts
}

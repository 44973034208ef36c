import { z } from 'zod'
import { FILE_PROBLEM_KINDS } from './file-problem.ts'

const uploadAnswerSchema = z.union([
  z.object({ batchId: z.uuid() }),
  z.object({ problem: z.object({ kind: z.enum(FILE_PROBLEM_KINDS), values: z.record(z.string(), z.number()).optional() }) }),
])
type UploadAnswer = z.infer<typeof uploadAnswerSchema>

/** Reads the JSON that an upload was answered with; undefined for a refusal, and for anything that this page does not know, such as a page of a proxy. */
export function readUploadAnswer(json: unknown): UploadAnswer | undefined {
  return uploadAnswerSchema.safeParse(json).data
}

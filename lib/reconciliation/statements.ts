import { z } from 'zod'
import { FILE_QUERY } from '#lib/uploads.ts'
import type { StatementProblem } from './statement-problem.ts'

export type StatementState = 'uploading' | 'checking' | 'ready' | 'importing' | 'imported' | 'unmapped' | 'refused' | 'withdrawn'

/** A statement as pages show it. Amounts are decimals. */
export type StatementFileDto = {
  fileId: string
  wallet: string
  fileName: string
  state: StatementState
  format: string | null
  accounts: readonly string[]
  firstDay: string | null
  lastDay: string | null
  lines: number
  failed: number
  known: number
  bad: number
  in: string
  out: string
  opening: string | null
  closing: string | null
  problem: StatementProblem | null
  /** Null for a file that was fetched from the operator. */
  uploadedBy: string | null
  uploadedAt: string
}

/** The beginning of an upload. */
export const uploadSchema = z.strictObject({ wallet: z.string().max(40), ...FILE_QUERY })
/** The answer to a complete upload: the file, which may be an earlier upload of the same content. */
export const completionAnswerSchema = z.object({ fileId: z.uuid(), isKnown: z.boolean() })

import { z } from 'zod'

/** Why a file as a whole cannot be read. The texts, which say what to do, are `batches.file.<kind>`. */
const FILE_PROBLEM_KINDS = [
  'empty',
  'too_large',
  'unpacks_too_large',
  'too_many_rows',
  'too_many_columns',
  'no_rows',
  'one_column',
  'encoding',
  'quote_open',
  'record_too_long',
  'old_workbook',
  'encrypted',
  'binary_workbook',
  'open_document',
  'apple_numbers',
  'word_document',
  'other_zip',
  'damaged_zip',
  'damaged_workbook',
  'entities',
  'no_sheet',
  'pdf',
  'picture',
  'web_page',
  'json',
  'xml',
  'compressed',
  'too_slow',
] as const
export type FileProblemKind = (typeof FILE_PROBLEM_KINDS)[number]

/** `values` are those of the text. */
export type FileProblem = { kind: FileProblemKind; values?: Record<string, number> }
export const fileProblemSchema = z.object({ kind: z.enum(FILE_PROBLEM_KINDS), values: z.record(z.string(), z.number()).optional() })

/** The bytes that a file may have. Ten thousand rows are about one megabyte as text, and less as a workbook. */
export const BATCH_FILE_BYTES_MAX = 3 * 1024 * 1024

/** How a file was read, for the person who checks it. */
export type FileReading = {
  format: 'csv' | 'xlsx'
  encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | null
  separator: string | null
  sheet: string | null
  /** Other sheets with a name, which were not read. */
  otherSheets: string[]
  hiddenRows: number
  /** Rows above the header: a title, a date. */
  rowsAbove: number
}

const uploadAnswerSchema = z.union([z.object({ batchId: z.uuid() }), z.object({ problem: fileProblemSchema })])
type UploadAnswer = z.infer<typeof uploadAnswerSchema>

/** Reads the JSON that an upload was answered with; undefined for a refusal, and for anything that this page does not know, such as a page of a proxy. */
export function readUploadAnswer(json: unknown): UploadAnswer | undefined {
  return uploadAnswerSchema.safeParse(json).data
}

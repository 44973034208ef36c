import { z } from 'zod'
import { AUDIT_ACTIONS } from '../audit-actions.ts'
import { EXPORT_FORMATS } from '../export-formats.ts'
import { isUtcDay } from '../time.ts'

const day = z.string().refine(isUtcDay).nullable().default(null)
/** A place in the chain: the number of an entry. */
const sequence = z
  .string()
  .regex(/^\d{1,18}$/)
  .optional()

const filters = {
  /** A person, or what acts without one. */
  who: z.union([z.guid(), z.enum(['system', 'api', 'operator'])]).optional(),
  action: z.enum(AUDIT_ACTIONS).optional(),
  subject: z.string().trim().min(1).max(400).optional(),
  from: day,
  to: day,
}

/** The address of the audit page. */
export const auditListSchema = z.object({ ...filters, before: sequence, after: sequence })
export type AuditListFilter = z.output<typeof auditListSchema>

/** As JSON lines the record is always whole, because a part of a chain cannot be verified. */
export const auditExportSchema = z
  .object({ ...filters, format: z.enum([...EXPORT_FORMATS, 'jsonl']).default('csv') })
  .refine(({ format, ...filter }) => format !== 'jsonl' || Object.values(filter).every((value) => value === undefined || value === null))

/** A part of the check of the chain: where it goes on. */
export const auditCheckSchema = z.object({ after: sequence.default('0') })

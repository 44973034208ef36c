import { z } from 'zod'
import { EXCEPTION_ADJUSTMENTS, EXCEPTION_AGES, EXCEPTION_NOTE_MAX } from '#lib/reconciliation/exceptions.ts'
import { WALLETS } from '#lib/reconciliation/wallets.ts'
import { isCleanText } from '#lib/text/clean-text.ts'
import { text } from './proposal.ts'
import { pageFromOne } from './read-address.ts'

/** The address of the list. `open`: everything that is not closed. */
export const exceptionFilterSchema = z.object({
  state: z.enum(['open', 'closed']).default('open'),
  /** `me`, `nobody` or a person. */
  owner: z
    .union([z.enum(['me', 'nobody']), z.uuid()])
    .nullable()
    .default(null),
  /** Opened at least this many days ago. */
  days: z.coerce
    .number()
    .refine((days) => EXCEPTION_AGES.some((each) => each === days))
    .nullable()
    .default(null),
  wallet: z
    .string()
    .refine((id) => WALLETS.some(({ wallet }) => wallet === id))
    .nullable()
    .default(null),
  page: pageFromOne(100_000),
})
export type ExceptionFilter = z.output<typeof exceptionFilterSchema>

/** As many as a page of the list has. */
const ADJUSTED_TOGETHER_MAX = 50
const exceptionId = z.uuid()
const note = z.string().trim().max(EXCEPTION_NOTE_MAX).refine(isCleanText)

function about<const Shape extends z.ZodRawShape>(shape: Shape) {
  return z.union([z.strictObject({ exceptionId, ...shape }), z.strictObject({ transactionId: z.uuid(), ...shape })])
}

/** The inputs of what people do with an exception. */
export const exceptionInputs = {
  take: about({}),
  handOver: about({ personId: z.uuid(), note }),
  note: about({ note: note.min(1) }),
  /** The same adjustment for the transactions of several exceptions. */
  adjust: z.strictObject({
    kind: z.enum(EXCEPTION_ADJUSTMENTS),
    exceptionIds: z
      .array(exceptionId)
      .min(1)
      .max(ADJUSTED_TOGETHER_MAX)
      .refine((ids) => new Set(ids).size === ids.length),
    evidence: text(200).min(1),
    note: text(500),
    waivesFees: z.boolean(),
  }),
  close: z.strictObject({ exceptionId, outcome: z.enum(['explained', 'adjusted']), note: note.min(1) }),
} as const

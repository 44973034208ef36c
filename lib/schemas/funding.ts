import { z } from 'zod'
import { isCleanText } from '../clean-text.ts'
import { FUNDING_ACCOUNTS, FUNDING_KINDS, referenceKey } from '../funding.ts'
import { parseAmountMinor } from '../money.ts'
import { OPERATOR_CODES } from '../operators.ts'

const text = (lengthMax: number) => z.string().trim().max(lengthMax).refine(isCleanText)

/** Hundredths; a minus takes money away. */
const amount = z
  .string()
  .max(20)
  .transform((typed, context) => {
    const amountMinor = parseAmountMinor(typed.replace(/^-/, ''))
    if (amountMinor !== undefined) return typed.startsWith('-') ? -amountMinor : amountMinor
    context.addIssue({ code: 'custom', message: 'funding.amountWrong' })
    return z.NEVER
  })

/** A funding that somebody proposes. Out: the amount in hundredths. */
export const fundingSchema = z
  .strictObject({
    kind: z.enum(FUNDING_KINDS),
    operator: z.enum(OPERATOR_CODES),
    /** The balance that a correction is about; the deposit balance for all others. */
    account: z.enum(FUNDING_ACCOUNTS),
    amount,
    reference: text(100).refine((reference) => referenceKey(reference) !== ''),
    note: text(500),
    attachment: z.strictObject({ name: text(200).min(1), sha256: z.string().regex(/^[0-9a-f]{64}$/) }).nullable(),
  })
  .refine(({ kind, account }) => kind === 'correction' || account === 'deposit')
  .refine(({ kind, amount: amountMinor }) => kind === 'correction' || amountMinor > 0n)
  .refine(({ kind, attachment }) => kind === 'move' || attachment !== null)
export type FundingInput = z.input<typeof fundingSchema>
export type Funding = z.output<typeof fundingSchema>

import { z } from 'zod'
import { isCleanText } from '#lib/clean-text.ts'

/** What the search box sends while somebody types. */
export const suggestionQuerySchema = z.strictObject({ q: z.string().max(200).refine(isCleanText) })

import { z } from 'zod'

/** What a browser reports of an error that a page did not handle. Bounded, because it ends in the log. */
export const pageFailureSchema = z.strictObject({
  name: z.string().max(100),
  message: z.string().max(500),
  stack: z.string().max(4_000),
  path: z.string().max(300),
})

export type PageFailure = z.infer<typeof pageFailureSchema>

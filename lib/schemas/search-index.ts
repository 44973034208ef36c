import { z } from 'zod'
import type { SearchEntry } from '#lib/reference.ts'

/** What `/docs/search` answers, in the order of the pages. */
export const searchIndexSchema: z.ZodType<readonly SearchEntry[]> = z.array(
  z.object({ title: z.string(), where: z.string(), href: z.string().startsWith('/') }),
)

import { z } from 'zod'

// Apart from reference.ts, whose values every reader of the documentation loads: only a search needs the schema.

/** A place that the search finds: the address of a page and a place in it. `lang`: of its texts, if it is not that of the page. */
export type SearchEntry = { title: string; where: string; href: string; lang?: 'en' | undefined }

/** The answer of `/docs/search`, in the order of the pages. */
export const searchIndexSchema: z.ZodType<readonly SearchEntry[]> = z.array(
  z.object({ title: z.string(), where: z.string(), href: z.string().startsWith('/'), lang: z.literal('en').optional() }),
)

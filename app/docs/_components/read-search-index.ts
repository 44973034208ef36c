import '#components/form/zod-without-eval.ts'
import { paths } from '#lib/pages/paths.ts'
import { type SearchEntry, searchIndexSchema } from '#lib/partner/search-index.ts'

/** Returns the index of the search; undefined if it is anything else, such as the page of a proxy. Rejects without a connection. */
export async function readSearchIndex(): Promise<readonly SearchEntry[] | undefined> {
  const response = await fetch(paths.docsSearch())
  return response.ok ? searchIndexSchema.safeParse(await response.json()).data : undefined
}

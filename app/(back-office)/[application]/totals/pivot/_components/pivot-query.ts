import type { PivotDto } from '#lib/finance/pivot.ts'
import type { QueryValues } from '#lib/pages/paths.ts'
import { resource } from '#lib/pages/queries.ts'
import { hasParts } from '#lib/pages/query-client.ts'

/** The resource of a pivot table. Beside its page, because every page loads what is in `queries`. */
export function pivotQuery(application: string, filters: QueryValues) {
  return resource(application, ['totals', application, 'pivot', filters], ['totals/pivot', filters], hasParts<PivotDto>('zone', 'tables'))
}

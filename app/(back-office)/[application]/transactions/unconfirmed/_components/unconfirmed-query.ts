import type { UnconfirmedPage } from '#lib/finance/unconfirmed.ts'
import type { QueryValues } from '#lib/pages/paths.ts'
import { queryKeys, resource } from '#lib/pages/queries.ts'
import { hasParts } from '#lib/pages/query-client.ts'

/** The resource of the desk, which changes with the transactions. Beside its page, because every page loads what is in `queries`. */
export function unconfirmedQuery(application: string, filters: QueryValues) {
  return resource(
    application,
    [...queryKeys.transactions(application), 'unconfirmed', filters],
    ['transactions/unconfirmed', filters],
    hasParts<UnconfirmedPage>('rows', 'total', 'sums'),
  )
}

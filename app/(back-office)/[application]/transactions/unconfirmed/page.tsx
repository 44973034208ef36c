import { unconfirmedAddress } from '#lib/finance/unconfirmed.ts'
import { paths } from '#lib/pages/paths.ts'
import { seed } from '#lib/pages/queries.ts'
import { can } from '#lib/people/permissions.ts'
import { unconfirmedFilterSchema } from '#lib/schemas/page-address.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { listActiveMembers } from '#server/people/person-store.ts'
import { readUnconfirmed } from '#server/reports/unconfirmed/read-unconfirmed.ts'
import { PageContent, type PageProps, titled } from '../../_components/page-content.tsx'
import { WrongAddress } from '../../_components/wrong-address.tsx'
import { UnconfirmedDesk } from './_components/unconfirmed-desk.tsx'
import { unconfirmedQuery } from './_components/unconfirmed-query.ts'

export const generateMetadata = titled('overview.unconfirmed')

const WORDS = ['unconfirmed.', 'exceptions.', 'totals.export', 'transactions.synchronise', 'transaction.synchronis', 'overview.unconfirmed']

/** Every payment whose outcome is unknown, the longest first, with who works on it and what they found out. */
export default async function UnconfirmedPage({ params, searchParams }: PageProps) {
  const { application } = await params
  const actor = await requireActor(application, 'transaction:read')
  const read = readAddress(unconfirmedFilterSchema, await searchParams)
  if (!read.ok) return <WrongAddress href={paths.unconfirmed(application)} />
  const query = read.value
  const { pool, reportPool, clock } = backOfficeRuntime()
  const { applicationId } = actor
  const [page, members] = await Promise.all([
    readUnconfirmed(reportPool, { applicationId, viewerId: actor.id, filter: query, now: clock.now() }),
    listActiveMembers(pool, applicationId),
  ])
  const people = members.filter(({ roles }) => can(roles, 'reconciliation:work')).map(({ personId, name }) => ({ personId, name }))
  return (
    <PageContent words={WORDS} data={[seed(unconfirmedQuery(application, unconfirmedAddress(query)), page)]}>
      <UnconfirmedDesk
        application={application}
        viewerId={actor.id}
        query={query}
        people={people}
        may={{
          work: can(actor.roles, 'reconciliation:work'),
          handOver: can(actor.roles, 'exception:hand-over'),
          reassign: can(actor.roles, 'exception:reassign'),
          export: can(actor.roles, 'export:create'),
        }}
      />
    </PageContent>
  )
}

import { queries, seed } from '#lib/pages/queries.ts'
import { can } from '#lib/people/permissions.ts'
import { balancesAddressSchema } from '#lib/schemas/page-address.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { readBalances } from '#server/reports/statements/read-balances.ts'
import { PageContent, type PageProps, titled } from '../../_components/page-content.tsx'
import { BalancesBoard } from '../_components/balances-board.tsx'

export const generateMetadata = titled('frame.balances')

/** The balances of all operators, as cards or as a table. */
export default async function BalancesPage({ params, searchParams }: PageProps) {
  const { application } = await params
  const address = readAddress(balancesAddressSchema, await searchParams)
  const actor = await requireActor(application, 'balance:read')
  const { pool, clock } = backOfficeRuntime()
  const balances = await readBalances(pool, actor, clock.now())
  return (
    <PageContent words={['balances.']} data={[seed(queries.balances(application), balances)]}>
      <BalancesBoard
        application={application}
        view={address.ok ? address.value.view : 'cards'}
        canSetThreshold={can(actor.roles, 'balance:set-threshold')}
        canReadStatement={can(actor.roles, 'statement:read')}
        canExport={can(actor.roles, 'export:create')}
      />
    </PageContent>
  )
}

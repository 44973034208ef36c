import { dehydrate } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { PageData } from '#components/frame/page-data.tsx'
import { PageMessages } from '#components/ui/translations.tsx'
import { MESSAGES } from '#lib/i18n/messages.ts'
import { pickMessages } from '#lib/i18n/translate.ts'
import { queryKeys } from '#lib/pages/query-keys.ts'
import { can } from '#lib/people/permissions.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { getQueryClient } from '#server/back-office/query-client.ts'
import { readBalances } from '#server/reports/statements/read-balances.ts'
import { BalancesBoard } from '../_components/balances-board.tsx'

type Props = { params: Promise<{ application: string }> }

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getT())('frame.balances') }
}

export default async function BalancesPage({ params }: Props) {
  const { application } = await params
  const actor = await requireActor(application, 'balance:read')
  const { pool, clock } = backOfficeRuntime()
  const queryClient = getQueryClient()
  const [locale] = await Promise.all([
    readLocale(),
    queryClient.fetchQuery({
      queryKey: queryKeys.balances(application),
      queryFn: () => readBalances(pool, actor, clock.now()),
    }),
  ])
  return (
    <PageData state={dehydrate(queryClient)}>
      <PageMessages messages={pickMessages(MESSAGES[locale], ['balances.'])}>
        <BalancesBoard
          application={application}
          canSetThreshold={can(actor.roles, 'balance:set-threshold')}
          canReadStatement={can(actor.roles, 'statement:read')}
          canExport={can(actor.roles, 'export:create')}
        />
      </PageMessages>
    </PageData>
  )
}

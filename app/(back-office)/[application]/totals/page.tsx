import { dehydrate } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { PageData } from '#components/frame/page-data.tsx'
import { PageMessages } from '#components/ui/translations.tsx'
import { totalsAddress } from '#lib/finance/finance-address.ts'
import { MESSAGES } from '#lib/i18n/messages.ts'
import { pickMessages } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { queryKeys } from '#lib/pages/query-keys.ts'
import { can } from '#lib/people/permissions.ts'
import { totalsQuerySchema } from '#lib/schemas/page-address.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { getQueryClient } from '#server/back-office/query-client.ts'
import { readTotals } from '#server/reports/totals/read-totals.ts'
import { WrongAddress } from '../_components/wrong-address.tsx'
import { TotalsBoard } from './_components/totals-board.tsx'

type Props = { params: Promise<{ application: string }>; searchParams: Promise<Record<string, string | string[] | undefined>> }

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getT())('frame.totals') }
}

export default async function TotalsPage({ params, searchParams }: Props) {
  const { application } = await params
  const actor = await requireActor(application, 'total:read')
  const read = readAddress(totalsQuerySchema, await searchParams)
  if (!read.ok) return <WrongAddress href={paths.totals(application)} />
  const query = read.value
  const { reportPool, clock } = backOfficeRuntime()
  const queryClient = getQueryClient()
  const [locale] = await Promise.all([
    readLocale(),
    queryClient.fetchQuery({
      queryKey: queryKeys.totals(application, totalsAddress(query)),
      queryFn: () => readTotals(reportPool, actor, query, clock.now()),
    }),
  ])
  return (
    <PageData state={dehydrate(queryClient)}>
      <PageMessages messages={pickMessages(MESSAGES[locale], ['totals.'])}>
        <TotalsBoard application={application} query={query} canExport={can(actor.roles, 'export:create')} />
      </PageMessages>
    </PageData>
  )
}

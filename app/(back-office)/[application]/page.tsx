import { dehydrate } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { PageData } from '#components/frame/page-data.tsx'
import { PageMessages } from '#components/ui/translations.tsx'
import { MESSAGES } from '#lib/i18n/messages.ts'
import { pickMessages } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { queryKeys } from '#lib/pages/query-keys.ts'
import { overviewQuerySchema } from '#lib/schemas/page-address.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { getQueryClient } from '#server/back-office/query-client.ts'
import { readOverview } from '#server/reports/overview/read-overview.ts'
import { OverviewBoard } from './_components/overview/overview-board.tsx'
import { WrongAddress } from './_components/wrong-address.tsx'

type Props = { params: Promise<{ application: string }>; searchParams: Promise<Record<string, string | string[] | undefined>> }

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getT())('frame.overview') }
}

export default async function OverviewPage({ params, searchParams }: Props) {
  const { application } = await params
  const actor = await requireActor(application, 'overview:read')
  const query = readAddress(overviewQuerySchema, await searchParams)
  if (!query.ok) return <WrongAddress href={paths.overview(application)} />
  const { days } = query.value
  const { reportPool, clock } = backOfficeRuntime()
  const queryClient = getQueryClient()
  const [locale] = await Promise.all([
    readLocale(),
    queryClient.fetchQuery({
      queryKey: queryKeys.overview(application, days),
      queryFn: () => readOverview(reportPool, actor, days, clock.now()),
    }),
  ])
  return (
    <PageData state={dehydrate(queryClient)}>
      <PageMessages messages={pickMessages(MESSAGES[locale], ['overview.', 'totals.', 'approvals.risk.', 'availability.'])}>
        <OverviewBoard application={application} days={days} />
      </PageMessages>
    </PageData>
  )
}

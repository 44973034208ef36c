import { TimeText } from '#components/domain/time-text.tsx'
import { EmptyState } from '#components/ui/display/empty-state.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { ListTable } from '#components/ui/display/table.tsx'
import { Link } from '#components/ui/link.tsx'
import { paths } from '#lib/pages/paths.ts'
import { dayText, walletText } from '#lib/reconciliation/wallet-words.ts'
import { monthAddressSchema } from '#lib/schemas/page-address.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { dayIn } from '#lib/time/format-time.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT } from '#server/back-office/preferences.ts'
import { listSettlements } from '#server/reconciliation/settlements/read-settlements.ts'
import { MonthBar, monthOf } from '../_components/finance/month-bar.tsx'
import { PageContent, type PageProps, titled } from '../_components/page-content.tsx'
import { WrongAddress } from '../_components/wrong-address.tsx'

export const generateMetadata = titled('frame.settlements')

/** The signed days of a month at operators that the application uses. */
export default async function SettlementsPage({ params, searchParams }: PageProps) {
  const { application } = await params
  const actor = await requireActor(application, 'settlement:read')
  const { reportPool, clock } = backOfficeRuntime()
  const [t, address] = [await getT(), readAddress(monthAddressSchema, await searchParams)]
  if (!address.ok) return <WrongAddress href={paths.settlements(application)} />
  const month = address.value.month ?? dayIn(actor.businessZone, clock.now()).slice(0, 7)
  const days = await listSettlements(reportPool, actor.applicationId, { wallet: null, ...monthOf(month) })
  return (
    <PageContent words={['settlements.']}>
      <PageHeader title={t('frame.settlements')} lead={t('settlements.lead')} />
      <MonthBar t={t} month={month} hrefOf={(each) => paths.settlements(application, { month: each })} />
      {days.length === 0 && <EmptyState icon="sum" title={t('settlements.none')} text={t('settlements.noneText')} />}
      {days.length > 0 && (
        <ListTable
          label={t('frame.settlements')}
          className="mt-4"
          isList
          rows={days}
          keyOf={({ wallet, day }) => `${wallet} ${day}`}
          columns={[
            {
              head: t('settlements.day'),
              cellClass: 'whitespace-nowrap',
              cell: ({ wallet, day }) => (
                <Link
                  href={paths.settlement(application, wallet, day)}
                  aria-label={`${dayText(t, day)}, ${walletText(t, wallet)}`}
                  className="underline"
                >
                  {dayText(t, day)}
                </Link>
              ),
            },
            { head: t('settlements.wallet'), cell: ({ wallet }) => walletText(t, wallet) },
            { head: t('settlements.version'), align: 'end', isLabelled: true, cell: ({ version }) => version },
            { head: t('settlements.signed'), isLabelled: true, cell: ({ signedAt }) => <TimeText at={signedAt} style="full" /> },
            {
              head: t('settlements.certificate'),
              cell: ({ certificateHash, state }) => (
                <>
                  <span className="text-second text-quiet wrap-anywhere tabular">{certificateHash}</span>
                  {state !== 'signed' && <span className="block font-medium">{t(`settlements.state.${state}`)}</span>}
                </>
              ),
            },
          ]}
        />
      )}
    </PageContent>
  )
}

import { EmptyState } from '#components/ui/display/empty-state.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { Link } from '#components/ui/link.tsx'
import { paths } from '#lib/pages/paths.ts'
import { walletText } from '#lib/reconciliation/wallet-words.ts'
import { monthAddressSchema } from '#lib/schemas/page-address.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { dayIn } from '#lib/time/format-time.ts'
import { requireInstaller } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT } from '#server/back-office/preferences.ts'
import { listWalletFees } from '#server/reconciliation/fees/read-fees.ts'
import { MonthBar, monthOf } from '../../_components/finance/month-bar.tsx'
import { PageContent, type PageProps, titled } from '../../_components/page-content.tsx'
import { WrongAddress } from '../../_components/wrong-address.tsx'
import { CloseTabs } from '../_components/close-tabs.tsx'
import { WalletMark } from '../_components/wallet-mark.tsx'
import { FeeTable } from './_components/fee-table.tsx'

export const generateMetadata = titled('close.fees')

/** The fees each operator charged in a month, compared with the agreed ones. */
export default async function FeesPage({ params, searchParams }: PageProps) {
  const { application } = await params
  const actor = await requireInstaller(application, 'reconciliation:read')
  const { reportPool, clock } = backOfficeRuntime()
  const address = readAddress(monthAddressSchema, await searchParams)
  const t = await getT()
  if (!address.ok) return <WrongAddress href={paths.fees(application)} />
  const month = address.value.month ?? dayIn(actor.businessZone, clock.now()).slice(0, 7)
  const fees = await listWalletFees(reportPool, actor.applicationId, monthOf(month))
  const rows = fees.map(({ wallet, currency, total }) => ({
    ...total,
    key: wallet,
    currency,
    name: (
      <>
        <WalletMark t={t} wallet={wallet} />
        <Link
          href={paths.walletFees(application, wallet, { month })}
          aria-label={t('fees.details', { wallet: walletText(t, wallet) })}
          className="block py-0.5 text-second underline"
        >
          {t('close.details')}
        </Link>
      </>
    ),
  }))
  return (
    <PageContent words={['close.']}>
      <PageHeader title={t('frame.close')} lead={t('fees.lead')} />
      <CloseTabs t={t} application={application} current="fees" />
      <MonthBar t={t} month={month} hrefOf={(each) => paths.fees(application, { month: each })} />
      {rows.length === 0 && <EmptyState icon="file" title={t('fees.none')} />}
      {rows.length > 0 && <FeeTable t={t} label={t('fees.wallets')} head={t('close.wallet')} rows={rows} />}
    </PageContent>
  )
}

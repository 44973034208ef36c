import { notFound } from 'next/navigation'
import { ButtonLink } from '#components/ui/button.tsx'
import { EmptyState, Notice } from '#components/ui/display/empty-state.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { Link } from '#components/ui/link.tsx'
import { LOCALES } from '#lib/i18n/locale.ts'
import { paths } from '#lib/pages/paths.ts'
import { EXPORT_FORMATS } from '#lib/payments/transactions/transaction-exports.ts'
import { dayText, walletText } from '#lib/reconciliation/wallet-words.ts'
import { monthAddressSchema } from '#lib/schemas/page-address.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { dayIn } from '#lib/time/format-time.ts'
import { requireInstaller } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { agreementText } from '#server/reconciliation/fees/fee-claim.ts'
import { readWalletFees } from '#server/reconciliation/fees/read-fees.ts'
import { readWallet } from '#server/reconciliation/wallets/wallet-store.ts'
import { MonthBar, monthOf } from '../../../_components/finance/month-bar.tsx'
import { PageContent, type PageProps, titled } from '../../../_components/page-content.tsx'
import { WrongAddress } from '../../../_components/wrong-address.tsx'
import { FeeTable } from '../_components/fee-table.tsx'

export const generateMetadata = titled('close.fees')

/** The fees of one wallet on each day of a month, and the claim on the operator for what it billed otherwise than agreed. */
export default async function WalletFeesPage({ params, searchParams }: PageProps<'wallet'>) {
  const { application, wallet: id } = await params
  const actor = await requireInstaller(application, 'reconciliation:read')
  const { reportPool, clock } = backOfficeRuntime()
  const wallet = await readWallet(reportPool, actor.applicationId, id)
  if (!wallet) notFound()
  const [t, locale, address] = [await getT(), await readLocale(), readAddress(monthAddressSchema, await searchParams)]
  if (!address.ok) return <WrongAddress href={paths.walletFees(application, id)} />
  const month = address.value.month ?? dayIn(wallet.zone, clock.now()).slice(0, 7)
  const { days, total, currency } = await readWalletFees(reportPool, actor.applicationId, wallet, monthOf(month))
  const rows = days.map(({ day, ...figures }) => ({
    ...figures,
    key: day,
    currency,
    name: (
      <Link href={paths.closeDay(application, id, day)} className="underline">
        {dayText(t, day)}
      </Link>
    ),
  }))
  const agreed = agreementText(t, locale, wallet)
  return (
    <PageContent words={['close.']}>
      <PageHeader
        title={t('fees.of', { wallet: walletText(t, id) })}
        lead={agreed}
        actions={
          <>
            <ButtonLink href={paths.fees(application, { month })}>{t('fees.toAll')}</ButtonLink>
            <ButtonLink href={paths.wallet(application, id)}>{t('close.wallet')}</ButtonLink>
          </>
        }
      />
      <MonthBar t={t} month={month} hrefOf={(each) => paths.walletFees(application, id, { month: each })} />
      {wallet.feePpm === null && days.length > 0 && (
        <Notice tone="wait">
          {t('fees.noAgreement')}{' '}
          <Link href={paths.wallet(application, id)} className="underline">
            {t('fees.toWallet')}
          </Link>
        </Notice>
      )}
      {days.length === 0 && <EmptyState icon="file" title={t('fees.none')} />}
      {days.length > 0 && (
        <FeeTable
          t={t}
          label={t('fees.byDay')}
          head={t('close.day')}
          rows={[...rows, { ...total, key: 'total', currency, name: t('fees.total'), isSum: true }]}
        />
      )}
      {days.length > 0 && wallet.feePpm !== null && (
        <section className="mt-6" aria-labelledby="fee-claim">
          <h2 id="fee-claim">{t('fees.claim')}</h2>
          <p className="mt-1 max-w-2xl text-ink-2">{t('fees.claimText')}</p>
          <ul className="mt-2 grid gap-1">
            {LOCALES.map((language) => (
              <li key={language} className="flex flex-wrap gap-x-3">
                {t(`fees.claimIn.${language}`)}
                {EXPORT_FORMATS.map((format) => (
                  <a
                    key={format}
                    href={paths.data(application, `fees/${id}/claim?month=${month}&language=${language}&format=${format}`)}
                    download
                    aria-label={t('fees.claimFile', { language: t(`fees.claimIn.${language}`), format: format.toUpperCase() })}
                    className="text-accent underline"
                  >
                    {format.toUpperCase()}
                  </a>
                ))}
              </li>
            ))}
          </ul>
        </section>
      )}
    </PageContent>
  )
}

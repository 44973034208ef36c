import { notFound } from 'next/navigation'
import { Money } from '#components/domain/money.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { ButtonLink } from '#components/ui/button.tsx'
import { Card, Facts } from '#components/ui/display/card.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { ListTable } from '#components/ui/display/table.tsx'
import { Link } from '#components/ui/link.tsx'
import { formatMinor } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { paths } from '#lib/pages/paths.ts'
import { dayText, walletText } from '#lib/reconciliation/wallet-words.ts'
import { requireInstaller } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { listChanges } from '#server/changes/list-changes.ts'
import { agreementText } from '#server/reconciliation/fees/fee-claim.ts'
import { readMatchingRules } from '#server/reconciliation/matching/rules-store.ts'
import { readDailyBalances } from '#server/reconciliation/wallets/read-balances.ts'
import { isInUse, readWallet } from '#server/reconciliation/wallets/wallet-store.ts'
import { PageContent, type PageProps, titled } from '../../../_components/page-content.tsx'
import { WalletButton } from '../_components/wallet-button.tsx'
import { RulesCard } from './_components/rules-card.tsx'
import { WalletChanges } from './_components/wallet-changes.tsx'

export const generateMetadata = titled('close.wallet')

/** One wallet: its settings, which two people change, and its balance at the end of each of the last 90 days. */
export default async function WalletPage({ params }: PageProps<'wallet'>) {
  const { application, wallet: id } = await params
  const actor = await requireInstaller(application, 'reconciliation:read')
  const { pool } = backOfficeRuntime()
  const { applicationId } = actor
  const wallet = await readWallet(pool, applicationId, id)
  if (!wallet) notFound()
  const [t, locale, isFixed, balances, { changes }] = await Promise.all([
    getT(),
    readLocale(),
    isInUse(pool, applicationId, id),
    readDailyBalances(pool, applicationId, wallet),
    listChanges(pool, { applicationId, kinds: ['wallet.set', 'matching.rules'], actor }),
  ])
  const rules = await readMatchingRules(pool, applicationId, id)
  const { currency } = OPERATORS[wallet.operator].country
  const { number, zone, cutoffMinute, feePpm, feeFixedMinor, feeTaxPpm, feeRounding, feeForm, openingDay, openingMinor } = wallet
  const cutoff = `${String(Math.floor(cutoffMinute / 60)).padStart(2, '0')}:${String(cutoffMinute % 60).padStart(2, '0')}`
  const feeFixed = feeFixedMinor === null ? null : formatMinor(feeFixedMinor)
  const settings = { number, zone, cutoff, feePpm, feeFixed, feeTaxPpm, feeRounding, feeForm, openingDay }
  const opening = openingMinor === null ? null : formatMinor(openingMinor)
  const money = (amount: string | null) => (amount === null ? '–' : <Money amount={amount} currency={currency} />)
  return (
    <PageContent words={['close.', 'change.', 'matching.']}>
      <PageHeader
        title={walletText(t, id)}
        actions={
          <>
            <ButtonLink href={paths.wallets(application)}>{t('close.toWallets')}</ButtonLink>
            <WalletButton application={application} wallet={id} currency={currency} settings={{ ...settings, opening }} isFixed={isFixed} />
          </>
        }
      />
      <WalletChanges t={t} locale={locale} application={application} wallet={wallet} changes={changes} applicationId={applicationId} />
      <div className="mt-4 max-w-2xl">
        <Card>
          <Facts
            nameClass="w-44"
            facts={[
              { name: t('close.number'), value: number ?? t('close.notSet') },
              { name: t('close.zone'), value: zone.replaceAll('_', ' ') },
              { name: t('close.cutoff'), value: cutoff },
              {
                name: t('close.agreedFee'),
                value: (
                  <>
                    {feePpm === null ? t('close.notChecked') : agreementText(t, locale, wallet)}{' '}
                    <Link href={paths.walletFees(application, id)} className="underline">
                      {t('close.fees')}
                    </Link>
                  </>
                ),
              },
              {
                name: t('close.opening'),
                value:
                  openingDay === null ? (
                    t('close.notSet')
                  ) : (
                    <>
                      {money(opening)} · {dayText(t, openingDay)}
                    </>
                  ),
              },
            ]}
          />
        </Card>
      </div>
      <RulesCard t={t} application={application} wallet={id} rules={rules} />
      <h2 className="mt-6">{t('close.balances')}</h2>
      {balances.length === 0 && <p className="mt-1 text-quiet">{t('close.neverReported')}</p>}
      {balances.length > 0 && (
        <ListTable
          label={t('close.balances')}
          className="mt-2"
          isList
          rows={balances}
          keyOf={({ day }) => day}
          columns={[
            { head: t('close.day'), cellClass: 'whitespace-nowrap', cell: ({ day }) => dayText(t, day) },
            { head: t('close.reported'), align: 'end', isLabelled: true, cell: ({ reported }) => money(reported) },
            { head: t('close.ledger'), align: 'end', isLabelled: true, cell: ({ ledger }) => money(ledger) },
            { head: t('close.operatorDifference'), align: 'end', isLabelled: true, cell: ({ difference }) => money(difference) },
            { head: t('close.since'), cell: ({ differsSince }) => differsSince && <TimeText at={differsSince} /> },
            { head: t('close.unexplainedShort'), align: 'end', isLabelled: true, cell: ({ unexplained }) => money(unexplained) },
            { head: t('close.checked'), cell: ({ checkedAt }) => <TimeText at={checkedAt} /> },
          ]}
        />
      )}
    </PageContent>
  )
}

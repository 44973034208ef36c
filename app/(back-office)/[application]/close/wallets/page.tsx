import { Money } from '#components/domain/money.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { ListTable } from '#components/ui/display/table.tsx'
import { Link } from '#components/ui/link.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { paths } from '#lib/pages/paths.ts'
import { can } from '#lib/people/permissions.ts'
import { walletText } from '#lib/reconciliation/wallet-words.ts'
import { dayIn } from '#lib/time/format-time.ts'
import { requireInstaller } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { listChanges } from '#server/changes/list-changes.ts'
import { readTransfers, readTreasury } from '#server/reconciliation/treasury/read-treasury.ts'
import { readReportedBalances } from '#server/reconciliation/wallets/read-balances.ts'
import { listWallets, type SetWallet } from '#server/reconciliation/wallets/wallet-store.ts'
import { readFloatForecast } from '#server/reports/float-forecast/read-float-forecast.ts'
import { readBalanceAlarms } from '#server/reports/overview/read-money-today.ts'
import { ChangeList } from '../../_components/changes/change-list.tsx'
import { FloatForecastSection } from '../../_components/finance/float-forecast.tsx'
import { PageContent, type PageProps, titled } from '../../_components/page-content.tsx'
import { TransitSection } from '../../_components/transit/transit-section.tsx'
import { CloseTabs } from '../_components/close-tabs.tsx'
import { WalletMark } from '../_components/wallet-mark.tsx'
import { PlanButton } from './_components/plan-button.tsx'

export const generateMetadata = titled('close.wallets')

/** Every account at an operator: its number, its day, and what the operator says is in it. */
export default async function WalletsPage({ params }: PageProps) {
  const { application } = await params
  const actor = await requireInstaller(application, 'reconciliation:read')
  const { pool, reportPool, clock } = backOfficeRuntime()
  const { applicationId } = actor
  const [t, locale, wallets, { changes }, { accounts }, transfers, forecasts] = await Promise.all([
    getT(),
    readLocale(),
    listWallets(pool, applicationId),
    listChanges(pool, { applicationId, kinds: ['wallet.set', 'wallet.plan'], actor }),
    readTreasury(pool, { applicationId, carriesOut: false, now: clock.now() }),
    readTransfers(pool, applicationId),
    readFloatForecast(reportPool, clock.now()),
  ])
  const [balances, alarms] = [
    await readReportedBalances(pool, applicationId, wallets),
    await readBalanceAlarms(pool, applicationId, clock.now()),
  ]
  return (
    <PageContent words={['close.', 'change.', 'treasury.', 'funding.']}>
      <PageHeader
        title={t('frame.close')}
        lead={t('close.lead')}
        actions={can(actor.roles, 'adjustment:propose') && <PlanButton application={application} accounts={accounts} />}
      />
      <CloseTabs t={t} application={application} current="wallets" />
      {alarms.length > 0 && (
        <Notice tone="bad">{t('close.alarms', { operators: alarms.map(({ operator }) => operator).join(', ') })}</Notice>
      )}
      <ChangeList t={t} locale={locale} application={application} changes={changes} />
      <FloatForecastSection t={t} locale={locale} zone={actor.timeZone ?? actor.businessZone} forecasts={forecasts} />
      <TransitSection
        {...{ t, locale, application }}
        kind="transfers"
        transit={transfers}
        mayMark={can(actor.roles, 'reconciliation:work')}
        today={dayIn(actor.businessZone, clock.now())}
      />
      <WalletTable t={t} application={application} wallets={wallets} balances={balances} alarms={alarms} />
    </PageContent>
  )
}

type TableProps = {
  t: Translate
  application: string
  wallets: readonly SetWallet[]
  balances: Awaited<ReturnType<typeof readReportedBalances>>
  alarms: Awaited<ReturnType<typeof readBalanceAlarms>>
}

/** The wallets with what their operator reported last, beside the ledger. */
function WalletTable({ t, application, wallets, balances, alarms }: TableProps) {
  const money = (wallet: (typeof wallets)[number], amount: string | null | undefined) =>
    amount === null || amount === undefined ? '–' : <Money amount={amount} currency={OPERATORS[wallet.operator].country.currency} />
  return (
    <ListTable
      label={t('close.wallets')}
      className="mt-4"
      isList
      rows={wallets}
      keyOf={({ wallet }) => wallet}
      columns={[
        {
          head: t('close.wallet'),
          cellClass: 'whitespace-nowrap',
          cell: ({ wallet }) => (
            <>
              <WalletMark t={t} wallet={wallet} />
              <Link
                href={paths.wallet(application, wallet)}
                aria-label={t('close.walletDetails', { wallet: walletText(t, wallet) })}
                className="block py-0.5 text-second underline"
              >
                {t('close.details')}
              </Link>
            </>
          ),
        },
        { head: t('close.number'), isLabelled: true, cell: ({ number }) => number ?? t('close.notSet') },
        { head: t('close.zone'), isLabelled: true, cell: ({ zone }) => zone.replaceAll('_', ' ') },
        {
          head: t('close.reported'),
          align: 'end',
          isLabelled: true,
          cell: (wallet) => money(wallet, balances.get(wallet.wallet)?.reported),
        },
        {
          head: t('close.operatorDifference'),
          align: 'end',
          isLabelled: true,
          cell: (wallet) => {
            const since = balances.get(wallet.wallet)?.differsSince
            return (
              <>
                {money(wallet, balances.get(wallet.wallet)?.difference)}
                {since && (
                  <span className="block text-second text-quiet">
                    {t('close.since')} <TimeText at={since} />
                  </span>
                )}
              </>
            )
          },
        },
        {
          head: t('close.unexplainedShort'),
          align: 'end',
          isLabelled: true,
          cell: (wallet) => {
            const unexplained = balances.get(wallet.wallet)?.unexplained
            const isAlarm = alarms.some(({ operator }) => operator === wallet.operator)
            return <span className={isAlarm ? 'font-strong text-bad' : ''}>{money(wallet, unexplained)}</span>
          },
        },
        {
          head: t('close.checked'),
          cellClass: 'whitespace-nowrap',
          cell: ({ wallet }) => {
            const found = balances.get(wallet)
            return found ? <TimeText at={found.checkedAt} /> : <span className="text-quiet">{t('close.neverReported')}</span>
          },
        },
      ]}
      below={<p className="px-3 py-2 text-second text-quiet">{t('close.walletsNote')}</p>}
    />
  )
}

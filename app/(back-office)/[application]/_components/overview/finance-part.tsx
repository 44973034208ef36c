import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { StatusBadge } from '#components/domain/payment.tsx'
import { RelativeTime } from '#components/domain/time-text.tsx'
import { Link } from '#components/ui/link.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { drillDownQuery, listBehindPeriod, type TotalsQuery } from '#lib/finance/finance-address.ts'
import type { AlertedTransactions, FinanceOverview } from '#lib/finance/finance-dto.ts'
import { paths } from '#lib/pages/paths.ts'
import { formatCount } from '#lib/text/format.ts'
import type { DayRange } from '#lib/time/time.ts'
import { CurrencyChart } from '../finance/currency-chart.tsx'
import { useDays } from '../finance/finance-figures.ts'
import { MoneyCards } from '../finance/money-figures.tsx'
import { DaysBack } from './operator-health.tsx'
import { OverviewPart } from './overview-part.tsx'
import { UnconfirmedSection } from './unconfirmed-money.tsx'

const SUCCEEDED: TotalsQuery = { dates: 'today', from: null, to: null, status: 'SUCCESS', type: null, operator: [], basis: 'created' }

type Props = { application: string; days: number; range: DayRange; finance: FinanceOverview }

/** Today's money by direction beside yesterday's, what needs attention, and the last days. */
export function FinancePart({ application, days, range, finance }: Props) {
  const { t } = useTranslations()
  const { day } = useDays()
  const { today, money, unconfirmed, contradictions, sharedReferences, lowBalances, balanceAlarms, charts } = finance
  return (
    <>
      <OverviewPart title={t('overview.today')}>
        <p className="-mt-3 text-ink-2">{t('overview.comparedWith', { today: day(today), yesterday: day(finance.yesterday) })}</p>
        {money.length === 0 ? (
          <p className="text-ink-2">{t('overview.noneToday')}</p>
        ) : (
          <MoneyCards
            money={money}
            filter={SUCCEEDED}
            hrefOf={(part) => paths.transactions(application, drillDownQuery(SUCCEEDED, { from: today, to: today }, part))}
          />
        )}
      </OverviewPart>
      <BalanceAlarms application={application} balanceAlarms={balanceAlarms} />
      <AlertedSection
        application={application}
        id="contradictions"
        heading="overview.contradictions"
        text="overview.contradictionsText"
        alerted={contradictions}
        href={paths.unconfirmed(application, { kind: 'contradicted' })}
      />
      <AlertedSection
        application={application}
        id="shared-references"
        heading="overview.sharedReferences"
        text="overview.sharedReferencesText"
        alerted={sharedReferences}
      />
      <UnconfirmedSection application={application} unconfirmed={unconfirmed} />
      <LowBalances application={application} lowBalances={lowBalances} />
      {charts.length > 0 && (
        <OverviewPart title={t('overview.moneyByDay')} aside={<DaysBack application={application} days={days} />}>
          <CurrencyChart
            charts={charts}
            step="day"
            filter={SUCCEEDED}
            hrefOf={(part) => paths.transactions(application, listBehindPeriod(SUCCEEDED, range, part))}
          />
        </OverviewPart>
      )}
    </>
  )
}

/** Deposit balances below their alert. Renders nothing if there are none. */
function LowBalances({ application, lowBalances }: { application: string } & Pick<FinanceOverview, 'lowBalances'>) {
  const { t } = useTranslations()
  if (lowBalances.length === 0) return null
  return (
    <OverviewPart title={t('overview.lowBalances', { count: lowBalances.length })}>
      <ul className="rounded-lg border border-line bg-surface px-3">
        {lowBalances.map(({ operator, currency, deposit, threshold }) => (
          <li key={operator} className="border-b border-line last:border-b-0">
            <Link
              href={paths.statement(application, operator)}
              className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2 hover:underline"
            >
              <OperatorMark code={operator} />
              <span className="ml-auto text-right">
                <Money amount={deposit} currency={currency} className="text-bad" />
                <span className="block text-second text-quiet">
                  {t('overview.alertBelow')} <Money amount={threshold} currency={currency} />
                </span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </OverviewPart>
  )
}

/** Operators whose balance differs from the ledger by more than anything explains. Renders nothing if there are none. */
function BalanceAlarms({ application, balanceAlarms }: { application: string } & Pick<FinanceOverview, 'balanceAlarms'>) {
  const { t } = useTranslations()
  if (balanceAlarms.length === 0) return null
  return (
    <section aria-labelledby="balance-alarms">
      <h2 id="balance-alarms" className="text-amount font-strong text-bad">
        {t('overview.balanceAlarms', { count: balanceAlarms.length })}
      </h2>
      <p className="text-ink-2">{t('overview.balanceAlarmsText')}</p>
      <ul className="mt-2 rounded-lg border border-line bg-surface px-3">
        {balanceAlarms.map(({ operator, currency, unexplained, since }) => (
          <li key={operator} className="border-b border-line last:border-b-0">
            <Link
              href={paths.wallets(application)}
              className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-1.5 hover:underline"
            >
              <OperatorMark code={operator} />
              <Money amount={unexplained} currency={currency} className="text-bad" />
              <RelativeTime at={since} className="text-second text-quiet" />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

type AlertedSectionProps = {
  application: string
  /** The id of the heading. */
  id: string
  heading: 'overview.contradictions' | 'overview.sharedReferences'
  text: 'overview.contradictionsText' | 'overview.sharedReferencesText'
  alerted: AlertedTransactions
  /** Where people work on them. */
  href?: string
}

/** Transactions to clarify with their operator; the newest have a link. Renders nothing if there are none. */
function AlertedSection({ application, id, heading, text, alerted: { count, isMore, newest }, href }: AlertedSectionProps) {
  const { t, locale } = useTranslations()
  if (count === 0) return null
  const title = t(heading, { count: `${formatCount(count, locale)}${isMore ? '+' : ''}` })
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="text-amount font-strong text-bad">
        {href === undefined ? (
          title
        ) : (
          <Link href={href} className="hover:underline">
            {title}
          </Link>
        )}
      </h2>
      <p className="text-ink-2">{t(text)}</p>
      <ul className="mt-2 rounded-lg border border-line bg-surface px-3">
        {newest.map(({ transactionId, operator, currency, amount, status, adjustments, at }) => (
          <li key={transactionId} className="border-b border-line last:border-b-0">
            <Link
              href={paths.transaction(application, transactionId)}
              className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-1.5 hover:underline"
            >
              <OperatorMark code={operator} />
              <StatusBadge status={status} adjustments={adjustments} />
              <Money amount={amount} currency={currency} />
              <RelativeTime at={at} className="text-second text-quiet" />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

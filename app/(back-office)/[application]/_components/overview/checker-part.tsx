import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { CustomerName, RiskBadges } from '#components/domain/payment.tsx'
import { RelativeTime } from '#components/domain/time-text.tsx'
import { Link } from '#components/ui/link.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { CheckerOverview } from '#lib/finance/finance-dto.ts'
import { paths } from '#lib/pages/paths.ts'
import { formatCount } from '#lib/text/format.ts'
import { CurrencySums, MainFigure, OverviewPart } from './overview-part.tsx'

/** The work that waits for this checker: count, age, amounts, and the payments with risk flags. */
export function CheckerPart({ application, waiting }: { application: string; waiting: CheckerOverview }) {
  const { t, locale } = useTranslations()
  const { count, batches, oldestAt, sums, looked, flagged, risky } = waiting
  return (
    <OverviewPart title={t('overview.toDecide')}>
      <MainFigure
        value={formatCount(count, locale)}
        words={t('overview.waits', { count })}
        href={count === 0 ? null : paths.approvals(application)}
      >
        {oldestAt !== null && (
          <p className="text-ink-2">
            {t('overview.oldest')} <RelativeTime at={oldestAt} />
          </p>
        )}
      </MainFigure>
      <CurrencySums sums={sums} />
      {batches > 0 && (
        <p>
          <Link href={paths.approvals(application)} className="text-accent hover:underline">
            {t('overview.waitingBatches', { count: batches })}
          </Link>
        </p>
      )}
      {risky.length > 0 && (
        <div>
          <h3 className="font-strong">{t('overview.flagged', { count: flagged, looked: formatCount(looked, locale) })}</h3>
          <ul className="mt-2 rounded-lg border border-line bg-surface px-3">
            {risky.map((payment) => (
              <li key={payment.transactionId} className="border-b border-line last:border-b-0">
                <Link
                  href={paths.transaction(application, payment.transactionId)}
                  className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 py-2 hover:underline sm:grid-cols-[minmax(0,1fr)_minmax(0,1.4fr)_10rem_9rem]"
                >
                  <CustomerName name={payment.customerName} className="truncate font-medium" />
                  <span className="max-sm:col-span-2 max-sm:row-start-2">
                    <RiskBadges payment={payment} isOne />
                  </span>
                  <span className="max-sm:hidden">
                    <OperatorMark code={payment.operator} />
                  </span>
                  <span className="text-right">
                    <Money amount={payment.amount} currency={payment.currency} />
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        </div>
      )}
    </OverviewPart>
  )
}

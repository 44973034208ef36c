import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { CustomerName } from '#components/domain/payment.tsx'
import { RelativeTime } from '#components/domain/time-text.tsx'
import { Link } from '#components/ui/link.tsx'
import { useT, useTranslations } from '#components/ui/translations.tsx'
import type { MakerOverview } from '#lib/finance/finance-dto.ts'
import { paths } from '#lib/pages/paths.ts'
import { newPaymentPath } from '#lib/payments/payment-preview.ts'
import { formatCount } from '#lib/text/format.ts'
import { CurrencySums, MainFigure, OverviewPart } from './overview-part.tsx'

/** This maker's own work: payments that wait for approval, recent rejections and failures with their reasons, and drafts. */
export function MakerPart({ application, own }: { application: string; own: MakerOverview }) {
  const { t, locale } = useTranslations()
  const { waiting, returned, failed, drafts } = own
  return (
    <OverviewPart title={t('overview.ownWork')}>
      <MainFigure
        value={formatCount(waiting.count, locale)}
        words={t('overview.ownWaits', { count: waiting.count })}
        href={waiting.count === 0 ? null : paths.approvals(application, { queue: 'made' })}
      >
        {waiting.oldestAt !== null && (
          <p className="text-ink-2">
            {t('overview.oldest')} <RelativeTime at={waiting.oldestAt} />
          </p>
        )}
      </MainFigure>
      <CurrencySums sums={waiting.sums} />
      <Ended application={application} title={t('overview.ownReturned', { count: returned.count })} group={returned} isReturned />
      {drafts > 0 && (
        <p>
          <Link href={newPaymentPath(application)} className="text-accent hover:underline">
            {t('overview.ownDrafts', { count: drafts })}
          </Link>
        </p>
      )}
      <Ended application={application} title={t('overview.ownFailed', { count: failed.count })} group={failed} />
    </OverviewPart>
  )
}

/** The newest that ended badly, with the reason. Renders nothing if there are none. */
function Ended({
  application,
  title,
  group,
  isReturned = false,
}: {
  application: string
  title: string
  group: MakerOverview['returned']
  isReturned?: boolean
}) {
  const t = useT()
  if (group.count === 0) return null
  return (
    <div>
      <h3 className="font-strong">{title}</h3>
      <ul className="mt-2 rounded-lg border border-line bg-surface px-3">
        {group.newest.map(({ transactionId, operator, currency, amount, customerName, failure, message, at }) => (
          <li key={transactionId} className="border-b border-line last:border-b-0">
            <Link
              href={isReturned ? newPaymentPath(application, { from: transactionId }) : paths.transaction(application, transactionId)}
              className="block py-2 hover:underline"
            >
              <span className="flex justify-between gap-x-4">
                <CustomerName name={customerName} className="min-w-0 truncate font-medium" />
                <Money amount={amount} currency={currency} />
              </span>
              <span dir="auto" className="block wrap-anywhere text-bad">
                {message ?? t(`transaction.failure.${failure}.means`)}
              </span>
              <span className="flex flex-wrap justify-between gap-x-4 text-second text-quiet">
                <span className="flex flex-wrap gap-x-4">
                  <OperatorMark code={operator} />
                  {isReturned && <RelativeTime at={at} />}
                </span>
                {!isReturned && <RelativeTime at={at} />}
                {isReturned && <span className="text-accent max-sm:basis-full">{t('overview.repair')}</span>}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}

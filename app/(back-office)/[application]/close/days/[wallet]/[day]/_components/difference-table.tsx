import { adjustedText } from '#components/domain/adjusted-text.ts'
import { ExportLinks } from '#components/domain/export-links.tsx'
import { Money } from '#components/domain/money.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { ListTable } from '#components/ui/display/table.tsx'
import type { MessageKey, Translate } from '#lib/i18n/translate.ts'
import { CURRENCIES, formatMinor } from '#lib/money/money.ts'
import type { WalletDayDto } from '#lib/reconciliation/days.ts'
import { formatPhone } from '#lib/text/format.ts'
import type { Difference } from '#server/reconciliation/days/difference-store.ts'

type Props = { t: Translate; application: string; day: WalletDayDto; parts: readonly Difference[]; isCut: boolean }

/** Each line and transaction with what it adds to the difference between statement and ledger; the file has all of them. */
export function DifferenceTable({ t, application, day, parts, isCut }: Props) {
  const currency = CURRENCIES.find((each) => each === day.currency) ?? 'XAF'
  const secondLine = ({ application: name, status, adjustments }: Difference) =>
    [name, status && t(`status.${status}` as MessageKey), adjustments.length > 0 && adjustedText(t, adjustments)]
      .filter(Boolean)
      .join(' · ')
  return (
    <section aria-labelledby="difference">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 id="difference">
          {t('close.differenceTitle')} <Money amount={day.difference} currency={currency} />
        </h2>
        <ExportLinks
          application={application}
          rest={`days/${day.wallet}/${day.day}/difference`}
          query={{}}
          label={t('close.downloadAll')}
        />
      </div>
      <p className="mt-1 text-ink-2">{t(parts.length === 0 ? 'close.noDifference' : 'close.differenceText')}</p>
      {parts.length > 0 && (
        <ListTable
          label={t('close.differenceTitle')}
          className="mt-2"
          isList
          rows={parts}
          keyOf={({ lineId, transactionId, at, class: name }) => `${lineId ?? transactionId ?? at.toISOString()} ${name}`}
          columns={[
            { head: t('close.explanation'), cell: ({ class: name }) => t(`close.class.${name}`) },
            { head: t('close.time'), cellClass: 'whitespace-nowrap', cell: ({ at }) => <TimeText at={at.toISOString()} style="full" /> },
            {
              head: t('close.reference'),
              cell: ({ operatorId, phone }) => (
                <>
                  <span className="wrap-anywhere">{operatorId ?? t('close.noReference')}</span>
                  {phone && <span className="block text-second text-quiet">{formatPhone(phone)}</span>}
                </>
              ),
            },
            {
              head: t('close.transaction'),
              cell: (part) => (
                <>
                  <span className={part.transactionId === null ? 'text-quiet' : 'wrap-anywhere'}>
                    {part.transactionId ?? t('close.noTransaction')}
                  </span>
                  <span className="block text-second text-quiet">{secondLine(part)}</span>
                </>
              ),
            },
            {
              head: t('close.difference'),
              align: 'end',
              isLabelled: true,
              cell: ({ minor }) => <Money amount={formatMinor(minor)} currency={currency} />,
            },
          ]}
          below={isCut && <p className="px-3 py-2 text-second text-quiet">{t('close.differenceCut', { count: parts.length })}</p>}
        />
      )}
    </section>
  )
}

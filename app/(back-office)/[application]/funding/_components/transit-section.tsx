import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { Badge } from '#components/ui/display/badge.tsx'
import { SectionHead } from '#components/ui/display/page.tsx'
import { ListTable } from '#components/ui/display/table.tsx'
import type { TransitDto, TreasuryDto } from '#lib/finance/treasury-dto.ts'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { dayText } from '#lib/reconciliation/wallet-words.ts'
import { formatAmount } from '#lib/text/format.ts'
import { MarkButton, UndoButton } from './treasury-buttons.tsx'

export type Words = { t: Translate; locale: Locale; application: string }

type TransitProps = Words & { transit: TreasuryDto['transit']; mayMark: boolean; today: string }

/** Confirmed withdrawals: how far each is, and for the people who carry them out, what to do next. */
export function TransitSection({ t, locale, application, transit, mayMark, today }: TransitProps) {
  const progress = (row: TransitDto) => {
    const named = { amount: `${formatAmount(row.amount, locale)} ${row.currency}`, reference: row.reference }
    const isEnded = row.marks.some(({ step }) => step !== 'left')
    return (
      <div className="grid justify-items-start gap-1.5 py-1">
        {row.marks.length === 0 && <Badge tone="wait">{t('treasury.toBeSent')}</Badge>}
        {row.marks.map(({ step, day, reference, by }) => (
          <div key={step} className="flex flex-wrap items-center gap-2">
            <Badge tone={step === 'arrived' ? 'ok' : step === 'returned' ? 'bad' : 'neutral'}>{t(`treasury.step.${step}`)}</Badge>
            <span className="text-second text-quiet">
              {t('treasury.markText', { day: dayText(t, day), reference })}{' '}
              {by === null ? t('treasury.byLine') : t('treasury.by', { name: by })}
            </span>
            {mayMark && (
              <UndoButton application={application} transit={{ ledger: row.ledger, changeId: row.changeId }} step={step} named={named} />
            )}
          </div>
        ))}
        {mayMark && !isEnded && (
          <MarkButton
            application={application}
            transit={{ ledger: row.ledger, changeId: row.changeId, marks: row.marks }}
            today={today}
            named={named}
          />
        )}
      </div>
    )
  }
  return (
    <div className="mt-8">
      <SectionHead id="transit" title={t('treasury.transit')} text={t('treasury.transitLead')} />
      {transit.length === 0 ? (
        <p className="mt-2 text-quiet">{t('treasury.noTransit')}</p>
      ) : (
        <ListTable
          label={t('treasury.transit')}
          className="mt-3"
          isList
          rows={transit}
          keyOf={({ ledger, changeId }) => `${ledger} ${changeId}`}
          columns={[
            {
              head: t('treasury.amount'),
              align: 'end',
              cellClass: 'whitespace-nowrap',
              cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
            },
            {
              head: t('treasury.from'),
              cell: ({ operator, account, application: owner }) => (
                <>
                  <OperatorMark code={operator} />
                  <span className="block text-second text-quiet">
                    {mayMark ? `${owner}, ` : ''}
                    {t(`change.fact.${account}`)}
                  </span>
                </>
              ),
            },
            {
              head: t('treasury.to'),
              cell: ({ bank, holder, number }) => (
                <>
                  {bank} · {holder}
                  <span className="block text-second tabular">{number}</span>
                </>
              ),
            },
            {
              head: t('treasury.reference'),
              cell: ({ reference, confirmedAt }) => (
                <>
                  <span className="wrap-anywhere">{reference}</span>
                  <span className="block text-second text-quiet">
                    {t('treasury.confirmed')} <TimeText at={confirmedAt} />
                  </span>
                </>
              ),
            },
            { head: t('treasury.progress'), cell: progress },
          ]}
        />
      )}
    </div>
  )
}

import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { Badge } from '#components/ui/display/badge.tsx'
import { SectionHead } from '#components/ui/display/page.tsx'
import { ListTable } from '#components/ui/display/table.tsx'
import type { TransitDto, TransitPlace } from '#lib/finance/treasury-dto.ts'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { dayText, walletText } from '#lib/reconciliation/wallet-words.ts'
import { formatAmount } from '#lib/text/format.ts'
import { MarkButton, UndoButton } from './transit-buttons.tsx'

export type Words = { t: Translate; locale: Locale; application: string }

type TransitProps = Words & { kind: 'withdrawals' | 'transfers'; transit: readonly TransitDto[]; mayMark: boolean; today: string }

/** Confirmed withdrawals or own transfers: how far each is, and for the people who carry them out, what to do next. */
export function TransitSection({ kind, transit, ...words }: TransitProps) {
  const { t, mayMark } = words
  const place = (of: TransitPlace) => <PlaceText t={t} place={of} hasOwner={mayMark} />
  return (
    <div className="mt-8">
      <SectionHead id="transit" title={t(`treasury.transit.${kind}`)} text={t(`treasury.transitLead.${kind}`)} />
      {transit.length === 0 ? (
        <p className="mt-2 text-quiet">{t(`treasury.noTransit.${kind}`)}</p>
      ) : (
        <ListTable
          label={t(`treasury.transit.${kind}`)}
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
            { head: t('treasury.from'), isLabelled: true, cell: ({ from }) => place(from) },
            { head: t('treasury.to'), isLabelled: true, cell: ({ to }) => place(to) },
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
            { head: t('treasury.progress'), cell: (row) => <Progress {...words} row={row} /> },
          ]}
        />
      )}
    </div>
  )
}

function PlaceText({ t, place, hasOwner }: { t: Translate; place: TransitPlace; hasOwner: boolean }) {
  if (place.kind === 'wallet') return walletText(t, place.wallet)
  if (place.kind === 'bank')
    return (
      <>
        {place.bank} · {place.holder}
        <span className="block text-second tabular">{place.number}</span>
      </>
    )
  return (
    <>
      <OperatorMark code={place.operator} />
      <span className="block text-second text-quiet">
        {hasOwner ? `${place.application}, ` : ''}
        {t(`change.fact.${place.account}`)}
      </span>
    </>
  )
}

function Progress({ t, locale, application, row, mayMark, today }: Omit<TransitProps, 'kind' | 'transit'> & { row: TransitDto }) {
  const { ledger, changeId, marks, from, hasEnded } = row
  const named = { amount: `${formatAmount(row.amount, locale)} ${row.currency}`, reference: row.reference }
  return (
    <div className="grid justify-items-start gap-1.5 py-1">
      {marks.length === 0 && <Badge tone="wait">{t('treasury.toBeSent')}</Badge>}
      {marks.map(({ step, day, reference, by, mayUndo }) => (
        <div key={step} className="flex flex-wrap items-center gap-2">
          <Badge tone={step === 'arrived' ? 'ok' : step === 'returned' ? 'bad' : 'neutral'}>{t(`treasury.step.${step}`)}</Badge>
          <span className="text-second text-quiet">
            {t('treasury.markText', { day: dayText(t, day), reference })}{' '}
            {by === null ? t('treasury.byLine') : t('treasury.by', { name: by })}
          </span>
          {mayMark && mayUndo && <UndoButton application={application} transit={{ ledger, changeId }} step={step} named={named} />}
        </div>
      ))}
      {mayMark && !hasEnded && (
        <MarkButton application={application} transit={{ ledger, changeId, marks, from }} today={today} named={named} />
      )}
    </div>
  )
}

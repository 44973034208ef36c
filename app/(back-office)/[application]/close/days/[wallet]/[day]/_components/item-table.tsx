import { adjustedText } from '#components/domain/adjusted-text.ts'
import { Money } from '#components/domain/money.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { ListTable } from '#components/ui/display/table.tsx'
import { Link } from '#components/ui/link.tsx'
import type { MessageKey, Translate } from '#lib/i18n/translate.ts'
import { CURRENCIES } from '#lib/money/money.ts'
import { paths } from '#lib/pages/paths.ts'
import type { DayItemDto, PersonPosting, WalletDayDto } from '#lib/reconciliation/days.ts'
import { dayText } from '#lib/reconciliation/wallet-words.ts'
import { formatPhone } from '#lib/text/format.ts'
import { MatchButtons } from '../../../../_components/match-buttons.tsx'
import { BookButton } from './book-button.tsx'

type Props = {
  t: Translate
  application: string
  day: WalletDayDto
  dayClass: string
  items: readonly DayItemDto[]
  isCut: boolean
  mayWork: boolean
  mayPropose: boolean
}

/** Classes of lines that cannot belong to a transaction. */
const NEVER_MATCHED = new Set(['transfer', 'reversal', 'other', 'fee', 'tax', 'commission'])

/** The entries people can post about the lines of a class. */
const POSTINGS: Readonly<Record<string, readonly PersonPosting[]>> = {
  unknown_payment: ['unmatched', 'loss'],
  second_payment: ['unmatched', 'loss'],
  transfer: ['transfer'],
  reversal: ['loss'],
  other: ['loss'],
  book_unmatched: ['release'],
  book_release: ['loss'],
}

/** The lines of one class beside their transactions, or our transactions that have no line. */
export function ItemTable({ t, application, day, dayClass, items, isCut, mayWork, mayPropose }: Props) {
  const currency = CURRENCIES.find((each) => each === day.currency) ?? 'XAF'
  const postings = mayPropose ? POSTINGS[dayClass] : undefined
  const name = t(`close.class.${dayClass}` as MessageKey)
  return (
    <div>
      <h2>{name}</h2>
      {items.length === 0 && <p className="mt-1 text-quiet">{t('close.noItems')}</p>}
      {items.length > 0 && (
        <ListTable
          label={name}
          className="mt-2"
          isList
          rows={items}
          keyOf={({ lineId, transaction, at }) => lineId ?? transaction?.transactionId ?? at}
          columns={[
            {
              head: t('close.time'),
              cellClass: 'whitespace-nowrap',
              cell: ({ at, originDay }) => (
                <>
                  <TimeText at={at} style="full" />
                  {originDay !== null && (
                    <span className="block text-second text-quiet">{t('close.late', { day: dayText(t, originDay) })}</span>
                  )}
                </>
              ),
            },
            {
              head: t('close.reference'),
              cell: ({ operatorId, phone, type, exceptionId }) => (
                <>
                  <span className="wrap-anywhere">{operatorId ?? t('close.noReference')}</span>
                  <span className="block text-second text-quiet">{[phone && formatPhone(phone), type].filter(Boolean).join(' · ')}</span>
                  {exceptionId !== null && (
                    <Link href={paths.exception(application, exceptionId)} className="text-second text-accent underline">
                      {t('close.toException')}
                    </Link>
                  )}
                </>
              ),
            },
            {
              head: t('close.transaction'),
              cell: ({ transaction, rule, isTwin }) =>
                transaction === null ? (
                  <span className="text-quiet">{t(rule === 'pair' ? 'close.rule.pair' : 'close.noTransaction')}</span>
                ) : (
                  <>
                    <span className="wrap-anywhere">{transaction.transactionId}</span>
                    <span className="block text-second text-quiet">
                      {[
                        transaction.application,
                        t(`status.${transaction.status}` as MessageKey),
                        transaction.adjustments.length > 0 && adjustedText(t, transaction.adjustments),
                        rule && t(`close.rule.${rule}` as MessageKey),
                        isTwin && t('close.twin'),
                      ]
                        .filter(Boolean)
                        .join(' · ')}
                    </span>
                  </>
                ),
            },
            {
              head: t('close.amount'),
              align: 'end',
              isLabelled: true,
              cell: ({ amount }) => <Money amount={amount} currency={currency} />,
            },
            { head: t('close.fee'), align: 'end', isLabelled: true, cell: ({ fee }) => <Money amount={fee} currency={currency} /> },
            mayWork && {
              head: t('close.actions'),
              isHeadHidden: true,
              align: 'end',
              cell: ({ lineId, transaction }) =>
                lineId !== null && (
                  <span className="inline-flex flex-wrap justify-end gap-2">
                    {postings && <BookButton application={application} lineId={lineId} kinds={postings} />}
                    {!NEVER_MATCHED.has(dayClass) && !dayClass.startsWith('book_') && (
                      <MatchButtons application={application} lineId={lineId} isMatched={transaction !== null} />
                    )}
                  </span>
                ),
            },
          ]}
          below={isCut && <p className="px-3 py-2 text-second text-quiet">{t('close.cut', { count: items.length })}</p>}
        />
      )}
    </div>
  )
}

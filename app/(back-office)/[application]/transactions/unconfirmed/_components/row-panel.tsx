import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { Customer } from '#components/domain/payment.tsx'
import { RelativeTime, TimeText } from '#components/domain/time-text.tsx'
import { Button, ButtonLink } from '#components/ui/button.tsx'
import { Facts } from '#components/ui/display/card.tsx'
import { Dialog } from '#components/ui/overlay/dialog.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { UnconfirmedRow } from '#lib/finance/unconfirmed.ts'
import { paths } from '#lib/pages/paths.ts'
import { formatDuration } from '#lib/time/format-time.ts'
import { SynchroniseButton } from '../../_components/detail/state-advice.tsx'
import { actsOn, type DeskProps, isAskable } from './desk-props.ts'

type Props = DeskProps & {
  row: UnconfirmedRow
  onTake: () => void
  isTaking: boolean
  onAsk: (what: 'note' | 'handOver') => void
  onClose: () => void
}

/** One payment of the desk: what is known, what the service does about it, and what this person may do. */
export function RowPanel({ row, onTake, isTaking, onAsk, onClose, ...desk }: Props) {
  const t = useT()
  const may = actsOn(row, desk)
  const { application } = desk
  const { transactionId } = row
  return (
    <Dialog title={t('unconfirmed.payment')} placement="side" onClose={onClose}>
      <div className="grid gap-4">
        <div className="grid gap-1">
          <Money amount={row.amount} currency={row.currency} size="figure" />
          <span className="flex flex-wrap gap-x-3">
            {t(`type.${row.type}`)} <OperatorMark code={row.operator} />
          </span>
          <Customer name={row.customerName} phoneNumber={row.phoneNumber} />
        </div>
        <p className="rounded-md bg-wait-soft px-3 py-2">{t(`unconfirmed.means.${row.kind}`)}</p>
        <Facts nameClass="w-32" facts={factsOf(t, row)} />
        <div className="flex flex-wrap items-start gap-2">
          {isAskable(row) && <SynchroniseButton application={application} transactionId={transactionId} />}
          {may.take && (
            <Button isBusy={isTaking} onClick={onTake}>
              {t('exceptions.take')}
            </Button>
          )}
          {may.note && <Button onClick={() => onAsk('note')}>{t('exceptions.noteSubmit')}</Button>}
          {may.handOver && <Button onClick={() => onAsk('handOver')}>{t('exceptions.handOver')}</Button>}
          <ButtonLink href={paths.transaction(application, transactionId)}>{t('unconfirmed.toPayment')}</ButtonLink>
        </div>
        <Notes notes={row.notes} />
      </div>
    </Dialog>
  )
}

function factsOf(t: ReturnType<typeof useT>, { since, usualMs, lastQuery, nextQueryAt, operatorReference, owner }: UnconfirmedRow) {
  return [
    { name: t('unconfirmed.since'), value: <TimeText at={since} style="full" /> },
    { name: t('unconfirmed.usualTime'), value: usualMs === null ? '–' : formatDuration(t, usualMs) },
    { name: t('unconfirmed.lastQuery'), value: lastQuery ? <RelativeTime at={lastQuery.at} /> : t('unconfirmed.notAsked') },
    { name: t('unconfirmed.nextQuery'), value: nextQueryAt ? <RelativeTime at={nextQueryAt} /> : t('unconfirmed.noQuery') },
    { name: t('exceptions.reference'), value: operatorReference ?? '–' },
    { name: t('exceptions.owner'), value: owner ? <bdi>{owner.name}</bdi> : t('exceptions.filter.nobody') },
  ]
}

function Notes({ notes }: Pick<UnconfirmedRow, 'notes'>) {
  const t = useT()
  if (notes.length === 0) return null
  return (
    <section aria-labelledby="desk-notes">
      <h3 id="desk-notes">{t('unconfirmed.comments')}</h3>
      <ol className="mt-1">
        {notes.map(({ note, person, at }) => (
          <li key={`${at} ${note}`} className="border-b border-line py-2 last:border-b-0">
            <p dir="auto" className="wrap-anywhere whitespace-pre-line">
              {note}
            </p>
            <span className="text-second text-quiet">
              <bdi>{person}</bdi> · <TimeText at={at} />
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}

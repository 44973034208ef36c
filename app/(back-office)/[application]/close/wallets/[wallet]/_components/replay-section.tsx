import { Money } from '#components/domain/money.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { ListTable } from '#components/ui/display/table.tsx'
import { Link } from '#components/ui/link.tsx'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import type { Currency } from '#lib/money/money.ts'
import { paths } from '#lib/pages/paths.ts'
import type { MatchingReplay, ReplayedLine } from '#lib/reconciliation/matching-rules.ts'
import { dayText } from '#lib/reconciliation/wallet-words.ts'
import type { Result } from '#lib/result.ts'
import { formatCount, formatPhone } from '#lib/text/format.ts'

type Props = {
  t: Translate
  locale: Locale
  application: string
  wallet: string
  currency: Currency
  reading: Promise<Result<MatchingReplay, 'too_many' | 'busy'>>
}

/** The effect that proposed rules would have had on the lines of the last 90 days. Rendered when they have been compared. */
export async function ReplaySection({ t, locale, application, wallet, currency, reading }: Props) {
  const replay = await reading
  if (!replay.ok) return <Notice tone="wait">{t(replay.error === 'busy' ? 'matching.busy' : 'matching.tooMany')}</Notice>
  const { lines, pairedBefore, pairedAfter, examples, ...counts } = replay.value
  const words = (count: number) => formatCount(count, locale)
  const effects = (['gained', 'lost', 'changed'] as const).filter((effect) => counts[effect] > 0)
  return (
    <section className="mt-3" aria-label={t('matching.replay')}>
      <h3>{t('matching.replay')}</h3>
      <p className="mt-1 text-ink-2">{t('matching.summary', { lines, before: words(pairedBefore), after: words(pairedAfter) })}</p>
      {effects.length === 0 && <p className="mt-1 font-strong">{t('matching.same')}</p>}
      {effects.map((effect) => (
        <div key={effect} className="mt-2">
          <p className="font-strong">{t(`matching.${effect}`, { count: words(counts[effect]) })}</p>
          <Examples
            t={t}
            application={application}
            wallet={wallet}
            currency={currency}
            label={t('matching.examples', { effect: t(`matching.${effect}`, { count: words(counts[effect]) }) })}
            rows={examples.filter((each) => each.effect === effect)}
          />
        </div>
      ))}
    </section>
  )
}

type ExamplesProps = Pick<Props, 't' | 'application' | 'wallet' | 'currency'> & { label: string; rows: readonly ReplayedLine[] }

/** Lines with the transactions of both sides; each opens its day. */
function Examples({ t, application, wallet, currency, label, rows }: ExamplesProps) {
  const transaction = (found: ReplayedLine['before']) =>
    found === null ? (
      <span className="text-quiet">{t('matching.nobody')}</span>
    ) : (
      <>
        <span className="block wrap-anywhere">{found.transactionId}</span>
        <span className="block text-second text-quiet">{found.application}</span>
      </>
    )
  return (
    <ListTable
      label={label}
      className="mt-1"
      isList
      rows={rows}
      keyOf={({ lineId }) => lineId}
      columns={[
        {
          head: t('close.day'),
          cellClass: 'whitespace-nowrap',
          cell: ({ day, operatorId, phone }) => (
            <>
              <Link href={paths.closeDay(application, wallet, day)} className="underline">
                {dayText(t, day)}
              </Link>
              <span className="block text-second text-quiet">{[operatorId, phone && formatPhone(phone)].filter(Boolean).join(' · ')}</span>
            </>
          ),
        },
        { head: t('close.amount'), align: 'end', cell: ({ amount }) => <Money amount={amount} currency={currency} /> },
        { head: t('matching.present'), isLabelled: true, cell: ({ before }) => transaction(before) },
        { head: t('matching.proposed'), isLabelled: true, cell: ({ after }) => transaction(after) },
      ]}
    />
  )
}

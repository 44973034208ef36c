import { Money } from '#components/domain/money.tsx'
import { Table, TableCard, Td, Th, Tr } from '#components/ui/display/table.tsx'
import { Link } from '#components/ui/link.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { AGE_BUCKETS, type UnconfirmedMoney } from '#lib/finance/finance-dto.ts'
import type { Currency } from '#lib/money/money.ts'
import { paths } from '#lib/pages/paths.ts'
import { formatCount } from '#lib/text/format.ts'

/** Unconfirmed money by currency and age. */
export function UnconfirmedSection({ application, unconfirmed }: { application: string; unconfirmed: readonly UnconfirmedMoney[] }) {
  const { t } = useTranslations()
  return (
    <div>
      <h2 className="text-amount font-strong">
        <Link href={paths.unconfirmed(application)} className="hover:underline">
          {t('overview.unconfirmed')}
        </Link>
      </h2>
      <p className="text-ink-2">{unconfirmed.length === 0 ? t('overview.unconfirmedNone') : t('overview.unconfirmedText')}</p>
      {unconfirmed.length > 0 && (
        <TableCard label={t('overview.unconfirmed')} className="mt-2 max-lg:hidden">
          <Table
            caption={t('overview.unconfirmed')}
            head={
              <>
                <Th>{t('totals.currency')}</Th>
                {AGE_BUCKETS.map((bucket) => (
                  <Th key={bucket} align="end">
                    {t(`overview.age.${bucket}`)}
                  </Th>
                ))}
                <Th align="end">{t('overview.atRisk')}</Th>
              </>
            }
          >
            {unconfirmed.map(({ currency, count, amount, buckets }) => (
              <Tr key={currency}>
                <Td className="font-strong">{currency}</Td>
                {buckets.map((each) => (
                  <Td key={each.bucket} align="end">
                    <Figure application={application} currency={currency} {...each} isLate={isOld(each.bucket)} />
                  </Td>
                ))}
                <Td align="end">
                  <Figure
                    application={application}
                    currency={currency}
                    count={count}
                    amount={amount}
                    after={null}
                    before={null}
                    isLate={false}
                  />
                </Td>
              </Tr>
            ))}
          </Table>
        </TableCard>
      )}
      {unconfirmed.length > 0 && <NarrowList application={application} unconfirmed={unconfirmed} />}
    </div>
  )
}

/** The same for narrow screens: one line per age with transactions, and a total if there are several. */
function NarrowList({ application, unconfirmed }: { application: string; unconfirmed: readonly UnconfirmedMoney[] }) {
  const { t } = useTranslations()
  return (
    <dl className="mt-2 rounded-lg border border-line bg-surface px-3 lg:hidden">
      {unconfirmed.flatMap(({ currency, count, amount, buckets }) => {
        const filled = buckets.filter((each) => each.count > 0)
        const lines = filled.map((each) => ({ ...each, name: t(`overview.age.${each.bucket}`), isLate: isOld(each.bucket) }))
        const all = { count, amount, after: null, before: null, name: t('overview.atRisk'), isLate: false }
        return (lines.length > 1 ? [...lines, all] : lines).map(({ name, ...figure }) => (
          <div key={`${currency} ${name}`} className="flex items-center justify-between gap-3 border-b border-line py-1.5 last:border-b-0">
            <dt className="text-ink-2">
              {currency} · {name}
            </dt>
            <dd className="text-right tabular">
              <Figure application={application} currency={currency} {...figure} />
            </dd>
          </div>
        ))
      })}
    </dl>
  )
}

/** After an hour without an answer the figure is marked. */
function isOld(bucket: (typeof AGE_BUCKETS)[number]): boolean {
  return bucket === 'hour' || bucket === 'day'
}

type Props = {
  application: string
  currency: Currency
  count: number
  amount: string
  after: string | null
  before: string | null
  isLate: boolean
}

function Figure({ application, currency, count, amount, after, before, isLate }: Props) {
  const { t, locale } = useTranslations()
  if (count === 0) return <span className="text-quiet">0</span>
  const href = paths.unconfirmed(application, {
    kind: 'no_answer',
    currency,
    unconfirmedAfter: after,
    unconfirmedBefore: before,
  })
  return (
    <Link href={href} className={`inline-block py-1 hover:underline ${isLate ? 'text-bad' : ''}`}>
      <span className="font-strong">{formatCount(count, locale)}</span>
      <span className="sr-only"> {t('overview.transactionsWith', { count })} </span>
      <br aria-hidden="true" />
      <Money amount={amount} currency={currency} />
    </Link>
  )
}

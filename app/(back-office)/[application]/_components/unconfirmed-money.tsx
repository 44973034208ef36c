'use client'

import { Money } from '#components/domain/money.tsx'
import { Link } from '#components/ui/link.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { TableCard } from '#components/ui/table-card.tsx'
import { useWords } from '#components/ui/words.tsx'
import { countriesOf } from '#lib/finance-address.ts'
import { AGE_BUCKETS, type UnconfirmedMoney } from '#lib/finance-dto.ts'
import { formatCount } from '#lib/format.ts'
import type { Currency } from '#lib/money.ts'
import { paths } from '#lib/paths.ts'

/** Money whose end nobody knows yet, by currency and age. Nothing: one calm sentence. */
export function UnconfirmedSection({ application, unconfirmed }: { application: string; unconfirmed: readonly UnconfirmedMoney[] }) {
  const { t } = useWords()
  return (
    <div>
      <h2 className="text-amount font-strong">{t('overview.unconfirmed')}</h2>
      <p className="text-ink-2">{unconfirmed.length === 0 ? t('overview.unconfirmedNone') : t('overview.unconfirmedText')}</p>
      {unconfirmed.length > 0 && (
        <TableCard label={t('overview.unconfirmed')} className="mt-2 max-sm:hidden">
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
                    <Figure
                      application={application}
                      currency={currency}
                      {...each}
                      isOld={each.bucket === 'hour' || each.bucket === 'day'}
                    />
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
                    isOld={false}
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

/** The same for a phone: one line per age that has something. */
function NarrowList({ application, unconfirmed }: { application: string; unconfirmed: readonly UnconfirmedMoney[] }) {
  const { t } = useWords()
  return (
    <dl className="mt-2 rounded-lg border border-line bg-surface px-3 sm:hidden">
      {unconfirmed.flatMap(({ currency, buckets }) =>
        buckets
          .filter((each) => each.count > 0)
          .map((each) => (
            <div
              key={`${currency} ${each.bucket}`}
              className="flex items-center justify-between gap-3 border-b border-line py-1.5 last:border-b-0"
            >
              <dt className="text-ink-2">
                {currency} · {t(`overview.age.${each.bucket}`)}
              </dt>
              <dd className="text-right tabular">
                <Figure application={application} currency={currency} {...each} isOld={each.bucket === 'hour' || each.bucket === 'day'} />
              </dd>
            </div>
          )),
      )}
    </dl>
  )
}

type FigureProps = {
  application: string
  currency: Currency
  count: number
  amount: string
  after: string | null
  before: string | null
  isOld: boolean
}

function Figure({ application, currency, count, amount, after, before, isOld }: FigureProps) {
  const { t, locale } = useWords()
  if (count === 0) return <span className="text-quiet">0</span>
  const href = paths.transactions(application, {
    unconfirmed: '1',
    country: countriesOf(currency),
    unconfirmedAfter: after,
    unconfirmedBefore: before,
  })
  return (
    <Link href={href} className={`inline-block py-1 hover:underline ${isOld ? 'text-bad' : ''}`}>
      <span className="font-strong">{formatCount(count, locale)}</span>
      <span className="sr-only"> {t('overview.transactionsWith')} </span>
      <br aria-hidden="true" />
      <Money amount={amount} currency={currency} />
    </Link>
  )
}

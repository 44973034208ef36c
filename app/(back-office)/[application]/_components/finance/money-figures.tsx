import type { ReactNode } from 'react'
import { Link } from '#components/ui/link.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { TotalsQuery } from '#lib/finance/finance-address.ts'
import { compareAmounts, formatChange } from '#lib/finance/finance-comparison.ts'
import type { CurrencyMoney, MoneyFigures } from '#lib/finance/finance-dto.ts'
import { addDecimals, type Currency } from '#lib/money/money.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { formatAmount } from '#lib/text/format.ts'
import { FIGURE_LINK, useDirections } from './finance-figures.ts'

type Props = {
  money: readonly CurrencyMoney[]
  filter: Pick<TotalsQuery, 'status' | 'type'>
  /** The list behind a figure; null: there is none. */
  hrefOf: (part: { currency: Currency; type?: TransactionType; fees?: '1' }) => string | null
}

/** Per currency what came in, what went out, the net of both and the fees, each beside the period before. Never added together. */
export function MoneyCards({ money, filter, hrefOf }: Props) {
  return (
    <ul className="grid grid-cols-1 gap-3">
      {money.map((each) => (
        <li key={each.currency} className="rounded-lg border border-line bg-surface p-4">
          <CurrencyFigures money={each} filter={filter} hrefOf={hrefOf} />
        </li>
      ))}
    </ul>
  )
}

function CurrencyFigures({ money, filter, hrefOf }: Omit<Props, 'money'> & { money: CurrencyMoney }) {
  const { t, locale } = useTranslations()
  const directions = useDirections(filter)
  const { currency, now, before } = money
  const isSettled = filter.status === 'SUCCESS'
  const pick = (read: (figures: MoneyFigures) => string) => ({ amount: read(now), before: before && read(before) })
  const sumOf = (figures: MoneyFigures, type: TransactionType) => (type === 'COLLECT' ? figures.collects : figures.deposits)
  return (
    <>
      <h2 className="text-work font-strong">{currency}</h2>
      <dl className="mt-1 grid grid-cols-2 gap-x-4 gap-y-3 sm:gap-x-6 lg:grid-cols-4">
        {directions.map(({ type, name }) => (
          <Figure
            key={type}
            name={name}
            {...pick((figures) => sumOf(figures, type).amount)}
            href={sumOf(now, type).count === 0 ? null : hrefOf({ currency, type })}
            second={t('totals.count', { count: sumOf(now, type).count })}
          />
        ))}
        {isSettled && filter.type === null && (
          <Figure name={t('totals.net')} {...pick((figures) => figures.net)} href={hrefOf({ currency })} second={t('totals.netOf')} />
        )}
        {isSettled && (
          <Figure
            name={t('totals.fees')}
            amount={now.fees && addDecimals(now.fees.system, now.fees.app)}
            before={before?.fees ? addDecimals(before.fees.system, before.fees.app) : null}
            href={hrefOf({ currency, fees: '1' })}
            second={
              now.fees
                ? t('totals.feesOf', { system: formatAmount(now.fees.system, locale), app: formatAmount(now.fees.app, locale) })
                : t('totals.feesLater')
            }
          />
        )}
      </dl>
    </>
  )
}

/** `amount`: null while it is not known. */
type FigureProps = { name: string; amount: string | null; before: string | null; href: string | null; second: ReactNode }

function Figure({ name, amount, before, href, second }: FigureProps) {
  const { locale } = useTranslations()
  const text = amount === null ? '–' : formatAmount(amount, locale)
  return (
    <div className="min-w-0">
      <dt className="text-second text-quiet">{name}</dt>
      <dd className="tabular">
        <span className="block font-strong tracking-[-0.01em] text-balance">
          {href === null || amount === null ? (
            text
          ) : (
            <Link href={href} className={FIGURE_LINK}>
              {text}
            </Link>
          )}
        </span>
        {amount !== null && before !== null && <Change amount={amount} before={before} />}
        <span className="block text-second text-quiet">{second}</span>
      </dd>
    </div>
  )
}

/** The difference from the period before, without judging it. */
function Change({ amount, before }: { amount: string; before: string }) {
  const { t, locale } = useTranslations()
  const { difference, thousandths } = compareAmounts(amount, before)
  const signed = `${difference.startsWith('-') ? '' : '+'}${formatAmount(difference, locale)}`
  const text = () => {
    if (difference === '0') return t('totals.noChange')
    if (before === '0') return t('totals.fromZero', { difference: signed })
    return thousandths === null ? signed : `${signed} (${formatChange(thousandths, locale)})`
  }
  return <span className="block text-second text-ink-2">{text()}</span>
}

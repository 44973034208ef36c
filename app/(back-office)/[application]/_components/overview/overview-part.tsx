import { type ReactNode, useId } from 'react'
import { Money } from '#components/domain/money.tsx'
import { Link } from '#components/ui/link.tsx'
import type { CurrencyAmount } from '#lib/approvals/approvals.ts'
import { FIGURE_LINK } from '../finance/finance-figures.ts'

type PartProps = { title: string; aside?: ReactNode; children: ReactNode }

/** One role's part of the overview. */
export function OverviewPart({ title, aside, children }: PartProps) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="grid grid-cols-1 gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 id={id} className="text-amount font-strong">
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  )
}

type MainFigureProps = { value: string; words: string; href: string | null; children?: ReactNode }

/** The one main figure of a part, with what explains it. */
export function MainFigure({ value, words, href, children }: MainFigureProps) {
  const content = (
    <>
      <span className="text-figure font-strong tracking-[-0.01em] tabular">{value}</span> <span className="text-ink-2">{words}</span>
    </>
  )
  return (
    <div>
      <p>
        {href === null ? (
          content
        ) : (
          <Link href={href} className={FIGURE_LINK}>
            {content}
          </Link>
        )}
      </p>
      {children}
    </div>
  )
}

/** Sums per currency on one line, never added together. */
export function CurrencySums({ sums }: { sums: readonly CurrencyAmount[] }) {
  return (
    <ul className="flex flex-wrap gap-x-6 gap-y-1">
      {sums.map(({ currency, amount }) => (
        <li key={currency}>
          <Money amount={amount} currency={currency} size="amount" />
        </li>
      ))}
    </ul>
  )
}

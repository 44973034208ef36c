import { Tabs } from '#components/ui/display/page.tsx'
import { useT } from '#components/ui/translations.tsx'
import { type TotalsQuery, totalsAddress } from '#lib/finance/finance-address.ts'
import { paths } from '#lib/pages/paths.ts'

type Props = { application: string; current: 'overview' | 'pivot'; query: Omit<TotalsQuery, 'basis'> }

/** The two views of the totals, with the same filters. */
export function TotalsTabs({ application, current, query }: Props) {
  const t = useT()
  const { dates, from, to, status, type, operator } = query
  const address = totalsAddress({ dates, from, to, status, type, operator, basis: 'created' })
  const hrefs = { overview: paths.totals(application, address), pivot: paths.pivot(application, address) }
  return (
    <div className="mt-4">
      <Tabs
        label={t('totals.tabs')}
        tabs={(['overview', 'pivot'] as const).map((tab) => ({
          href: hrefs[tab],
          label: t(`totals.tabs.${tab}`),
          isCurrent: tab === current,
        }))}
      />
    </div>
  )
}

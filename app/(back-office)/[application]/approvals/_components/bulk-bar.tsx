'use client'

import { useState } from 'react'
import { sumItems, sumsText } from '#components/domain/decision-text.ts'
import { Button } from '#components/ui/button.tsx'
import { SelectionBar } from '#components/ui/selection-bar.tsx'
import { toast } from '#components/ui/toast.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { BULK_MAX, type BulkSnapshot, type DecidedItem } from '#lib/approvals.ts'
import { formatCount } from '#lib/format.ts'
import { paths, type QueryValues } from '#lib/paths.ts'
import { fetchData } from '#lib/query-client.ts'

export type BulkBarProps = {
  application: string
  query: QueryValues
  items: readonly DecidedItem[]
  /** How many fit the filter; more than the page holds offers to take them all. */
  total: number
  isPageSelected: boolean
  onWhole: (snapshot: BulkSnapshot) => void
  onAsk: (decision: 'validated' | 'rejected') => void
  onClear: () => void
}

/** What is selected, its sums per currency, and the two decisions about all of it. */
export default function BulkBar({ application, query, items, total, isPageSelected, onWhole, onAsk, onClear }: BulkBarProps) {
  const { t, locale } = useTranslations()
  const [isLoading, setIsLoading] = useState(false)
  const count = formatCount(items.length, locale)
  async function takeAll() {
    setIsLoading(true)
    try {
      onWhole(await fetchData<BulkSnapshot>(paths.data(application, 'approvals/snapshot', query)))
    } catch {
      // Offline, or the server failed and reported it there.
      toast(t('state.loadFailed'), 'bad')
    }
    setIsLoading(false)
  }
  return (
    <SelectionBar
      label={t('approvals.bulk.label')}
      summary={
        <>
          <strong>{t('table.selected', { count: items.length })}</strong>
          <span>·</span>
          <span>{sumsText(sumItems(items), locale)}</span>
        </>
      }
    >
      {isPageSelected && total > items.length && items.length < BULK_MAX && (
        <Button variant="inverse-quiet" isBusy={isLoading} onClick={() => void takeAll()}>
          {t('approvals.bulk.all', { count: Math.min(total, BULK_MAX) })}
        </Button>
      )}
      <Button variant="inverse-quiet" onClick={onClear}>
        {t('ui.clear')}
      </Button>
      <Button variant="inverse-quiet" onClick={() => onAsk('rejected')}>
        {`${t('approvals.reject')} ${count}`}
      </Button>
      <Button variant="inverse" onClick={() => onAsk('validated')}>
        {`${t('approvals.validate')} ${count}`}
      </Button>
    </SelectionBar>
  )
}

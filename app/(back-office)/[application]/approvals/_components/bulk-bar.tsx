import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { sumItems, sumsText } from '#components/decision/decision-text.tsx'
import { Button } from '#components/ui/button.tsx'
import { SelectionBar } from '#components/ui/display/card.tsx'
import { useIsOnline } from '#components/ui/online.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { BULK_MAX } from '#lib/approvals/approvals.ts'
import { queries } from '#lib/pages/queries.ts'
import { formatCount } from '#lib/text/format.ts'
import { useBoardContext } from './use-board.ts'

/** The selection with its sums per currency. The buttons open the panel, which lists the items and sends the decision. */
export default function BulkBar({ total, isPageSelected }: { total: number; isPageSelected: boolean }) {
  const { t, locale } = useTranslations()
  const isOnline = useIsOnline()
  const { application, query, selected, selection, select, ask, dispatch } = useBoardContext()
  const queryClient = useQueryClient()
  const [isLoading, setIsLoading] = useState(false)
  const count = formatCount(selected.length, locale)
  async function takeAll() {
    setIsLoading(true)
    try {
      // Never one of before.
      select(selection.ids, await queryClient.fetchQuery({ ...queries.approvalSnapshot(application, query), staleTime: 0, retry: false }))
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
          <strong>{t('table.selected', { count: selected.length })}</strong>
          <span className="max-sm:hidden">·</span>
          <span>{sumsText(sumItems(selected), locale)}</span>
        </>
      }
    >
      {isPageSelected && total > selected.length && selected.length < BULK_MAX && (
        <Button variant="inverse-quiet" isBusy={isLoading} disabled={!isOnline} onClick={() => void takeAll()}>
          {t('approvals.bulk.all', { count: Math.min(total, BULK_MAX) })}
        </Button>
      )}
      <Button variant="inverse-quiet" onClick={() => dispatch({ type: 'cleared' })}>
        {t('ui.clear')}
      </Button>
      <Button variant="inverse-quiet" onClick={() => ask('rejected', null)}>
        {`${t('approvals.reject')} ${count}`}
      </Button>
      <Button variant="inverse" onClick={() => ask('validated', null)}>
        {`${t('approvals.validate')} ${count}`}
      </Button>
    </SelectionBar>
  )
}

'use client'

import { Button } from '#components/ui/button.tsx'
import { Dialog, DialogActions } from '#components/ui/dialog.tsx'
import { Notice } from '#components/ui/empty-state.tsx'
import { Icon } from '#components/ui/icon.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { DecidedItem, DecisionResult } from '#lib/approvals.ts'
import { formatAmount } from '#lib/format.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { differences, refusedText } from './decision-text.ts'

type Props = { items: readonly DecidedItem[]; results: readonly DecisionResult[]; decision: 'validated' | 'rejected'; onClose: () => void }

/** What became of each item, what was not done first. Nothing is hidden: who was quicker is named, what moved is shown. */
export function DecisionReport({ items, results, decision, onClose }: Props) {
  const words = useTranslations()
  const { t, locale } = words
  const byId = new Map(items.map((item) => [item.transactionId, item]))
  const refused = results.filter((result) => result.kind === 'refused')
  const done = results.filter((result) => result.kind === 'done')
  return (
    <Dialog title={t('approvals.report.title')} onClose={onClose}>
      <div className="grid gap-3">
        {done.length > 0 && (
          <Notice tone="ok" icon="check">
            {t(`approvals.report.${decision}`, { count: done.length })}
          </Notice>
        )}
        {refused.length > 0 && <Notice tone="wait">{t('approvals.report.refused', { count: refused.length })}</Notice>}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must be reachable by keyboard */}
        <ul tabIndex={0} aria-label={t('approvals.report.title')} className="max-h-[50dvh] overflow-y-auto rounded-sm border border-line">
          {[...refused, ...done].map((result) => {
            const item = byId.get(result.transactionId)
            const changes =
              result.kind === 'refused' && result.reason === 'content_changed' && item && result.now
                ? differences(words, item, result.now)
                : []
            return (
              <li
                key={result.transactionId}
                className="grid grid-cols-[minmax(0,1fr)] gap-0.5 border-b border-line px-3 py-2 last:border-b-0"
              >
                <span className="flex justify-between gap-3">
                  <span className="flex min-w-0 items-center gap-2">
                    <Icon
                      name={result.kind === 'done' ? 'check' : 'alert'}
                      className={`size-4 ${result.kind === 'done' ? 'text-ok' : 'text-wait'}`}
                    />
                    <span className="truncate font-medium">{item?.customerName}</span>
                  </span>
                  <span className="whitespace-nowrap tabular">
                    {formatAmount(item?.amount ?? '0', locale)} <span className="text-second text-quiet">{item?.currency}</span>
                  </span>
                </span>
                <span className="pl-6 text-second text-ink-2">
                  {result.kind === 'refused' ? refusedText(words, result) : doneText(words.t, decision, result)}
                </span>
                {changes.map((change) => (
                  <span key={change.field} className="pl-6 text-second">
                    {t('approvals.report.change', change)}
                  </span>
                ))}
              </li>
            )
          })}
        </ul>
      </div>
      <DialogActions>
        <Button variant="primary" onClick={onClose}>
          {t('ui.close')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** What one decision did, in words: also used for the note at the foot of the page. */
export function doneText(t: Translate, decision: 'validated' | 'rejected', result: Extract<DecisionResult, { kind: 'done' }>): string {
  if (decision === 'rejected') return t('approvals.done.rejected')
  return result.status === 'PENDING_APPROVAL'
    ? t('approvals.done.counted', { given: result.given, needed: result.needed })
    : t('approvals.done.validated')
}

import { PaymentLine } from '#components/domain/payment.tsx'
import { Button } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { Icon } from '#components/ui/display/icon.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { DecidedItem, DecisionResult } from '#lib/approvals/approvals.ts'
import { differences, outcomeText, refusedText } from './outcome-text.ts'

export type Report = { items: readonly DecidedItem[]; results: readonly DecisionResult[]; decision: 'validated' | 'rejected' }

/** The result of each item, failures first. It names who was quicker and shows what changed. */
export function DecisionReport({ report: { items, results, decision }, onClose }: { report: Report; onClose: () => void }) {
  const words = useTranslations()
  const { t } = words
  const byId = new Map(items.map((item) => [item.transactionId, item]))
  const refused = results.filter((result) => result.kind === 'refused')
  const done = results.filter((result) => result.kind === 'done')
  const intended = results.filter((result) => result.kind === 'intended')
  const intendedPart = intended.filter((result) => result.given < result.needed).length
  const counted = done.filter((result) => decision === 'validated' && result.status === 'PENDING_APPROVAL').length
  return (
    <section aria-label={t('approvals.report.title')} className="grid gap-3">
      {done.length > counted && (
        <Notice tone="ok" icon="check">
          {t(`approvals.report.${decision}`, { count: done.length - counted })}
        </Notice>
      )}
      {counted > 0 && <Notice>{t('approvals.report.counted', { count: counted })}</Notice>}
      {intended.length > intendedPart && <Notice>{t('approvals.report.intended', { count: intended.length - intendedPart })}</Notice>}
      {intendedPart > 0 && <Notice>{t('approvals.report.intendedCounted', { count: intendedPart })}</Notice>}
      {refused.length > 0 && <Notice tone="wait">{t('approvals.report.refused', { count: refused.length })}</Notice>}
      <ul aria-label={t('approvals.report.title')} className="rounded-sm border border-line">
        {[...refused, ...intended, ...done].map((result) => {
          const item = byId.get(result.transactionId)
          if (!item) return null
          const changes =
            result.kind === 'refused' && result.reason === 'content_changed' && result.now ? differences(words, item, result.now) : []
          const isDone = result.kind !== 'refused'
          return (
            <li key={result.transactionId} className="border-b border-line px-3 py-2 last:border-b-0">
              <PaymentLine
                // Risk flags mattered before the decision.
                payment={{ ...item, risks: [] }}
                mark={<Icon name={isDone ? 'check' : 'alert'} className={`size-4 ${isDone ? 'text-ok' : 'text-wait'}`} />}
              >
                <span className="text-second text-ink-2">{isDone ? outcomeText(t, decision, result) : refusedText(words, result)}</span>
                {changes.map((change) => (
                  <span key={change.field} className="text-second">
                    {t('approvals.report.change', change)}
                  </span>
                ))}
              </PaymentLine>
            </li>
          )
        })}
      </ul>
      <Button onClick={onClose}>{t('ui.close')}</Button>
    </section>
  )
}

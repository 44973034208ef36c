'use client'

import { Button } from '#components/ui/button.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { DecidedItem } from '#lib/approvals.ts'
import { formatCount } from '#lib/format.ts'
import { type Intent, sumItems, sumsText } from './decision-text.ts'
import type { Sending } from './use-decision.ts'

const WORDS = { validated: 'approvals.validate', rejected: 'approvals.reject', recall: 'approvals.recall.submit' } as const

/** The button that sends, which says what it sends, and beside it the way to a rejection or back. */
export function DecisionSend({
  intent,
  items,
  sending,
  isOnline,
  onIntent,
}: {
  intent: Intent
  items: readonly DecidedItem[]
  sending: Sending
  isOnline: boolean
  onIntent: (intent: Intent | null) => void
}) {
  const { t, locale } = useTranslations()
  const isOne = items.length === 1
  const isSending = sending === 'sending'
  const count = formatCount(items.length, locale)
  const verb = t(sending === 'not_sent' ? 'approvals.send.again' : WORDS[intent])
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        type="submit"
        variant={intent === 'validated' ? 'primary' : 'danger'}
        isBusy={isSending}
        disabled={!isOnline}
        // Sums in three currencies take a second line.
        className={`h-auto! min-h-8 flex-1 py-1 whitespace-normal! ${isOne ? 'basis-32' : 'basis-full'}`}
      >
        {isSending ? t('approvals.send.sending') : isOne ? verb : `${verb} ${count} · ${sumsText(sumItems(items), locale)}`}
      </Button>
      {intent === 'validated' ? (
        <Button variant="danger" disabled={isSending} className="min-h-8 flex-1 basis-24" onClick={() => onIntent('rejected')}>
          {isOne ? t('approvals.reject') : `${t('approvals.reject')} ${count}`}
        </Button>
      ) : (
        <Button disabled={isSending} className="min-h-8" onClick={() => onIntent(null)}>
          {t('approvals.back')}
        </Button>
      )}
    </div>
  )
}

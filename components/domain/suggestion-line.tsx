'use client'

import { useT } from '#components/ui/translations.tsx'
import type { SearchSuggestion } from '#lib/payments/search-suggestion.ts'
import { Money } from './money.tsx'
import { PhoneText, StatusBadge } from './payment.tsx'
import { TimeText } from './time-text.tsx'

/** One match of a search in two short lines: who, how much, which id, in which state. */
export function SuggestionLine({ suggestion }: { suggestion: SearchSuggestion }) {
  const t = useT()
  if (suggestion.kind === 'batch') {
    return <span className="wrap-anywhere">{t('frame.suggestedBatch', { id: suggestion.name ?? suggestion.batchId })}</span>
  }
  return (
    <span className="grid min-w-0 grid-cols-[minmax(0,1fr)_auto] gap-x-3">
      <span dir="auto" className="truncate font-medium">
        {suggestion.customerName}
      </span>
      {suggestion.kind === 'customer' ? (
        <TimeText at={suggestion.latestAt} style="day" className="text-second text-quiet" />
      ) : (
        <Money amount={suggestion.amount} currency={suggestion.currency} />
      )}
      <span className="truncate text-second text-quiet">
        {suggestion.kind === 'customer' ? <PhoneText phoneNumber={suggestion.phoneNumber} /> : suggestion.transactionId}
      </span>
      {suggestion.kind === 'transaction' && <StatusBadge status={suggestion.status} adjustments={suggestion.adjustments} />}
    </span>
  )
}

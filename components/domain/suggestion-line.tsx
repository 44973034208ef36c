'use client'

import { useT } from '#components/ui/translations.tsx'
import type { Currency } from '#lib/money/money.ts'
import type { SearchSuggestion } from '#lib/payments/search-suggestion.ts'
import { Money } from './money.tsx'
import { OperatorMark } from './operator-mark.tsx'
import { PhoneText, StatusBadge } from './payment.tsx'
import { TimeText } from './time-text.tsx'

function moneyOf(suggestion: Exclude<SearchSuggestion, { kind: 'batch' }>): { amount: string; currency: Currency } {
  const { amount, currency } = suggestion.kind === 'customer' ? suggestion.latest : suggestion
  return { amount, currency }
}

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
      <Money {...moneyOf(suggestion)} />
      {suggestion.kind === 'customer' ? (
        <>
          <span className="flex min-w-0 gap-2 overflow-hidden text-second text-quiet">
            <PhoneText phoneNumber={suggestion.phoneNumber} />
            <OperatorMark code={suggestion.latest.operator} isCountryHidden />
          </span>
          <TimeText at={suggestion.latest.at} style="day" className="text-right text-second text-quiet" />
        </>
      ) : (
        <>
          <span className="truncate text-second text-quiet">{suggestion.transactionId}</span>
          <StatusBadge status={suggestion.status} adjustments={suggestion.adjustments} />
        </>
      )}
    </span>
  )
}

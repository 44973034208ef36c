'use client'

import { TextField } from '#components/ui/field.tsx'
import { FilterChip } from '#components/ui/filter-chip.tsx'
import { useWords } from '#components/ui/words.tsx'
import { formatAmount } from '#lib/format.ts'
import { parseTypedAmount } from '#lib/parse-typed-amount.ts'
import type { FilterProps } from './filter-bar.tsx'
import { FilterForm } from './filter-form.tsx'

/** From and up to an amount, in the currency of each transaction. Typed as people type: with spaces, commas or a decimal comma. */
export function AmountFilter({ query: { min, max }, onChange }: FilterProps) {
  const { t, locale } = useWords()
  const write = (amount: string) => formatAmount(amount, locale)
  const value =
    min && max
      ? `${write(min)} – ${write(max)}`
      : min
        ? t('transactions.amounts.from', { amount: write(min) })
        : max
          ? t('transactions.amounts.upTo', { amount: write(max) })
          : t('transactions.any')
  function apply(fields: FormData, form: HTMLFormElement): boolean {
    const amounts = { min: '', max: '' }
    for (const name of ['min', 'max'] as const) {
      const typed = String(fields.get(name) ?? '')
      const amount = typed.trim() === '' ? '' : parseTypedAmount(typed, locale)
      const input = form.elements.namedItem(name)
      if (input instanceof HTMLInputElement) {
        input.setCustomValidity(amount === undefined ? t('transactions.amounts.wrong') : '')
        if (!input.reportValidity()) return false
      }
      amounts[name] = amount ?? ''
    }
    onChange({ min: amounts.min || null, max: amounts.max || null })
    return true
  }
  return (
    <FilterChip id="filter-amount" name={t('transactions.amount')} value={value} isSet={min !== null || max !== null}>
      <FilterForm key={`${min} ${max}`} onApply={apply} onClear={() => onChange({ min: null, max: null })}>
        <div className="grid grid-cols-2 gap-2">
          <TextField
            id="filter-min"
            name="min"
            inputMode="decimal"
            label={t('transactions.amounts.least')}
            defaultValue={min === null ? '' : write(min)}
            onInput={forgive}
          />
          <TextField
            id="filter-max"
            name="max"
            inputMode="decimal"
            label={t('transactions.amounts.most')}
            defaultValue={max === null ? '' : write(max)}
            onInput={forgive}
          />
        </div>
        <p className="text-second text-quiet">{t('transactions.amounts.hint')}</p>
      </FilterForm>
    </FilterChip>
  )
}

function forgive(event: React.InputEvent<HTMLInputElement>) {
  event.currentTarget.setCustomValidity('')
}

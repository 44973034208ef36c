import type { InputEvent } from 'react'
import { TextField } from '#components/ui/field.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { parseTypedAmount } from '#lib/money/money.ts'
import { formatAmount } from '#lib/text/format.ts'
import { FilterForm } from './filter-form.tsx'

/** The two ends of a range as in an address, `1250000.50`; null: open. */
type AmountRange = { min: string | null; max: string | null }

type Props = AmountRange & { onChange: (range: AmountRange) => void }

/** The form of the amount filter, in the currency of each transaction. Accepts spaces, commas or a decimal comma. */
export function AmountRangeForm({ min, max, onChange }: Props) {
  const { t, locale } = useTranslations()
  function apply(fields: FormData, form: HTMLFormElement): boolean {
    const amounts = { min: '', max: '' }
    for (const name of ['min', 'max'] as const) {
      const typed = String(fields.get(name) ?? '')
      const amount = typed.trim() === '' ? '' : parseTypedAmount(typed, locale)
      const input = form.elements.namedItem(name)
      if (input instanceof HTMLInputElement) {
        input.setCustomValidity(amount === undefined ? t('form.amount.wrong') : '')
        if (!input.reportValidity()) return false
      }
      amounts[name] = amount ?? ''
    }
    onChange({ min: amounts.min || null, max: amounts.max || null })
    return true
  }
  return (
    <FilterForm key={`${min} ${max}`} onApply={apply} onClear={() => onChange({ min: null, max: null })}>
      <div className="grid grid-cols-2 gap-2">
        {(['min', 'max'] as const).map((name) => {
          const value = name === 'min' ? min : max
          return (
            <TextField
              key={name}
              id={`filter-${name}`}
              name={name}
              inputMode="decimal"
              label={t(`form.amount.${name}`)}
              defaultValue={value === null ? '' : formatAmount(value, locale)}
              onInput={forgive}
            />
          )
        })}
      </div>
      <p className="text-second text-quiet">{t('form.amount.hint')}</p>
    </FilterForm>
  )
}

function forgive(event: InputEvent<HTMLInputElement>) {
  event.currentTarget.setCustomValidity('')
}

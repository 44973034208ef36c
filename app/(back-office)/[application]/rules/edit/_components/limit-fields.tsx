import { useEffect, useRef, useState } from 'react'
import type { FieldErrors, UseFormReturn } from 'react-hook-form'
import { Button } from '#components/ui/button.tsx'
import { TextField } from '#components/ui/field.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { Currency } from '#lib/money/money.ts'
import { placesOf, type RuleFields } from '#lib/rules/rule-form.ts'
import { currenciesOf, listLimits } from '#lib/rules/rule-limits.ts'
import type { RuleForm } from './use-rule-form.ts'

type Props = { form: UseFormReturn<RuleForm>; index: number; rule: RuleFields; errors: FieldErrors<RuleFields>['limits'] }

/** The limits of one rule: an amount for each currency that has one, and buttons for the others that its operators use. */
export function LimitFields({ form, index, rule, errors }: Props) {
  const { t, locale } = useTranslations()
  const { group, moveFocus } = useMovedFocus()
  const used = listLimits(rule).map(([currency]) => currency)
  const others = currenciesOf(placesOf(rule)).filter((currency) => !used.includes(currency))
  const id = (part: string) => `rule-${index}-limits-${part}`
  const error = errors?.root?.message
  function add(currency: Currency) {
    form.setValue(`rules.${index}.limits.${currency}`, '', { shouldDirty: true })
    if (error) form.clearErrors(`rules.${index}.limits`)
    moveFocus(id(currency))
  }
  function remove(currency: Currency) {
    form.setValue(`rules.${index}.limits.${currency}`, null, { shouldDirty: true })
    form.clearErrors(`rules.${index}.limits.${currency}`)
    moveFocus(null)
  }
  return (
    <fieldset ref={group} tabIndex={-1} aria-describedby={error ? id('error') : id('hint')} className="grid min-w-0 gap-2">
      <legend className="mb-1 font-medium">{t('rules.limits')}</legend>
      {used.length > 0 && (
        <div className="grid items-start gap-x-6 gap-y-3 sm:grid-cols-2">
          {used.map((currency) => (
            <div key={currency} className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-2">
              <TextField
                id={id(currency)}
                label={currency}
                inputMode="decimal"
                autoComplete="off"
                {...form.register(`rules.${index}.limits.${currency}`)}
                error={errors?.[currency]?.message}
              />
              <Button className="mt-6" aria-label={t('rules.limits.removeOf', { currency })} onClick={() => remove(currency)}>
                {t('rules.limits.remove')}
              </Button>
            </div>
          ))}
        </div>
      )}
      {others.length > 0 && (
        <div className="flex flex-wrap gap-2">
          {others.map((currency) => (
            <Button key={currency} size="small" onClick={() => add(currency)}>
              {t('rules.limits.add', { currency })}
            </Button>
          ))}
        </div>
      )}
      {error && (
        <p id={id('error')} className="text-second text-bad">
          {error}
        </p>
      )}
      <p id={id('hint')} className="text-second text-quiet">
        {used.length === 0
          ? t('rules.limits.none')
          : others.length > 0 && t('rules.limits.others', { currencies: new Intl.ListFormat(locale).format(others) })}
      </p>
    </fieldset>
  )
}

/** Moves the focus after the next render: to an element by its id, or to the group, whose button that had the focus is gone. */
function useMovedFocus() {
  const group = useRef<HTMLFieldSetElement>(null)
  const [moved, setMoved] = useState<{ to: string | null }>()
  useEffect(() => {
    if (moved) (moved.to === null ? group.current : document.getElementById(moved.to))?.focus()
  }, [moved])
  return { group, moveFocus: (to: string | null) => setMoved({ to }) }
}

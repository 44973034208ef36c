'use client'

import { Checkbox, TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/words.tsx'
import { COUNTRY_NAMES } from '#lib/operators.ts'
import { type FilterProps, MoreChip } from './filter-bar.tsx'
import { FilterForm } from './filter-form.tsx'

/** The rarer filters: phone, name, country, and money of which nobody knows where it is. */
export function MoreFilters({ query, onChange }: FilterProps) {
  const t = useT()
  function apply(fields: FormData) {
    onChange({
      phone: String(fields.get('phone') ?? '').replace(/\D/g, ''),
      name: String(fields.get('name') ?? '').trim(),
      country: COUNTRY_NAMES.filter((country) => fields.has(country)),
      unconfirmed: fields.has('unconfirmed') ? '1' : null,
    })
  }
  return (
    <MoreChip label={t('transactions.moreFilters')}>
      <FilterForm
        key={`${query.phone} ${query.name} ${query.country.join()} ${query.unconfirmed}`}
        onApply={apply}
        onClear={() => onChange({ phone: '', name: '', country: [], unconfirmed: null })}
      >
        <TextField
          id="filter-phone"
          name="phone"
          type="tel"
          inputMode="tel"
          autoComplete="off"
          label={t('transactions.phone')}
          hint={t('transactions.phoneHint')}
          defaultValue={query.phone}
        />
        <TextField
          id="filter-name"
          name="name"
          autoComplete="off"
          maxLength={100}
          label={t('transactions.name')}
          defaultValue={query.name}
        />
        <fieldset className="grid grid-cols-2 gap-x-2">
          <legend className="pb-1 font-medium">{t('transactions.country')}</legend>
          {COUNTRY_NAMES.map((country) => (
            <Checkbox
              key={country}
              name={country}
              label={t(`country.${country}`)}
              defaultChecked={query.country.includes(country)}
              className="py-0.5"
            />
          ))}
        </fieldset>
        <Checkbox name="unconfirmed" label={t('transactions.unconfirmedOnly')} defaultChecked={query.unconfirmed !== null} />
      </FilterForm>
    </MoreChip>
  )
}

'use client'

import { FilterForm } from '#components/form/filter-form.tsx'
import { Checkbox, Select, TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { COUNTRY_NAMES } from '#lib/operators.ts'
import { NO_WEBHOOK } from '#lib/transaction-query.ts'
import { WEBHOOK_STATES } from '#lib/webhook-state.ts'
import type { FilterProps } from './filter-types.ts'

/**
 * The less common filters: phone, name, country, unconfirmed, webhook. Loaded when they are
 * opened, which is why it is the default export.
 */
export default function MoreFilters({ query, onChange }: FilterProps) {
  const t = useT()
  const noUnconfirmed = { unconfirmed: null, unconfirmedAfter: null, unconfirmedBefore: null }
  function apply(fields: FormData) {
    const webhook = WEBHOOK_STATES.find((state) => state === fields.get('webhook')) ?? null
    onChange({
      phone: String(fields.get('phone') ?? '').replace(/\D/g, ''),
      name: String(fields.get('name') ?? '').trim(),
      country: COUNTRY_NAMES.filter((country) => fields.has(country)),
      ...(fields.has('unconfirmed') ? { unconfirmed: '1' } : noUnconfirmed),
      // The receiver and the time of a link from the overview remain while the state is unchanged.
      ...(webhook === query.webhook ? {} : { ...NO_WEBHOOK, webhook }),
    })
  }
  return (
    <FilterForm
      key={`${query.phone} ${query.name} ${query.country.join()} ${query.unconfirmed} ${query.webhook}`}
      onApply={apply}
      onClear={() => onChange({ phone: '', name: '', country: [], ...noUnconfirmed, ...NO_WEBHOOK })}
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
      <TextField id="filter-name" name="name" autoComplete="off" maxLength={100} label={t('transactions.name')} defaultValue={query.name} />
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
      <Select id="filter-webhook" name="webhook" label={t('transactions.webhook')} defaultValue={query.webhook ?? ''}>
        <option value="">{t('transactions.any')}</option>
        {WEBHOOK_STATES.map((state) => (
          <option key={state} value={state}>
            {t(`transactions.webhookState.${state}`)}
          </option>
        ))}
      </Select>
    </FilterForm>
  )
}

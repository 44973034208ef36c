import { useState } from 'react'
import { FilterForm } from '#components/form/filter-form.tsx'
import { Checkbox, Select, TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { CURRENCIES } from '#lib/money/money.ts'
import { COUNTRY_NAMES } from '#lib/operators/operators.ts'
import { REFUND_FILTERS } from '#lib/payments/refunds.ts'
import { NO_WEBHOOK } from '#lib/payments/transactions/transaction-list.ts'
import { FAILED_ENDS, FAILURE_REASONS, WEBHOOK_STATES } from '#lib/payments/transactions/transaction-status.ts'
import type { FilterProps, Person } from '../use-transaction-list.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * The less common filters: phone, name, maker, batch, currency, failure reason, country, refunds, unconfirmed, webhook. Loaded when they are
 * opened, which is why it is the default export.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one form, a line or two per field
export default function MoreFilters({ query, makers, onChange }: FilterProps & { makers: readonly Person[] }) {
  const t = useT()
  const [isBatchWrong, setIsBatchWrong] = useState(false)
  const noUnconfirmed = { unconfirmed: null, unconfirmedAfter: null, unconfirmedBefore: null }
  function apply(fields: FormData) {
    const webhook = WEBHOOK_STATES.find((state) => state === fields.get('webhook')) ?? null
    const batch = String(fields.get('batch') ?? '').trim()
    setIsBatchWrong(batch !== '' && !UUID.test(batch))
    if (batch !== '' && !UUID.test(batch)) return false
    onChange({
      phone: String(fields.get('phone') ?? '').replace(/\D/g, ''),
      name: String(fields.get('name') ?? '').trim(),
      country: COUNTRY_NAMES.filter((country) => fields.has(country)),
      currency: CURRENCIES.filter((currency) => fields.has(currency)),
      reason: FAILURE_REASONS.filter((reason) => fields.has(reason)),
      maker: String(fields.get('maker') ?? '') || null,
      batch: batch || null,
      ended: FAILED_ENDS.find((each) => each === fields.get('ended')) ?? null,
      refund: REFUND_FILTERS.find((each) => each === fields.get('refund')) ?? null,
      ...(fields.has('unconfirmed') ? { unconfirmed: '1' } : noUnconfirmed),
      // The receiver and the time of a link from the overview remain while the state is unchanged.
      ...(webhook === query.webhook ? {} : { ...NO_WEBHOOK, webhook }),
    })
    return true
  }
  return (
    <FilterForm
      key={JSON.stringify(query)}
      onApply={apply}
      onClear={() =>
        onChange({
          phone: '',
          name: '',
          country: [],
          currency: [],
          reason: [],
          maker: null,
          batch: null,
          ended: null,
          refund: null,
          ...noUnconfirmed,
          ...NO_WEBHOOK,
        })
      }
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
      <Select id="filter-maker" name="maker" label={t('transactions.maker')} defaultValue={query.maker ?? ''}>
        <option value="">{t('transactions.any')}</option>
        <option value="api">{t('transactions.madeByApi')}</option>
        {makers.map(({ personId, name }) => (
          <option key={personId} value={personId}>
            {name}
          </option>
        ))}
      </Select>
      <TextField
        id="filter-batch"
        name="batch"
        autoComplete="off"
        maxLength={36}
        label={t('transactions.batchId')}
        defaultValue={query.batch ?? ''}
        {...(isBatchWrong ? { error: t('transactions.batchWrong') } : {})}
      />
      <fieldset className="grid grid-cols-3 gap-x-2">
        <legend className="pb-1 font-medium">{t('transactions.currency')}</legend>
        {CURRENCIES.map((currency) => (
          <Checkbox key={currency} name={currency} label={currency} defaultChecked={query.currency.includes(currency)} className="py-0.5" />
        ))}
      </fieldset>
      <fieldset className="grid">
        <legend className="pb-1 font-medium">{t('transactions.reason')}</legend>
        {FAILURE_REASONS.map((reason) => (
          <Checkbox
            key={reason}
            name={reason}
            label={t(`transactions.reason.${reason}`)}
            defaultChecked={query.reason.includes(reason)}
            className="py-0.5"
          />
        ))}
      </fieldset>
      <Select id="filter-ended" name="ended" label={t('transactions.ended')} defaultValue={query.ended ?? ''}>
        <option value="">{t('transactions.any')}</option>
        {FAILED_ENDS.map((ended) => (
          <option key={ended} value={ended}>
            {t(`batch.place.${ended}`)}
          </option>
        ))}
      </Select>
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
      <Select id="filter-refund" name="refund" label={t('transactions.refund')} defaultValue={query.refund ?? ''}>
        <option value="">{t('transactions.any')}</option>
        {REFUND_FILTERS.map((refund) => (
          <option key={refund} value={refund}>
            {t(`transactions.refund.${refund}`)}
          </option>
        ))}
      </Select>
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

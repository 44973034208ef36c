'use client'

import { useState } from 'react'
import { fieldProps } from '#components/form/field-props.ts'
import { Button } from '#components/ui/button.tsx'
import { Select, TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { DisturbedDirection } from '#lib/availability.ts'
import { formatPhone } from '#lib/format.ts'
import { COUNTRIES, COUNTRY_NAMES, type CountryName, OPERATOR_CODES, OPERATORS, type OperatorCode } from '#lib/operators.ts'
import { advisePhone } from '#lib/phone-advice.ts'
import { TRANSACTION_TYPES } from '#lib/transaction-status.ts'
import { KnownBeneficiaries } from './known-beneficiaries.tsx'
import type { PaymentForm } from './use-payment-form.ts'

type Props = { application: string; payment: PaymentForm; disturbed: readonly DisturbedDirection[] }

/** The fields of a payment, with help while somebody types. */
export function PaymentFields({ application, payment, disturbed }: Props) {
  const t = useT()
  const { form, values, country } = payment
  const [lookedUp, setLookedUp] = useState('')
  const name = fieldProps(form, 'customerName', t)
  const currency = country ? COUNTRIES[country].currency : undefined
  return (
    <>
      <div className="grid items-start gap-4 sm:grid-cols-3">
        <Select {...fieldProps(form, 'type', t)} value={values.type} label={t('payment.type')}>
          {TRANSACTION_TYPES.toReversed().map((type) => (
            <option key={type} value={type}>
              {t(`type.${type}`)}
            </option>
          ))}
        </Select>
        <Select
          {...fieldProps(form, 'country', t)}
          value={values.country}
          onChange={(event) => payment.chooseCountry(event.target.value)}
          label={t('payment.country')}
        >
          <option value="">{t('payment.choose')}</option>
          {COUNTRY_NAMES.map((each) => (
            <option key={each} value={each}>
              {t(`country.${each}`)}
            </option>
          ))}
        </Select>
        <OperatorSelect payment={payment} disturbed={disturbed} />
      </div>
      <PhoneField payment={payment} onLookUp={setLookedUp} />
      <TextField
        {...name}
        onChange={(event) => {
          setLookedUp(event.target.value)
          return name.onChange(event)
        }}
        label={t('payment.name')}
        dir="auto"
        maxLength={200}
        autoComplete="off"
      />
      <KnownBeneficiaries
        application={application}
        payment={payment}
        text={lookedUp}
        onChosen={() => {
          setLookedUp('')
          form.setFocus('amount')
        }}
      />
      <TextField
        {...fieldProps(form, 'amount', t)}
        label={t('payment.amount')}
        {...(currency ? { note: currency } : {})}
        inputMode="decimal"
        autoComplete="off"
        maxLength={40}
        className="tabular sm:max-w-60"
      />
    </>
  )
}

/** The operators of the country; of all countries as long as none is chosen, and then the operator chooses the country. */
function OperatorSelect({ payment: { form, values, country, chooseOperator }, disturbed }: Omit<Props, 'application'>) {
  const t = useT()
  const labelOf = (code: OperatorCode) => {
    const state = disturbed.find(({ operator, type }) => operator === code && type === values.type)?.state
    const { brand } = OPERATORS[code]
    return state ? t('availability.option', { operator: brand, state: t(`availability.${state}`) }) : brand
  }
  const optionsOf = (name: CountryName) =>
    OPERATOR_CODES.filter((code) => OPERATORS[code].country.name === name).map((code) => (
      <option key={code} value={code}>
        {labelOf(code)}
      </option>
    ))
  return (
    <Select
      {...fieldProps(form, 'operator', t)}
      value={values.operator}
      onChange={(event) => chooseOperator(event.target.value)}
      label={t('payment.operator')}
    >
      <option value="">{t('payment.choose')}</option>
      {country
        ? optionsOf(country)
        : COUNTRY_NAMES.map((name) => (
            <optgroup key={name} label={t(`country.${name}`)}>
              {optionsOf(name)}
            </optgroup>
          ))}
    </Select>
  )
}

/** The number, without what people type around its digits, and advice that never blocks. */
function PhoneField({ payment, onLookUp }: { payment: PaymentForm; onLookUp: (text: string) => void }) {
  const t = useT()
  const { form, values, country, operator, set, typePhone } = payment
  const [isLeft, setIsLeft] = useState(false)
  const advice = country ? advisePhone(values.phoneNumber, country, operator) : null
  // While somebody types, every number is too short.
  const isShown = advice !== null && (isLeft || advice.kind !== 'length' || values.phoneNumber.length > 3 + advice.digits)
  const registered = fieldProps(form, 'phoneNumber', t)
  return (
    <div className="grid gap-1.5">
      <TextField
        {...registered}
        value={values.phoneNumber}
        onChange={(event) => {
          setIsLeft(false)
          typePhone(event.target.value)
          onLookUp(event.target.value)
        }}
        onBlur={(event) => {
          setIsLeft(true)
          return registered.onBlur(event)
        }}
        label={t('payment.phone')}
        type="tel"
        inputMode="tel"
        autoComplete="off"
        maxLength={40}
        placeholder={country ? COUNTRIES[country].dialCode : ''}
        className="tabular"
      />
      <div role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1 text-second text-wait empty:hidden">
        {isShown && advice.kind === 'length' && t('payment.advice.length', { digits: advice.digits })}
        {isShown && advice.kind === 'carrier' && t('payment.advice.carrier', { carrier: advice.carrier })}
        {isShown && (advice.kind === 'dial_code' || advice.kind === 'old_number') && (
          <>
            {t(advice.kind === 'dial_code' ? 'payment.advice.dial_code' : 'payment.advice.old_number')}
            <Button size="small" onClick={() => set({ phoneNumber: advice.suggestion })}>
              {t('payment.advice.use', { phone: formatPhone(advice.suggestion) })}
            </Button>
          </>
        )}
      </div>
    </div>
  )
}

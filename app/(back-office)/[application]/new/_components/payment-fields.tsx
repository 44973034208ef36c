import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useState } from 'react'
import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { CustomerName, PhoneText } from '#components/domain/payment.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { Button } from '#components/ui/button.tsx'
import { Select, TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { usePaused } from '#components/ui/use-paused.ts'
import type { DisturbedDirection } from '#lib/operators/operator-outcomes.ts'
import {
  COUNTRIES,
  COUNTRY_NAMES,
  type CountryName,
  isOperatorCode,
  OPERATOR_CODES,
  OPERATORS,
  type OperatorCode,
} from '#lib/operators/operators.ts'
import { resource } from '#lib/pages/queries.ts'
import { hasParts, isListOf } from '#lib/pages/query-client.ts'
import { OTHER_TEXT_NAMES, PAYMENT_TEXTS } from '#lib/payments/payment-fields.ts'
import type { Payee } from '#lib/payments/payment-preview.ts'
import { advisePhone, cleanPhone, countryOfPhone, isCompleteNumber } from '#lib/payments/phone-number.ts'
import { TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import { formatPhone } from '#lib/text/format.ts'
import { AccountCheckLine } from './account-check-line.tsx'
import type { PaymentForm } from './use-payment-form.ts'

/** The arrow keys go from the fields into the list of known people, through it, and back. */
function moveThroughKnown(event: KeyboardEvent<HTMLElement>) {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  const known = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-known] button')]
  const place = document.activeElement instanceof HTMLElement ? known.indexOf(document.activeElement) : -1
  if (known.length === 0 || (place === -1 && event.key === 'ArrowUp')) return
  event.preventDefault()
  const next = place + (event.key === 'ArrowDown' ? 1 : -1)
  const field = event.currentTarget.querySelector<HTMLElement>('input[name="customerName"]')
  ;(next < 0 ? field : known[Math.min(next, known.length - 1)])?.focus()
}

type Props = { application: string; payment: PaymentForm; disturbed: readonly DisturbedDirection[] }

/** The fields of a payment, with help while somebody types. */
export function PaymentFields({ application, payment, disturbed }: Props) {
  const t = useT()
  const { form, fields, country } = payment
  const [lookedUp, setLookedUp] = useState('')
  const currency = country ? COUNTRIES[country].currency : undefined
  return (
    <>
      <div className="grid items-start gap-4 sm:grid-cols-3">
        <Select {...fields.type} label={t('payment.field.type')}>
          {TRANSACTION_TYPES.toReversed().map((type) => (
            <option key={type} value={type}>
              {t(`type.${type}`)}
            </option>
          ))}
        </Select>
        <Select {...fields.country} onChange={(event) => payment.chooseCountry(event.target.value)} label={t('payment.field.country')}>
          <option value="">{t('payment.choose')}</option>
          {COUNTRY_NAMES.map((each) => (
            <option key={each} value={each}>
              {t(`country.${each}`)}
            </option>
          ))}
        </Select>
        <OperatorSelect payment={payment} disturbed={disturbed} />
      </div>
      <div className="contents" onKeyDown={moveThroughKnown}>
        <PhoneField application={application} payment={payment} onLookUp={setLookedUp} />
        <TextField
          {...fields.texts.customerName}
          onChange={(event) => {
            setLookedUp(event.target.value)
            return fields.texts.customerName.onChange(event)
          }}
          label={t('payment.field.customerName')}
          dir="auto"
          maxLength={PAYMENT_TEXTS.customerName.lengthMax}
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
      </div>
      {OTHER_TEXT_NAMES.map((each) => (
        <TextField
          key={each}
          {...fields.texts[each]}
          label={t(`payment.field.${each}`)}
          {...(PAYMENT_TEXTS[each].isRequired ? {} : { note: t('payment.optional') })}
          dir="auto"
          maxLength={PAYMENT_TEXTS[each].lengthMax}
          autoComplete="off"
        />
      ))}
      <TextField
        {...fields.amount}
        label={t('payment.field.amount')}
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
function OperatorSelect({ payment: { fields, values, country, chooseOperator }, disturbed }: Omit<Props, 'application'>) {
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
    <Select {...fields.operator} onChange={(event) => chooseOperator(event.target.value)} label={t('payment.field.operator')}>
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

type PhoneFieldProps = { application: string; payment: PaymentForm; onLookUp: (text: string) => void }

/** The number, without what people type around its digits, advice that never blocks, and the account at the operator. */
function PhoneField({ application, payment, onLookUp }: PhoneFieldProps) {
  const t = useT()
  const { fields, values, country, operator, set, typePhone } = payment
  const [isLeft, setIsLeft] = useState(false)
  const advice = country ? advisePhone(values.phoneNumber, country, operator) : null
  // While somebody types, every number is too short.
  const isShown = advice !== null && (isLeft || advice.kind !== 'length' || values.phoneNumber.length > 3 + advice.digits)
  return (
    <div className="grid gap-1.5">
      <TextField
        {...fields.phoneNumber}
        onChange={(event) => {
          setIsLeft(false)
          typePhone(event.target.value)
          onLookUp(event.target.value)
        }}
        onBlur={() => {
          setIsLeft(true)
          fields.phoneNumber.onBlur()
        }}
        label={t('payment.field.phoneNumber')}
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
      <AccountCheckLine
        application={application}
        operator={operator}
        phoneNumber={values.phoneNumber}
        customerName={values.customerName}
        isComplete={country !== null && isCompleteNumber(values.phoneNumber, country)}
      />
    </div>
  )
}

const TYPED_MIN = 3
const PAUSE_MS = 150

type KnownBeneficiariesProps = { application: string; payment: PaymentForm; text: string; onChosen: () => void }

/** Whom the text in the name or the number may mean, with what they received and when. A press fills in the fields. */
function KnownBeneficiaries({ application, payment, text, onChosen }: KnownBeneficiariesProps) {
  const t = useT()
  const { values, set } = payment
  const q = usePaused(/^[\d\s+().-]+$/.test(text) ? cleanPhone(text) : text.trim(), PAUSE_MS)
  const query = { q, type: values.type }
  const { data } = useQuery({
    ...resource(
      application,
      ['beneficiaries', application, query],
      ['beneficiaries', query],
      isListOf(hasParts<Payee>('phoneNumber', 'last', 'bookOperator')),
    ),
    enabled: q.length >= TYPED_MIN,
    placeholderData: keepPreviousData,
  })
  const found = text === '' || q.length < TYPED_MIN ? [] : (data ?? [])
  const isFilledIn = ({ phoneNumber, customerName }: Payee) => phoneNumber === values.phoneNumber && customerName === values.customerName
  if (found.length === 0 || found.every(isFilledIn)) return null

  function choose({ phoneNumber, customerName, last, bookOperator }: Payee) {
    const country = countryOfPhone(phoneNumber)
    const isKept = isOperatorCode(values.operator) && OPERATORS[values.operator].country.name === country
    const operator = bookOperator ?? (isKept ? values.operator : (last?.operator ?? ''))
    set({ phoneNumber, customerName, ...(country ? { country: COUNTRIES[country].name, operator } : {}) })
    onChosen()
  }

  return (
    <div data-known className="rounded-lg border border-line bg-surface p-1.5">
      <p className="px-2 py-1 text-second text-quiet">{t('payment.known')}</p>
      <ul>
        {found.map((each) => (
          <li key={`${each.phoneNumber} ${each.customerName}`}>
            <button
              type="button"
              onClick={() => choose(each)}
              className="grid w-full grid-cols-[minmax(0,1fr)_auto] gap-x-3 rounded-sm px-2 py-1.5 text-left hover:bg-sunken touch-target"
            >
              <CustomerName name={each.customerName} className="truncate font-medium" />
              {each.last ? <Money amount={each.last.amount} currency={each.last.currency} className="text-right" /> : <span />}
              <PhoneText phoneNumber={each.phoneNumber} className="text-second text-quiet" />
              <span className="flex flex-wrap justify-end gap-x-2 text-second text-quiet">
                {each.bookOperator && <span>{t('payment.inBook')}</span>}
                {each.last ? (
                  <>
                    <OperatorMark code={each.last.operator} isCountryHidden />
                    <TimeText at={each.last.at} style="day-year" />
                  </>
                ) : each.bookOperator ? (
                  <OperatorMark code={each.bookOperator} isCountryHidden />
                ) : (
                  t('payment.neverPaid')
                )}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}

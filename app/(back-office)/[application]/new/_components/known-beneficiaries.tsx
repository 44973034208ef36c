'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { CustomerName } from '#components/domain/payment.tsx'
import { PhoneText } from '#components/domain/phone-text.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { useT } from '#components/ui/translations.tsx'
import { COUNTRIES, isOperatorCode, OPERATORS } from '#lib/operators.ts'
import { paths } from '#lib/paths.ts'
import { paymentQueryKeys } from '#lib/payment-address.ts'
import type { KnownBeneficiary } from '#lib/payment-preview.ts'
import { cleanPhone, countryOfPhone } from '#lib/phone-advice.ts'
import { fetchData, hasParts, isListOf } from '#lib/query-client.ts'
import { usePaused } from './use-paused.ts'
import type { PaymentForm } from './use-payment-form.ts'

const TYPED_MIN = 3
const PAUSE_MS = 150

type Props = { application: string; payment: PaymentForm; text: string; onChosen: () => void }

/** Whom the text in the name or the number may mean, with what they received and when. A press fills in the fields. */
export function KnownBeneficiaries({ application, payment, text, onChosen }: Props) {
  const t = useT()
  const { values, set } = payment
  const q = usePaused(/^[\d\s+().-]+$/.test(text) ? cleanPhone(text) : text.trim(), PAUSE_MS)
  const query = { q, type: values.type }
  const { data } = useQuery({
    queryKey: paymentQueryKeys.beneficiaries(application, query),
    queryFn: ({ signal }) =>
      fetchData(paths.data(application, 'beneficiaries', query), isListOf(hasParts<KnownBeneficiary>('phoneNumber', 'last')), signal),
    enabled: q.length >= TYPED_MIN,
    placeholderData: keepPreviousData,
  })
  const found = text === '' || q.length < TYPED_MIN ? [] : (data ?? [])
  const isFilledIn = ({ phoneNumber, customerName }: KnownBeneficiary) =>
    phoneNumber === values.phoneNumber && customerName === values.customerName
  if (found.length === 0 || found.every(isFilledIn)) return null

  function choose({ phoneNumber, customerName, last }: KnownBeneficiary) {
    const country = countryOfPhone(phoneNumber)
    const isKept = isOperatorCode(values.operator) && OPERATORS[values.operator].country.name === country
    const operator = isKept ? values.operator : (last?.operator ?? '')
    set({ phoneNumber, customerName, ...(country ? { country: COUNTRIES[country].name, operator } : {}) })
    onChosen()
  }

  return (
    <div className="rounded-lg border border-line bg-surface p-1.5">
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
                {each.last ? (
                  <>
                    <OperatorMark code={each.last.operator} isCountryHidden />
                    <TimeText at={each.last.at} style="day-year" />
                  </>
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

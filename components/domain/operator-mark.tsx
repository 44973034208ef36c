'use client'

import { useT } from '#components/ui/translations.tsx'
import { OPERATOR_CODES, OPERATORS, type Operator, type OperatorCode } from '#lib/operators/operators.ts'

const COLOURS: Record<Operator['brand'], string> = {
  Orange: 'bg-orange',
  MTN: 'bg-mtn',
  Wave: 'bg-wave',
  Airtel: 'bg-airtel',
  Moov: 'bg-moov',
  Free: 'bg-free',
}

/** A square of the operator's own colour, its name and, quietly, its country. */
export function OperatorMark({ code, isCountryHidden = false }: { code: OperatorCode; isCountryHidden?: boolean }) {
  const t = useT()
  const { brand, country } = OPERATORS[code]
  return (
    <span className="inline-flex items-baseline gap-2 whitespace-nowrap">
      <span aria-hidden="true" className={`size-[9px] shrink-0 self-center rounded-[2.5px] ${COLOURS[brand]}`} />
      <span>{brand}</span>
      {!isCountryHidden && <span className="text-second text-quiet">{t(`country.${country.name}`)}</span>}
    </span>
  )
}

/** The options of a select for one of the thirteen operators: `MTN Cameroon`. */
export function OperatorOptions() {
  const t = useT()
  return OPERATOR_CODES.map((code) => (
    <option key={code} value={code}>
      {`${OPERATORS[code].brand} ${t(`country.${OPERATORS[code].country.name}`)}`}
    </option>
  ))
}

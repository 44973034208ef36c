import { useT } from '#components/ui/translations.tsx'
import { OPERATOR_CODES, OPERATORS } from '#lib/operators.ts'

/** The options of a select for one of the thirteen operators: `MTN Cameroon`. */
export function OperatorOptions() {
  const t = useT()
  return OPERATOR_CODES.map((code) => (
    <option key={code} value={code}>
      {`${OPERATORS[code].brand} ${t(`country.${OPERATORS[code].country.name}`)}`}
    </option>
  ))
}

import {
  COUNTRIES,
  type CountryName,
  CUSTOMER_STEP_KINDS,
  type CustomerStep,
  customerStepOf,
  EXAMPLE_PHONES,
  OPERATOR_CODES,
  OPERATORS,
  type OperatorCode,
} from '#lib/operators/operators.ts'
import type { PaymentExample } from '#lib/partner/reference.ts'
import { FAILURE_MESSAGES } from '#lib/payments/transactions/transaction-status.ts'
import { SIMULATED_OUTCOMES } from '#server/operators/simulator/behaviour.ts'
import { COLLECT_REQUEST } from '../openapi/examples.ts'
import { writePayment } from './samples/samples.ts'

/** The first payment in a country. `phone` is paid by the simulated operators, `refusedPhone` ends with the message. */
export type CountryStart = {
  country: CountryName
  operators: OperatorCode[]
  phone: string
  refused: { phone: string; message: string }
  collect: PaymentExample
}

/** A start for each country of the operators' table. */
export const COUNTRY_STARTS: readonly CountryStart[] = Object.values(COUNTRIES).map(({ name }) => {
  const operators = OPERATOR_CODES.filter((code) => OPERATORS[code].country.name === name)
  const [first] = operators
  const refusal = SIMULATED_OUTCOMES.find(({ message }) => message === FAILURE_MESSAGES.insufficientFunds)
  if (first === undefined || !refusal) throw new Error(`${name} has no operator, or no payment is refused`)
  const phone = EXAMPLE_PHONES[name]
  return {
    country: name,
    operators,
    phone,
    refused: { phone: phone.slice(0, -refusal.digits.length) + refusal.digits, message: FAILURE_MESSAGES.insufficientFunds },
    collect: writePayment('collect', { ...COLLECT_REQUEST, transferMethod: first, phoneNumber: phone, countryName: name }),
  }
})

/** A number that the simulated operators leave a minute for: time to act as the customer. */
const SLOW = '914'

/** A collect for each step of a customer, by the first operator that has it. */
export const STEP_EXAMPLES: readonly { step: CustomerStep; operator: OperatorCode; collect: PaymentExample }[] = CUSTOMER_STEP_KINDS.map(
  (step) => {
    const operator = OPERATOR_CODES.find((code) => customerStepOf(code) === step)
    if (operator === undefined) throw new Error(`No operator has the step ${step}`)
    const { name } = OPERATORS[operator].country
    const phoneNumber = EXAMPLE_PHONES[name].slice(0, -SLOW.length) + SLOW
    return {
      step,
      operator,
      collect: writePayment('collect', { ...COLLECT_REQUEST, transferMethod: operator, phoneNumber, countryName: name }),
    }
  },
)

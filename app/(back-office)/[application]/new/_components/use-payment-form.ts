import { useEffect } from 'react'
import { type FieldErrors, type FieldValues, type Resolver, type UseFormReturn, useController, useForm, useWatch } from 'react-hook-form'
import type { z } from 'zod'
import { fieldLabels, fieldProps } from '#components/form/field-props.ts'
import { useTranslations } from '#components/ui/translations.tsx'
import { parseTypedAmount } from '#lib/money/money.ts'
import { type CountryName, isCountryName, isOperatorCode, OPERATOR_CODES, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { mapTexts, type PaymentContent } from '#lib/payments/payment-fields.ts'
import { cleanPhone, countryOfPhone } from '#lib/payments/phone-number.ts'
import { PAYMENT_FORM_SCHEMAS } from '#lib/schemas/payment.ts'
import { keepPayment, readKept } from './kept-payments.ts'

export type PaymentForm = {
  form: UseFormReturn<PaymentContent>
  fields: ReturnType<typeof useFields>
  values: PaymentContent
  country: CountryName | null
  operator: OperatorCode | null
  set(changes: Partial<PaymentContent>): void
  chooseCountry(country: string): void
  chooseOperator(operator: string): void
  typePhone(typed: string): void
  /** The values as they are sent and saved: the amount is a plain decimal wherever it can be read. */
  plain(): PaymentContent
}

/** Whose form of which payment, and the payment that it replaces. */
type FormIdentity = { personId: string; externalId: string; originId: string | null }

/** The fields of a payment, and what follows from one for another: a country's operators, an operator's country. */
export function usePaymentForm(initial: PaymentContent, identity: FormIdentity): PaymentForm {
  const { locale } = useTranslations()
  const form = useForm<PaymentContent>({ defaultValues: initial, resolver: zodResolver(PAYMENT_FORM_SCHEMAS[locale]) })
  const fields = useFields(form)
  const values = { ...initial, ...useWatch({ control: form.control }) }
  useKept(form, identity)

  function set(changes: Partial<PaymentContent>) {
    for (const [name, value] of Object.entries(changes) as [keyof PaymentContent, string][])
      form.setValue(name, value, { shouldDirty: true, shouldValidate: form.formState.isSubmitted })
  }
  function withCountry(country: string): Partial<PaymentContent> {
    const operators = OPERATOR_CODES.filter((code) => OPERATORS[code].country.name === country)
    if (operators.some((code) => code === values.operator)) return { country }
    return { country, operator: operators.length === 1 ? (operators[0] ?? '') : '' }
  }
  return {
    form,
    fields,
    values,
    country: isCountryName(values.country) ? values.country : null,
    operator: isOperatorCode(values.operator) ? values.operator : null,
    set,
    chooseCountry: (country) => set(withCountry(country)),
    chooseOperator: (operator) => set(isOperatorCode(operator) ? { operator, country: OPERATORS[operator].country.name } : { operator }),
    typePhone(typed) {
      const phoneNumber = cleanPhone(typed)
      const country = values.country === '' ? countryOfPhone(phoneNumber) : undefined
      set({ phoneNumber, ...(country ? withCountry(country) : {}) })
    },
    plain() {
      const typed = form.getValues()
      return { ...typed, amount: parseTypedAmount(typed.amount, locale) ?? typed.amount }
    },
  }
}

/**
 * Every field, registered once and in the order in which they are shown: the focus goes to the first wrong one. Fields that change with others
 * are controlled, the rest is not.
 */
function useFields(form: UseFormReturn<PaymentContent>) {
  const { t } = useTranslations()
  const { control } = form
  const type = fieldProps(form, 'type', t)
  const country = useController({ control, name: 'country' }).field
  const operator = useController({ control, name: 'operator' }).field
  const phoneNumber = useController({ control, name: 'phoneNumber' }).field
  return {
    type,
    country: { ...country, ...fieldLabels(form, 'country', t) },
    operator: { ...operator, ...fieldLabels(form, 'operator', t) },
    phoneNumber: { ...phoneNumber, ...fieldLabels(form, 'phoneNumber', t) },
    texts: mapTexts((name) => fieldProps(form, name, t)),
    amount: fieldProps(form, 'amount', t),
  }
}

/** Keeps what was typed in this tab over a reload, until it is sent or saved. */
function useKept(form: UseFormReturn<PaymentContent>, { personId, externalId, originId }: FormIdentity): void {
  useEffect(() => {
    const kept = readKept(personId, externalId)
    if (kept) form.reset(kept.content, { keepDefaultValues: true })
    const { unsubscribe } = form.watch((content) => keepPayment(personId, externalId, { originId, content }))
    return unsubscribe
  }, [form, personId, externalId, originId])
}

/** Checks a form of react-hook-form with a schema. The values stay as they were typed; each field shows its first problem. */
function zodResolver<Values extends FieldValues>(schema: z.ZodType): Resolver<Values> {
  return (values) => {
    const parsed = schema.safeParse(values)
    if (parsed.success) return { values, errors: {} }
    const errors: Record<string, { type: string; message: string }> = {}
    for (const { path, code = 'custom', message } of parsed.error.issues) errors[path.join('.')] ??= { type: code, message }
    // The fields of a form without groups are its own keys.
    return { values: {}, errors: errors as FieldErrors<Values> }
  }
}

import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { fieldProps } from '#components/form/field-props.ts'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { TextField } from '#components/ui/field.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { BalanceCard } from '#lib/finance/finance-dto.ts'
import { parseTypedAmount } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { queryKeys } from '#lib/pages/query-keys.ts'
import { callAction, refusalText } from '#lib/result.ts'
import { formatAmount } from '#lib/text/format.ts'
import { setThreshold } from '../actions.ts'

const WORDS = { not_permitted: 'action.forbidden', offline: 'action.offline' } as const

/** Sets the low-balance alert of an operator; an empty amount removes it. A default export, because it is loaded on demand. */
export default function ThresholdDialog({ application, card, onClose }: { application: string; card: BalanceCard; onClose: () => void }) {
  const { t, locale } = useTranslations()
  const queryClient = useQueryClient()
  const [error, setError] = useState<string | null>(null)
  const form = useForm({ defaultValues: { amount: card.threshold === null ? '' : formatAmount(card.threshold, locale) } })
  const name = `${OPERATORS[card.operator].brand} ${t(`country.${OPERATORS[card.operator].country.name}`)}`
  const submit = form.handleSubmit(async ({ amount }) => {
    const threshold = amount.trim() === '' ? null : (parseTypedAmount(amount, locale) ?? null)
    const result = await callAction(() => setThreshold(application, { operator: card.operator, threshold }))
    if (!result.ok) return setError(refusalText(t, result.error.code, WORDS))
    toast(t(threshold === null ? 'balances.thresholdRemoved' : 'balances.thresholdSet', { operator: name }))
    await queryClient.invalidateQueries({ queryKey: queryKeys.balances(application) })
    onClose()
  })
  return (
    <FormDialog
      title={t('balances.thresholdTitle', { operator: name })}
      submitLabel={t('balances.thresholdSubmit')}
      isPending={form.formState.isSubmitting}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        {...fieldProps(form, 'amount', t)}
        {...form.register('amount', {
          validate: (typed) => typed.trim() === '' || isPositive(parseTypedAmount(typed, locale)) || 'balances.thresholdWrong',
        })}
        label={t('balances.thresholdLabel', { currency: card.currency })}
        hint={t('balances.thresholdHint')}
        inputMode="decimal"
        maxLength={20}
        autoFocus
      />
    </FormDialog>
  )
}

function isPositive(amount: string | undefined): boolean {
  return amount !== undefined && /[1-9]/.test(amount)
}

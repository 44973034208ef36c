import { useForm } from 'react-hook-form'
import { fieldProps } from '#components/form/field-props.ts'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { TextField } from '#components/ui/field.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { BalanceCard } from '#lib/finance/finance-dto.ts'
import { parseTypedAmount } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { queryKeys } from '#lib/pages/queries.ts'
import { formatAmount } from '#lib/text/format.ts'
import { setThreshold } from '../actions.ts'

/** Sets the low-balance alert of an operator; an empty amount removes it. */
export function ThresholdDialog({ application, card, onClose }: { application: string; card: BalanceCard; onClose: () => void }) {
  const { t, locale } = useTranslations()
  const form = useForm({ defaultValues: { amount: card.threshold === null ? '' : formatAmount(card.threshold, locale) } })
  const name = `${OPERATORS[card.operator].brand} ${t(`country.${OPERATORS[card.operator].country.name}`)}`
  const { run, isPending, error } = useAction(
    (threshold: string | null) => setThreshold(application, { operator: card.operator, threshold }),
    {
      words: {},
      invalidates: [queryKeys.balances(application)],
      onDone(_, [threshold]) {
        toast(t(threshold === null ? 'balances.thresholdRemoved' : 'balances.thresholdSet', { operator: name }))
        onClose()
      },
    },
  )
  const submit = form.handleSubmit(({ amount }) => run(amount.trim() === '' ? null : (parseTypedAmount(amount, locale) ?? null)))
  return (
    <FormDialog
      title={t('balances.thresholdTitle', { operator: name })}
      submitLabel={t('balances.thresholdSubmit')}
      isPending={isPending}
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

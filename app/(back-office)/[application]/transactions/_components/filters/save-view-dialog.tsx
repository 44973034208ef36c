import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { fieldProps } from '#components/form/field-props.ts'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { Checkbox, TextField } from '#components/ui/field.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { callAction, refusalText } from '#lib/result.ts'
import { changeView, saveView } from '../../actions.ts'
import type { View } from '../use-transaction-list.ts'

const WORDS = {
  too_many: 'transactions.views.tooMany',
  name_taken: 'transactions.views.nameTaken',
  not_found: 'transactions.views.gone',
  offline: 'action.offline',
} as const

type Props = {
  application: string
  query: string /** The view to change; null saves a new one. */
  view: View | null
  onClose: () => void
}

/** Saves a view under a name, for oneself or for everybody, or changes both of a saved one. A default export, because it is loaded on demand. */
export default function SaveViewDialog({ application, query, view, onClose }: Props) {
  const t = useT()
  const router = useRouter()
  const [error, setError] = useState<string | null>(null)
  const form = useForm({ defaultValues: { name: view?.name ?? '', isShared: view?.isShared ?? false } })
  const submit = form.handleSubmit(async (input) => {
    const result = await callAction(() =>
      view ? changeView(application, { viewId: view.viewId, ...input }) : saveView(application, { query, ...input }),
    )
    if (!result.ok) return setError(refusalText(t, result.error.code, WORDS))
    toast(t('transactions.views.saved', { name: result.value.name }))
    onClose()
    router.refresh()
  })
  return (
    <FormDialog
      title={t(view ? 'transactions.views.changeTitle' : 'transactions.views.saveTitle')}
      submitLabel={t('transactions.views.saveSubmit')}
      isPending={form.formState.isSubmitting}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        {...fieldProps(form, 'name', t)}
        {...form.register('name', { required: 'form.field.required', validate: (name) => name.trim() !== '' || 'form.field.required' })}
        label={t('transactions.views.name')}
        {...(view ? {} : { hint: t('transactions.views.nameHint') })}
        maxLength={80}
        autoFocus
      />
      <Checkbox {...form.register('isShared')} label={t('transactions.views.share')} />
    </FormDialog>
  )
}

import { useForm } from 'react-hook-form'
import { fieldProps } from '#components/form/field-props.ts'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Checkbox, TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { changeView, saveView } from '../../actions.ts'
import type { View } from '../use-transaction-list.ts'

const REFUSALS = {
  too_many: 'transactions.views.tooMany',
  name_taken: 'transactions.views.nameTaken',
  not_found: 'transactions.views.gone',
} as const

type Props = {
  application: string
  query: string /** The view to change; null saves a new one. */
  view: View | null
  onClose: () => void
}

/** Saves a view under a name, for oneself or for everybody, or changes both of a saved one. */
export function SaveViewDialog({ application, query, view, onClose }: Props) {
  const t = useT()
  const form = useForm({ defaultValues: { name: view?.name ?? '', isShared: view?.isShared ?? false } })
  const { run, isPending, error } = useAction(
    (input: { name: string; isShared: boolean }) =>
      view ? changeView(application, { viewId: view.viewId, ...input }) : saveView(application, { query, ...input }),
    { words: REFUSALS, said: ({ name }) => t('transactions.views.saved', { name }), refreshes: 'done', onDone: onClose },
  )
  return (
    <FormDialog
      title={t(view ? 'transactions.views.changeTitle' : 'transactions.views.saveTitle')}
      submitLabel={t('transactions.views.saveSubmit')}
      isPending={isPending}
      error={error}
      onSubmit={form.handleSubmit((input) => run(input))}
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

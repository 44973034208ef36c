'use client'

import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { fieldProps } from '#components/form/field-props.ts'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { TextField } from '#components/ui/field.tsx'
import { toast } from '#components/ui/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { callAction, refusalText } from '#lib/action-result.ts'
import { saveView } from '../actions.ts'

const WORDS = { too_many: 'transactions.views.tooMany', offline: 'action.offline' } as const

/** Saves a view under a name. A default export, because it is loaded on demand. */
export default function SaveViewDialog({ application, query, onClose }: { application: string; query: string; onClose: () => void }) {
  const t = useT()
  const router = useRouter()
  const [error, setError] = useState<string | null>(null)
  const form = useForm({ defaultValues: { name: '' } })
  const submit = form.handleSubmit(async ({ name }) => {
    const result = await callAction(() => saveView(application, { name, query }))
    if (!result.ok) return setError(refusalText(t, result.error.code, WORDS))
    toast(t('transactions.views.saved', { name: result.value.name }))
    onClose()
    router.refresh()
  })
  return (
    <FormDialog
      title={t('transactions.views.saveTitle')}
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
        hint={t('transactions.views.nameHint')}
        maxLength={80}
        autoFocus
      />
    </FormDialog>
  )
}

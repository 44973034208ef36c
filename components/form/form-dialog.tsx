'use client'

import { type FormEventHandler, type ReactNode, useRef } from 'react'
import { Button, type ButtonVariant } from '#components/ui/button.tsx'
import { Dialog, DialogActions } from '#components/ui/dialog.tsx'
import { useT } from '#components/ui/translations.tsx'
import { ErrorNotice } from './error-notice.tsx'

type FormDialogProps = {
  title: string
  /** Says what the button does ("Validate 37 · 4,215,000 XAF"). */
  submitLabel: string
  submitVariant?: ButtonVariant
  /** Required, so that every form has a busy state and a place for its error. */
  isPending: boolean
  error: string | null
  /** `form.handleSubmit(...)` of react-hook-form. */
  onSubmit: FormEventHandler<HTMLFormElement>
  onClose: () => void
  children: ReactNode
}

/** A dialog with a form. Ctrl+Enter submits from any field, Escape closes. */
export function FormDialog({
  title,
  submitLabel,
  submitVariant = 'primary',
  isPending,
  error,
  onSubmit,
  onClose,
  children,
}: FormDialogProps) {
  const t = useT()
  const form = useRef<HTMLFormElement>(null)
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        ref={form}
        noValidate
        onSubmit={onSubmit}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit()
        }}
      >
        <div className="grid gap-4">
          {error && <ErrorNotice error={error} />}
          {children}
        </div>
        <DialogActions>
          {/* Sums in three currencies are wider than a phone. */}
          <Button type="submit" variant={submitVariant} isBusy={isPending} className="h-auto! min-h-[30px] py-1 whitespace-normal!">
            {submitLabel}
          </Button>
          <Button onClick={() => form.current?.closest('dialog')?.close()}>{t('ui.cancel')}</Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

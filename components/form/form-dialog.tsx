import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { Button, type ButtonVariant } from '#components/ui/button.tsx'
import { Dialog, DialogActions } from '#components/ui/overlay/dialog.tsx'
import { useT } from '#components/ui/translations.tsx'
import { ErrorNotice } from './error-notice.tsx'

type Props = {
  title: string
  /** Says what the button does ("Validate 37 · 4,215,000 XAF"). */
  submitLabel: string
  submitVariant?: ButtonVariant
  /** Required, so that every form has a busy state and a place for its error. */
  isPending: boolean
  error: string | null
  /** `form.handleSubmit(...)` of react-hook-form, or a function of the form's fields. */
  onSubmit: (event: FormEvent<HTMLFormElement>, fields: FormData) => unknown
  onClose: () => void
  children: ReactNode
}

/** A dialog with a form. Ctrl+Enter submits from any field. Escape closes; if something was typed, the dialog first shows what would be lost. */
export function FormDialog({ title, submitLabel, submitVariant = 'primary', isPending, error, onSubmit, onClose, children }: Props) {
  const t = useT()
  const form = useRef<HTMLFormElement>(null)
  const before = useRef('')
  const [isLeaving, setIsLeaving] = useState(false)
  useEffect(() => {
    before.current = contentOf(form.current)
  }, [])
  function mayClose(): boolean {
    const isChanged = contentOf(form.current) !== before.current
    setIsLeaving(isChanged)
    return !isChanged
  }
  const close = () => form.current?.closest('dialog')?.close()
  return (
    <Dialog title={title} onClose={onClose} mayClose={mayClose}>
      <form
        ref={form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          onSubmit(event, new FormData(event.currentTarget))
        }}
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
          <Button onClick={() => mayClose() && close()}>{t('ui.cancel')}</Button>
          {isLeaving && (
            <div role="alert" className="flex basis-full flex-wrap items-center gap-x-3 gap-y-1">
              <p className="basis-full sm:flex-1 sm:basis-auto">{t('form.discardQuestion')}</p>
              <Button size="small" variant="danger" onClick={close}>
                {t('form.discard')}
              </Button>
              <Button size="small" onClick={() => setIsLeaving(false)}>
                {t('form.keep')}
              </Button>
            </div>
          )}
        </DialogActions>
      </form>
    </Dialog>
  )
}

/** The values of the fields, to detect changes later. */
function contentOf(form: HTMLFormElement | null): string {
  return form ? JSON.stringify([...new FormData(form)]) : ''
}

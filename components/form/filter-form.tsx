'use client'

import type { FormEvent, ReactNode } from 'react'
import { Button } from '#components/ui/button.tsx'
import { closePopover } from '#components/ui/close-popover.ts'
import { useT } from '#components/ui/translations.tsx'

/**
 * The form of a filter: fields, Apply, Clear. `onApply` receives the fields; false keeps the form open because a field is invalid. One
 * Apply is one entry in the history.
 */
export function FilterForm({
  onApply,
  onClear,
  children,
}: {
  onApply: (fields: FormData, form: HTMLFormElement) => unknown
  onClear: () => void
  children: ReactNode
}) {
  const t = useT()
  function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (onApply(new FormData(event.currentTarget), event.currentTarget) !== false) closePopover(event)
  }
  return (
    <form noValidate onSubmit={onSubmit} className="grid gap-3 p-1.5">
      {children}
      <div className="flex gap-2">
        <Button type="submit" variant="primary" size="small">
          {t('ui.apply')}
        </Button>
        <Button
          size="small"
          onClick={(event) => {
            closePopover(event)
            onClear()
          }}
        >
          {t('ui.clear')}
        </Button>
      </div>
    </form>
  )
}

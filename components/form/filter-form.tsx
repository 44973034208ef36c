import type { FormEvent, ReactNode } from 'react'
import { Button } from '#components/ui/button.tsx'
import { TextField } from '#components/ui/field.tsx'
import { closePopover, MENU_ITEM } from '#components/ui/overlay/popover.tsx'
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

/** A day or a range of days, both ends included; each end may be open. */
export type Days = { from: string | null; to: string | null }

type Props = Days & {
  /** Usual ranges at one press. */
  presets: readonly { label: string; days: Days; isCurrent: boolean }[]
  labels: { from: string; to: string }
  /** Below the two days: which days they are. */
  note?: string
  onChange: (days: Days) => void
}

/** The inside of a filter by day: usual ranges, or two days of one's own. */
export function DaysForm({ from, to, presets, labels, note, onChange }: Props) {
  return (
    <>
      <div className="grid grid-cols-2 gap-0.5 p-1.5">
        {presets.map(({ label, days, isCurrent }) => (
          <button
            key={label}
            type="button"
            aria-pressed={isCurrent}
            className={`${MENU_ITEM} aria-pressed:bg-accent-soft aria-pressed:font-medium`}
            onClick={(event) => {
              closePopover(event)
              onChange(days)
            }}
          >
            {label}
          </button>
        ))}
      </div>
      <FilterForm
        key={`${from} ${to}`}
        onApply={(fields) => onChange({ from: dayOf(fields.get('from')), to: dayOf(fields.get('to')) })}
        onClear={() => onChange({ from: null, to: null })}
      >
        <div className="grid grid-cols-2 gap-2">
          <TextField id="filter-from" name="from" type="date" label={labels.from} defaultValue={from ?? ''} />
          <TextField id="filter-to" name="to" type="date" label={labels.to} defaultValue={to ?? ''} />
        </div>
        {note && <p className="text-second text-quiet">{note}</p>}
      </FilterForm>
    </>
  )
}

function dayOf(value: FormDataEntryValue | null): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

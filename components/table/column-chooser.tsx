import { buttonClass } from '#components/ui/button.tsx'
import { Icon } from '#components/ui/display/icon.tsx'
import { Checkbox } from '#components/ui/field.tsx'
import { Popover } from '#components/ui/overlay/popover.tsx'
import { announce } from '#components/ui/overlay/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { ColumnSettings } from '#lib/pages/table-state.ts'

type ColumnChoice = { id: string; label: string /** Always shown: it identifies the row. */; isFixed?: boolean }

/** Chooses columns and their order with checkboxes and arrows, so that it works without a pointer. */
export function ColumnChooser({
  columns,
  settings,
  onChange,
}: {
  columns: readonly ColumnChoice[]
  settings: ColumnSettings
  onChange: (settings: ColumnSettings | null) => void
}) {
  const t = useT()
  const byId = new Map(columns.map((column) => [column.id, column]))
  function toggle(id: string, isShown: boolean) {
    onChange({ ...settings, hidden: isShown ? settings.hidden.filter((each) => each !== id) : [...settings.hidden, id] })
  }
  function move(id: string, by: -1 | 1) {
    const order = settings.order.filter((each) => each !== id)
    const place = settings.order.indexOf(id) + by
    order.splice(place, 0, id)
    onChange({ ...settings, order })
    announce(t('table.moved', { name: byId.get(id)?.label ?? id, position: place + 1 }))
  }
  return (
    <Popover id="column-chooser" align="end" panelClass="w-72" triggerClass={buttonClass()} trigger={t('table.columns')}>
      <ul>
        {settings.order.map((id, place) => {
          const column = byId.get(id)
          if (!column) return null
          return (
            <li key={id} className="flex items-center gap-1 rounded-sm px-2 hover:bg-sunken">
              <Checkbox
                className="flex-1 py-1.5"
                label={column.label}
                disabled={column.isFixed}
                checked={!settings.hidden.includes(id)}
                onChange={(event) => toggle(id, event.target.checked)}
              />
              <MoveButton
                icon="arrow-up"
                label={t('table.moveUp', { name: column.label })}
                isDisabled={place === 0}
                onMove={() => move(id, -1)}
              />
              <MoveButton
                icon="arrow-down"
                label={t('table.moveDown', { name: column.label })}
                isDisabled={place === settings.order.length - 1}
                onMove={() => move(id, 1)}
              />
            </li>
          )
        })}
      </ul>
      <button type="button" onClick={() => onChange(null)} className="mt-1 rounded-sm px-2 py-1.5 text-second text-accent hover:underline">
        {t('table.reset')}
      </button>
    </Popover>
  )
}

function MoveButton({
  icon,
  label,
  isDisabled,
  onMove,
}: {
  icon: 'arrow-up' | 'arrow-down'
  label: string
  isDisabled: boolean
  onMove: () => void
}) {
  return (
    <button
      type="button"
      aria-label={label}
      disabled={isDisabled}
      onClick={onMove}
      className="flex size-6 items-center justify-center rounded-sm text-ink-2 hover:bg-line disabled:opacity-30"
    >
      <Icon name={icon} className="size-3.5" />
    </button>
  )
}

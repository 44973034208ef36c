import { type ClipboardEvent, type KeyboardEvent, useLayoutEffect, useRef } from 'react'
import { OperatorOptions } from '#components/domain/operator-mark.tsx'
import { useT } from '#components/ui/translations.tsx'
import { BATCH_CELL_LENGTH_MAX } from '#lib/batches/batch-fields.ts'
import type { CellPlace } from '#lib/batches/cell-place.ts'
import { isOperatorCode } from '#lib/operators/operators.ts'
import { problemId } from '../row-cells.tsx'

/** Where a person goes on after a cell: `stay` by Enter, `next` and `previous` by Tab, `away` by pressing something else. */
export type Move = 'stay' | 'next' | 'previous' | 'away'

type Props = {
  place: CellPlace
  initial: string
  isWrong: boolean
  /** Every key press, so that the text survives if the row goes away. */
  onText: (text: string) => void
  onCommit: (text: string, move: Move) => void
  onCancel: () => void
  onPasteColumn: (text: string) => void
}

/** Scrolled to above the bar of corrections. */
const CONTROL = 'scroll-mb-60 h-7 w-full min-w-32 rounded-sm border border-accent bg-surface px-1.5 text-work text-ink touch-target'
const KEYBOARDS: Partial<Record<CellPlace['field'], 'tel' | 'decimal'>> = { phoneNumber: 'tel', amount: 'decimal' }

/** The field in place of a cell. Enter and Tab save, Escape restores; leaving it by a press elsewhere saves, leaving the window does not. */
export function CellEditor({ place, initial, isWrong, onText, onCommit, onCancel, onPasteColumn }: Props) {
  const t = useT()
  const control = useRef<HTMLInputElement & HTMLSelectElement>(null)
  const isDone = useRef(false)
  // Before the browser paints, so that the focus is never nowhere and no key press is lost.
  useLayoutEffect(() => {
    control.current?.focus()
    if (control.current instanceof HTMLInputElement) control.current.select()
  }, [])
  function finish(move: Move) {
    if (isDone.current) return
    isDone.current = true
    onCommit(control.current?.value ?? initial, move)
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') {
      event.stopPropagation()
      isDone.current = true
      onCancel()
    } else if (event.key === 'Enter' || event.key === 'Tab') {
      event.preventDefault()
      finish(event.key === 'Enter' ? 'stay' : event.shiftKey ? 'previous' : 'next')
    }
  }
  const shared = {
    ref: control,
    defaultValue: initial,
    'aria-label': t('batches.repair.editor', { field: t(`payment.field.${place.field}`), row: place.rowNumber }),
    'aria-invalid': isWrong || undefined,
    'aria-describedby': isWrong ? problemId(place) : undefined,
    className: CONTROL,
    onKeyDown,
    onBlur: () => {
      if (document.activeElement !== control.current) finish('away')
    },
    onChange: (event: { target: { value: string } }) => onText(event.target.value),
  }
  if (place.field === 'operator')
    return (
      <select {...shared} data-cell={`${place.rowNumber} ${place.field}`}>
        {/* The file's own text, which may be a name, remains a choice. */}
        {!isOperatorCode(initial) && <option value={initial}>{initial || t('payment.choose')}</option>}
        <OperatorOptions />
      </select>
    )
  function onPaste(event: ClipboardEvent) {
    const text = event.clipboardData.getData('text/plain')
    if (!/[\r\n\t]/.test(text.trimEnd())) return
    event.preventDefault()
    isDone.current = true
    onPasteColumn(text)
  }
  return (
    <input
      {...shared}
      type="text"
      inputMode={KEYBOARDS[place.field]}
      maxLength={BATCH_CELL_LENGTH_MAX}
      autoComplete="off"
      spellCheck={false}
      onPaste={onPaste}
    />
  )
}

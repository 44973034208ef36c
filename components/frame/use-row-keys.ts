import { useEffect, useEffectEvent, useState } from 'react'
import { announce } from '#components/ui/overlay/toast.tsx'
import { isTyping } from './keyboard.ts'

type RowKeys<Row> = {
  rows: readonly Row[]
  idOf: (row: Row) => string
  labelOf: (row: Row) => string
  /** The row in the panel; null while it is closed. */
  openId: string | null
  onOpen: (row: Row) => void
  onClose: () => void
  /** Another key without a modifier, on the current row. */
  onKey?: (key: string, row: Row) => void
}

/** Below this width the panel covers the list. */
const COVERED = '(max-width: 639px)'

/** Moves the focus to a row, so that Tab continues from there. */
function focusRow(id: string): void {
  const element = document.getElementById(`row-${id}`)
  if (!element) return
  element.tabIndex = -1
  element.focus({ preventScroll: true })
  element.scrollIntoView({ block: 'nearest' })
}

/**
 * J and K move through the rows, and with them the panel if it is open. Enter opens the row they are on, Escape closes the panel; what other
 * keys do is the list's own. Returns the current row and what the buttons of the panel do.
 */
export function useRowKeys<Row>({ rows, idOf, labelOf, openId, onOpen, onClose, onKey }: RowKeys<Row>) {
  const [movedId, setMovedId] = useState<string | null>(null)
  const currentId = openId ?? movedId
  const index = rows.findIndex((row) => idOf(row) === currentId)

  function move(by: 1 | -1, focus: 'row' | 'nothing' = 'row') {
    const row = rows[Math.min(Math.max(index < 0 ? 0 : index + by, 0), rows.length - 1)]
    if (!row) return
    setMovedId(idOf(row))
    announce(labelOf(row))
    if (openId !== null) onOpen(row)
    if (focus === 'row' && !(openId !== null && matchMedia(COVERED).matches)) focusRow(idOf(row))
  }

  function close() {
    onClose()
    if (openId === null) return
    setMovedId(openId)
    focusRow(openId)
  }

  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (document.querySelector('dialog[open], [popover]:popover-open')) return
    // Escape in a field of the panel closes it; in the search field it does not.
    const isInPanel = event.target instanceof Element && event.target.closest('aside') !== null
    if (event.key === 'Escape' && openId !== null && (isInPanel || !isTyping(event))) return close()
    if (isTyping(event) || event.shiftKey) return
    const row = rows[index]
    const isOnControl = event.target instanceof Element && event.target.closest('a, button, summary, aside') !== null
    if (event.key === 'j') move(1)
    else if (event.key === 'k') move(-1)
    else if (event.key === 'Enter') {
      if (row && !isOnControl) onOpen(row)
    } else if (row) onKey?.(event.key, row)
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKeyDown(event)
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
  return { currentId, index, move, close }
}

'use client'

import { useEffect, useState } from 'react'
import { isTyping } from '#components/frame/is-typing.ts'
import { announce } from '#components/ui/toast.tsx'

type RowKeys<Row> = {
  rows: readonly Row[]
  idOf: (row: Row) => string
  labelOf: (row: Row) => string
  onOpen: (row: Row) => void
  onSelect?: (row: Row) => void
}

/** J and K move through the rows, Enter opens the row they are on, X selects it. Returns the id of that row. */
export function useRowKeys<Row>({ rows, idOf, labelOf, onOpen, onSelect }: RowKeys<Row>): string | null {
  const [currentId, setCurrentId] = useState<string | null>(null)
  useEffect(() => {
    function moveTo(place: number) {
      const row = rows[Math.min(Math.max(place, 0), rows.length - 1)]
      if (!row) return
      setCurrentId(idOf(row))
      announce(labelOf(row))
      document.getElementById(`row-${idOf(row)}`)?.scrollIntoView({ block: 'nearest' })
    }
    function onKeyDown(event: KeyboardEvent) {
      if (isTyping(event) || event.shiftKey || document.querySelector('dialog[open], [popover]:popover-open')) return
      const place = rows.findIndex((row) => idOf(row) === currentId)
      const row = rows[place]
      const isOnControl = document.activeElement?.closest('a, button, summary') ?? false
      if (event.key === 'j') moveTo(place + 1)
      else if (event.key === 'k') moveTo(place < 0 ? 0 : place - 1)
      else if (event.key === 'x' && row) onSelect?.(row)
      else if (event.key === 'Enter' && row && !isOnControl) onOpen(row)
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [rows, idOf, labelOf, onOpen, onSelect, currentId])
  return currentId
}

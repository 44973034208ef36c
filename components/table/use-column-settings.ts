'use client'

import { useState } from 'react'
import { type ColumnSettings, columnCookieName, fitColumnSettings, writeColumnSettings } from '#lib/column-settings.ts'

const YEAR_S = 365 * 24 * 60 * 60

/**
 * The column settings of one table. `remembered` is what the server read from the cookie, so that the first
 * paint is already right; a change is kept in the cookie at once. Null goes back to the usual columns.
 */
export function useColumnSettings(
  table: string,
  columnIds: readonly string[],
  remembered: ColumnSettings | undefined,
  hiddenAtFirst: readonly string[] = [],
) {
  const [settings, setSettings] = useState(() => fitColumnSettings(remembered, columnIds, hiddenAtFirst))
  function change(next: ColumnSettings | null) {
    setSettings(fitColumnSettings(next ?? undefined, columnIds, hiddenAtFirst))
    // biome-ignore lint/suspicious/noDocumentCookie: the server must know it at the next render; the Cookie Store is not everywhere
    document.cookie = `${columnCookieName(table)}=${next ? writeColumnSettings(next) : ''}; path=/; max-age=${next ? YEAR_S : 0}; samesite=lax`
  }
  return [settings, change] as const
}

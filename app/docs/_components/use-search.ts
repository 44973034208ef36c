'use client'

import '#components/form/zod-without-eval.ts'
import { type RefObject, useEffect, useState } from 'react'
import { paths } from '#lib/paths.ts'
import type { SearchEntry } from '#lib/reference.ts'
import { searchIndexSchema } from '#lib/schemas/search-index.ts'

const RESULTS_MAX = 12

/** The best matches: every word of the text is in the entry, and those that begin a title come first. */
function search(entries: readonly SearchEntry[], text: string): SearchEntry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const scored = entries.flatMap((entry, place) => {
    const title = entry.title.toLowerCase()
    const all = `${title} ${entry.where.toLowerCase()}`
    if (!words.every((word) => all.includes(word))) return []
    const first = words[0] ?? ''
    const score = title === text.toLowerCase().trim() ? 0 : title.startsWith(first) ? 1 : title.includes(first) ? 2 : 3
    return [{ entry, score, place }]
  })
  scored.sort((left, right) => left.score - right.score || left.place - right.place)
  return scored.slice(0, RESULTS_MAX).map(({ entry }) => entry)
}

type Search = { state: 'unloaded' | 'failed' | 'ready'; results: SearchEntry[]; load: () => void }

/** What the reference has for a text. The index is loaded when `load` is first called, and again after a failure. */
export function useSearch(text: string): Search {
  const [entries, setEntries] = useState<readonly SearchEntry[] | 'failed'>()
  async function load() {
    if (typeof entries === 'object') return
    // biome-ignore lint/plugin/no-silent-error: without a connection the page says so, and the next key tries again.
    const response = await fetch(paths.docsSearch()).catch(() => undefined)
    // biome-ignore lint/plugin/no-silent-error: anything else than the index, such as the page of a proxy, is a failure too.
    const json: unknown = response?.ok ? await response.json().catch(() => undefined) : undefined
    setEntries(searchIndexSchema.safeParse(json).data ?? 'failed')
  }
  const results = typeof entries === 'object' && text.trim() !== '' ? search(entries, text) : []
  return { state: entries === undefined ? 'unloaded' : entries === 'failed' ? 'failed' : 'ready', results, load: () => void load() }
}

/** `/` leads to the field, unless somebody is typing. */
export function useSlashKey(input: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select, [contenteditable]')
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      input.current?.focus()
    }
    document.addEventListener('keydown', focus)
    return () => document.removeEventListener('keydown', focus)
  }, [input])
}

'use client'

import { type KeyboardEvent as ReactKeyboardEvent, type RefObject, useEffect, useId, useRef, useState } from 'react'
import { Icon } from '#components/ui/display/icon.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { SearchEntry } from '#lib/partner/search-index.ts'

/** The search of the reference: operations, fields, guides, errors, operators, outcomes of the sandbox. */
export function SearchBox() {
  const t = useT()
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [isOpen, setIsOpen] = useState(false)
  const [active, setActive] = useState(0)
  const { state, results, load } = useSearch(text)
  useSlashKey(input)
  const isShown = isOpen && text.trim() !== '' && state !== 'unloaded'
  const hasResults = isShown && results.length > 0

  function go(entry: SearchEntry | undefined) {
    if (!entry) return
    setIsOpen(false)
    setText('')
    input.current?.blur()
    // Not by the router: a place is marked by `:target`, which a page that is replaced by script does not update.
    location.assign(entry.href)
  }

  function press(event: ReactKeyboardEvent) {
    if (event.key === 'Escape') setIsOpen(false)
    else if (event.key === 'Enter') go(results[active])
    else if (event.key === 'ArrowDown') setActive(Math.min(active + 1, results.length - 1))
    else if (event.key === 'ArrowUp') setActive(Math.max(active - 1, 0))
    else return
    event.preventDefault()
  }

  function type(typed: string) {
    setText(typed)
    setActive(0)
    setIsOpen(true)
    load()
  }

  return (
    <search className="relative min-w-0 flex-1 sm:max-w-80">
      <Icon name="search" className="pointer-events-none absolute inset-y-0 left-2.5 my-auto size-4 text-ink-3" />
      <input
        ref={input}
        type="search"
        role="combobox"
        aria-label={t('docs.search')}
        aria-expanded={hasResults}
        aria-controls={hasResults ? `${id}-results` : undefined}
        aria-autocomplete="list"
        aria-activedescendant={hasResults ? `${id}-${active}` : undefined}
        aria-keyshortcuts="/"
        placeholder={t('docs.search')}
        value={text}
        onFocus={load}
        onBlur={() => setIsOpen(false)}
        onChange={(event) => type(event.target.value)}
        onKeyDown={press}
        className="h-8 w-full rounded-sm border border-line-2 bg-surface pr-2 pl-8 text-work text-ink touch-target"
      />
      <div
        className={`absolute top-full right-0 z-50 mt-1.5 max-h-[70dvh] w-[min(440px,calc(100vw-32px))] overflow-y-auto rounded-md border border-line bg-surface p-1.5 shadow-float sm:right-auto sm:left-0 ${isShown ? '' : 'hidden'}`}
      >
        <p role="status" className={hasResults ? 'sr-only' : 'px-2.5 py-1.5 text-ink-2'}>
          {state === 'failed' && t('docs.searchFailed')}
          {state === 'ready' && isShown && (hasResults ? t('docs.results', { count: results.length }) : t('docs.searchNone', { text }))}
        </p>
        {hasResults && <SearchResults id={id} results={results} active={active} onPoint={setActive} onChoose={go} />}
      </div>
    </search>
  )
}

type Props = {
  id: string
  results: readonly SearchEntry[]
  active: number
  onPoint: (index: number) => void
  onChoose: (entry: SearchEntry) => void
}

/** The results below the field. The keys are those of the field, which keeps the focus. */
function SearchResults({ id, results, active, onPoint, onChoose }: Props) {
  const t = useT()
  return (
    <div role="listbox" id={`${id}-results`} aria-label={t('docs.search')} tabIndex={-1}>
      {results.map((entry, index) => (
        <div
          key={entry.href + entry.title}
          role="option"
          tabIndex={-1}
          id={`${id}-${index}`}
          aria-selected={index === active}
          lang={entry.lang}
          onMouseDown={(event) => {
            // Before the field loses the focus, which closes the list.
            event.preventDefault()
            onChoose(entry)
          }}
          onMouseMove={() => onPoint(index)}
          className="cursor-pointer rounded-sm px-2.5 py-1.5 aria-selected:bg-sunken"
        >
          <p className="font-medium wrap-anywhere">{entry.title}</p>
          <p className="text-second text-quiet wrap-anywhere">{entry.where}</p>
        </div>
      ))}
    </div>
  )
}

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

/** Searches the reference. The index loads on the first `load`, and again after a failure. */
function useSearch(text: string): Search {
  const [entries, setEntries] = useState<readonly SearchEntry[] | 'failed'>()
  async function load() {
    if (typeof entries === 'object') return
    // biome-ignore lint/plugin/no-silent-error: without a connection the page says so, and the next key tries again.
    const index = await import('./read-search-index.ts').then(({ readSearchIndex }) => readSearchIndex()).catch(() => undefined)
    setEntries(index ?? 'failed')
  }
  const results = typeof entries === 'object' && text.trim() !== '' ? search(entries, text) : []
  return { state: entries === undefined ? 'unloaded' : entries === 'failed' ? 'failed' : 'ready', results, load: () => void load() }
}

/** `/` leads to the field, unless somebody is typing. */
function useSlashKey(input: RefObject<HTMLInputElement | null>): void {
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

'use client'

import { type KeyboardEvent, useId, useRef, useState } from 'react'
import { Icon } from '#components/ui/icon.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { SearchEntry } from '#lib/reference.ts'
import { SearchResults } from './search-results.tsx'
import { useSearch, useSlashKey } from './use-search.ts'

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

  function press(event: KeyboardEvent) {
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

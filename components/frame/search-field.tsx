'use client'

import { lazy, Suspense, useLayoutEffect, useRef, useState } from 'react'
import type { SuggestionKeys } from './keyboard.ts'

// biome-ignore lint/plugin/no-silent-error: Without them, for example offline, the field is still a form.
const SuggestionList = lazy(() => import('./suggestion-list.tsx').catch(() => ({ default: () => null })))

/**
 * The input of the search box. Without a script it is a field of a form; with one, suggestions appear below it while somebody types. Their
 * code is loaded when the field is first focused.
 */
export function SearchField({
  id,
  application,
  value,
  placeholder,
}: {
  id: string
  application: string
  value: string
  placeholder: string
}) {
  const [typed, setTyped] = useState(value)
  const [isOpen, setIsOpen] = useState(false)
  const [activeId, setActiveId] = useState<string>()
  const keys = useRef<SuggestionKeys>(undefined)
  const field = useRef<HTMLInputElement>(null)
  // Text typed before the script arrived, which React would replace at the next rendering.
  useLayoutEffect(() => {
    if (field.current) setTyped(field.current.value)
  }, [])
  const close = () => {
    setIsOpen(false)
    setActiveId(undefined)
  }
  // The page that opens has keys of its own (J, K), which must not be typed here.
  const leave = () => {
    close()
    setTyped('')
    field.current?.blur()
  }
  return (
    <>
      <input
        ref={field}
        id={id}
        name="q"
        type="search"
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={activeId}
        maxLength={200}
        value={typed}
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        dir="auto"
        onFocus={() => setIsOpen(true)}
        onBlur={close}
        onChange={(event) => {
          setTyped(event.target.value)
          setIsOpen(true)
          setActiveId(undefined)
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return keys.current?.(event)
          // The first press closes the list and keeps the text, which a browser would clear.
          if (isOpen) event.preventDefault()
          close()
        }}
        className="h-8 w-full rounded-sm border border-line-2 bg-surface pr-9 pl-2.5 touch-target"
      />
      <Suspense>
        {isOpen && (
          <SuggestionList
            id={`${id}-list`}
            application={application}
            typed={typed.trim()}
            keys={keys}
            activeId={activeId}
            onActive={setActiveId}
            onOpened={leave}
          />
        )}
      </Suspense>
    </>
  )
}

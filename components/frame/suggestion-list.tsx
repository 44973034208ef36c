import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type RefObject, useEffect } from 'react'
import { SuggestionLine } from '#components/domain/suggestion-line.tsx'
import { useT } from '#components/ui/translations.tsx'
import { usePaused } from '#components/ui/use-paused.ts'
import { useRouter } from '#components/ui/use-router.ts'
import { queries } from '#lib/pages/queries.ts'
import { type SearchSuggestion, suggestionAddress, suggestionKey } from '#lib/payments/search-suggestion.ts'
import type { SuggestionKeys } from './keyboard.ts'

const TYPED_MIN = 2
/** A pause between two keys, so that a word typed quickly is one request. */
const PAUSE_MS = 80

type Props = {
  id: string
  application: string
  typed: string
  keys: RefObject<SuggestionKeys | undefined>
  activeId: string | undefined
  onActive(id: string | undefined): void
  /** A suggestion was opened. */
  onOpened(): void
}

/** Suggestions for the text in the search box. Arrow keys choose, Enter opens; without a choice Enter submits the form. */
export default function SuggestionList({ id, application, typed, keys, activeId, onActive, onOpened }: Props) {
  const t = useT()
  const router = useRouter()
  const text = usePaused(typed, PAUSE_MS)
  const { data, isFetching, isError } = useQuery({
    ...queries.suggestions(application, text),
    enabled: text.length >= TYPED_MIN,
    placeholderData: keepPreviousData,
  })
  const found = typed.length < TYPED_MIN ? [] : (data ?? [])
  const open = (suggestion: SearchSuggestion) => {
    onOpened()
    router.push(suggestionAddress(application, suggestion))
  }
  useEffect(() => {
    keys.current = (event) => {
      const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
      const at = found.findIndex((_, index) => `${id}-${index}` === activeId)
      const chosen = found[at]
      if (event.key === 'Enter' && chosen) {
        event.preventDefault()
        open(chosen)
      } else if (step !== 0 && found.length > 0) {
        event.preventDefault()
        const next = at < 0 && step < 0 ? found.length - 1 : (at + step + found.length) % found.length
        onActive(`${id}-${next}`)
      }
    }
    return () => {
      keys.current = undefined
    }
  })
  if (typed.length < TYPED_MIN || (data === undefined && !isError)) return null
  const isSettled = !isFetching && text === typed
  return (
    <div className="absolute inset-x-0 top-full z-40 mt-1.5 max-h-[70dvh] overflow-y-auto rounded-md border border-line bg-surface p-1.5 shadow-float md:left-auto md:w-[420px]">
      <div id={id} role="listbox" aria-label={t('frame.suggestions')}>
        {found.map((suggestion, index) => (
          <div
            key={suggestionKey(suggestion)}
            id={`${id}-${index}`}
            role="option"
            aria-selected={activeId === `${id}-${index}`}
            tabIndex={-1}
            // The press must not take the focus from the field: that would close the list before the click arrives.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => open(suggestion)}
            onKeyDown={() => undefined}
            className="cursor-pointer rounded-sm px-2.5 py-1.5 hover:bg-sunken aria-selected:bg-sunken touch-target"
          >
            <SuggestionLine suggestion={suggestion} />
          </div>
        ))}
      </div>
      <p role="status" className="px-2.5 py-1 text-second text-quiet">
        {isError ? t('frame.suggestionsFailed') : found.length > 0 ? t('frame.suggestionsHint') : isSettled ? t('frame.noSuggestion') : ''}
      </p>
    </div>
  )
}

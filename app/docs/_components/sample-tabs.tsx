'use client'

import { type KeyboardEvent, type ReactNode, useId, useSyncExternalStore } from 'react'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { useT } from '#components/ui/translations.tsx'
import { SAMPLE_COOKIE, SAMPLE_LANGUAGES, SAMPLE_TITLES, type SampleLanguage, type Samples } from '#lib/partner/reference.ts'

const YEAR_S = 365 * 24 * 60 * 60

let chosen: SampleLanguage | undefined
const listeners = new Set<() => void>()

/** Chooses the language of every example of this page, and of the next pages in this browser. */
function choose(language: SampleLanguage): void {
  chosen = language
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser; the value is one of four words.
  document.cookie = `${SAMPLE_COOKIE}=${language}; path=/docs; max-age=${YEAR_S}; samesite=lax`
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

type Props = { title: string; sources: Samples; panels: Record<SampleLanguage, ReactNode>; initial: SampleLanguage }

/** The same example in each language, one at a time. The server renders the language that this browser chose last. */
export function SampleTabs({ title, sources, panels, initial }: Props) {
  const t = useT()
  const id = useId()
  const current = useSyncExternalStore(
    subscribe,
    () => chosen ?? initial,
    () => initial,
  )
  function move(event: KeyboardEvent<HTMLButtonElement>, language: SampleLanguage) {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    const place = (SAMPLE_LANGUAGES.indexOf(language) + step + SAMPLE_LANGUAGES.length) % SAMPLE_LANGUAGES.length
    const next = SAMPLE_LANGUAGES[place] ?? language
    choose(next)
    document.getElementById(`${id}-${next}`)?.focus()
  }
  return (
    <section aria-label={title} className="overflow-hidden rounded-md border border-line bg-sunken">
      <div className="flex min-h-9 items-center justify-between gap-2 border-b border-line pr-2">
        <div role="tablist" aria-label={t('docs.samples')} className="flex overflow-x-auto">
          {SAMPLE_LANGUAGES.map((language) => (
            <button
              key={language}
              type="button"
              role="tab"
              id={`${id}-${language}`}
              aria-selected={language === current}
              aria-controls={`${id}-panel-${language}`}
              tabIndex={language === current ? 0 : -1}
              onClick={() => choose(language)}
              onKeyDown={(event) => move(event, language)}
              className="h-9 border-b-2 border-transparent px-3 text-second font-medium text-ink-2 -outline-offset-2 hover:text-ink aria-selected:border-accent aria-selected:text-ink touch-target"
            >
              {SAMPLE_TITLES[language]}
            </button>
          ))}
        </div>
        <CopyButton text={sources[current]} label={title} />
      </div>
      {SAMPLE_LANGUAGES.map((language) => (
        <div
          key={language}
          role="tabpanel"
          id={`${id}-panel-${language}`}
          aria-labelledby={`${id}-${language}`}
          hidden={language !== current}
        >
          {panels[language]}
        </div>
      ))}
    </section>
  )
}

'use client'

import { useT } from '#components/ui/translations.tsx'
import type { SearchEntry } from '#lib/reference.ts'

type Props = {
  id: string
  results: readonly SearchEntry[]
  active: number
  onPoint: (index: number) => void
  onChoose: (entry: SearchEntry) => void
}

/** The results below the field. The keys are those of the field, which keeps the focus. */
export function SearchResults({ id, results, active, onPoint, onChoose }: Props) {
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
          lang="en"
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

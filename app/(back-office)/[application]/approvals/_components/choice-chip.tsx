'use client'

import { closePopover } from '#components/ui/close-popover.ts'
import { FilterChip } from '#components/ui/filter-chip.tsx'
import { Link } from '#components/ui/link.tsx'
import { MENU_ITEM } from '#components/ui/popover.tsx'

type Choice = { value: string | null; label: string }

/** A filter of which one choice applies; each choice is an address. */
export function ChoiceChip({
  id,
  name,
  all,
  choices,
  chosen,
  hrefFor,
}: {
  id: string
  name: string
  all: string
  choices: readonly Choice[]
  chosen: string | null
  hrefFor: (value: string | null) => string
}) {
  const every: readonly Choice[] = [{ value: null, label: all }, ...choices]
  return (
    <FilterChip id={id} name={name} value={every.find((choice) => choice.value === chosen)?.label ?? chosen ?? all} isSet={chosen !== null}>
      <ul>
        {every.map((choice) => (
          <li key={choice.value ?? ''}>
            <Link
              href={hrefFor(choice.value)}
              scroll={false}
              aria-current={choice.value === chosen}
              className={MENU_ITEM}
              onClick={closePopover}
            >
              {choice.label}
            </Link>
          </li>
        ))}
      </ul>
    </FilterChip>
  )
}

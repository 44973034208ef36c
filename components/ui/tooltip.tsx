'use client'

import { type ReactNode, useId, useState } from 'react'

/**
 * A few more words on hover and on focus. Escape hides it, the pointer may rest on it, and screen readers read it as the
 * description of what it belongs to. What a person needs in order to act never stands only here.
 */
export function Tooltip({ text, children }: { text: string; children: ReactNode }) {
  const [isHidden, setIsHidden] = useState(false)
  const id = useId()
  return (
    <span
      className="group/tip relative inline-flex"
      onPointerEnter={() => setIsHidden(false)}
      onFocus={() => setIsHidden(false)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') setIsHidden(true)
      }}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the words must be reachable without a pointer */}
      <span tabIndex={0} aria-describedby={id}>
        {children}
      </span>
      <span
        id={id}
        role="tooltip"
        className={`absolute top-full left-0 z-20 hidden w-max max-w-64 rounded-sm bg-ink px-2 py-1 text-second text-paper ${isHidden ? '' : 'group-focus-within/tip:block group-hover/tip:block'}`}
      >
        {text}
      </span>
    </span>
  )
}

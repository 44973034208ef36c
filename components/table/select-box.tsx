'use client'

import type { MouseEvent } from 'react'

type SelectBoxProps = {
  label: string
  isChecked: boolean
  isMixed?: boolean
  onClick: (event: MouseEvent<HTMLInputElement>) => void
}

/** The checkbox of a row or of the page. Handles the click event, because Shift selects a range. */
export function SelectBox({ label, isChecked, isMixed = false, onClick }: SelectBoxProps) {
  return (
    <label className="inline-flex size-6 cursor-pointer items-center justify-center">
      <input
        type="checkbox"
        aria-label={label}
        checked={isChecked}
        onClick={onClick}
        // The click handler does the work; React requires onChange for a controlled checkbox.
        onChange={() => undefined}
        ref={(box) => {
          if (box) box.indeterminate = isMixed && !isChecked
        }}
        className="size-[15px] cursor-pointer rounded-[4px] accent-accent"
      />
    </label>
  )
}

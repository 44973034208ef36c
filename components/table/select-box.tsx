'use client'

import type { MouseEvent } from 'react'

type SelectBoxProps = {
  label: string
  isChecked: boolean
  isMixed?: boolean
  isDisabled?: boolean
  onClick: (event: MouseEvent<HTMLInputElement>) => void
}

/** The box of a row or of the whole page. Listens to the click, which knows about Shift: with it a range is selected. */
export function SelectBox({ label, isChecked, isMixed = false, isDisabled = false, onClick }: SelectBoxProps) {
  return (
    <label className="inline-flex size-6 cursor-pointer items-center justify-center">
      <input
        type="checkbox"
        aria-label={label}
        checked={isChecked}
        disabled={isDisabled}
        onClick={onClick}
        // The click has done it; React only wants to know that the value is ours.
        onChange={() => undefined}
        ref={(box) => {
          if (box) box.indeterminate = isMixed && !isChecked
        }}
        className="size-[15px] cursor-pointer rounded-[4px] accent-accent"
      />
    </label>
  )
}

import type { SyntheticEvent } from 'react'

/** Closes the menu that an element is in, where the page stays after it was used. */
export function closePopover(event: SyntheticEvent<HTMLElement>): void {
  event.currentTarget.closest<HTMLElement>('[popover]')?.hidePopover()
}

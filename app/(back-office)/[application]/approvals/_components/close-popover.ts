/** Closes the popover that something inside it was pressed in. */
export function closePopover(inside: Element): void {
  inside.closest<HTMLElement>('[popover]')?.hidePopover()
}

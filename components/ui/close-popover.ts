/** Closes the menu or filter in which something was pressed, where the page stays after it. */
export function closePopover({ currentTarget }: { currentTarget: Element }): void {
  currentTarget.closest<HTMLElement>('[popover]')?.hidePopover()
}

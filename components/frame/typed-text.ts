/** A search is in the address, and a box of a filter is pressed again. */
const NOT_TYPED = ['search', 'checkbox', 'radio']

const touched = new Set<HTMLInputElement | HTMLTextAreaElement>()

function note(target: EventTarget | null): void {
  const isField = target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && !NOT_TYPED.includes(target.type))
  if (isField) touched.add(target)
}

function onInput({ target }: Event): void {
  note(target)
}

/** Notes in which fields of the page somebody types. Returns the function that stops it. */
export function watchTyping(): () => void {
  // Somebody may have begun before this script was loaded.
  note(document.activeElement)
  addEventListener('input', onInput, true)
  return () => removeEventListener('input', onInput, true)
}

/** Returns whether the page shows text that somebody typed and that leaving the page would lose. */
export function hasTypedText(): boolean {
  for (const field of touched) if (!field.isConnected) touched.delete(field)
  return [...touched].some(({ value }) => value !== '')
}

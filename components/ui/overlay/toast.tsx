/** The next step, offered as a button in the toast. */
type ToastAction = { label: string; onPress: () => void }
export type Toast = { id: number; text: string; tone: 'neutral' | 'bad'; action: ToastAction | undefined }

const SHOWN_MS = 6_000
let toasts: readonly Toast[] = []
let lastId = 0
let spoken = ''
const listeners = new Set<() => void>()

function publish(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

/** Calls the listener after every change, until the returned function is called. */
export function subscribeToToasts(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Tells what was done, at the foot of the page and to screen readers. Gone after six seconds, or when the next one comes; the last problem
 * stays until it is dismissed. A step is offered only by the newest toast: that of an earlier one may no longer be possible.
 */
export function toast(text: string, tone: Toast['tone'] = 'neutral', action?: ToastAction): void {
  const id = ++lastId
  spoken = text
  const problems = tone === 'bad' ? [] : toasts.filter((each) => each.tone === 'bad').map((each) => ({ ...each, action: undefined }))
  publish([...problems, { id, text, tone, action }])
  if (tone === 'neutral') setTimeout(() => dismiss(id), SHOWN_MS)
}

/** Tells screen readers something that the eye sees anyway: the row moved to, what was selected. */
export function announce(text: string): void {
  // The same words twice in a row are heard twice only if they differ.
  spoken = text === spoken ? `${text}\u00a0` : text
  publish([...toasts])
}

/** Takes a toast away. */
export function dismiss(id: number): void {
  publish(toasts.filter((toast) => toast.id !== id))
}

/** The toasts that are shown, oldest first. */
export function currentToasts(): readonly Toast[] {
  return toasts
}

/** The text last announced to screen readers. */
export function spokenText(): string {
  return spoken
}

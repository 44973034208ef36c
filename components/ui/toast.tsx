'use client'

import { useSyncExternalStore } from 'react'
import { Icon } from './icon.tsx'
import { useT } from './translations.tsx'

/** What may be done next, on a button in the toast. */
type ToastAction = { label: string; onPress: () => void }
type Toast = { id: number; text: string; tone: 'neutral' | 'bad'; action: ToastAction | undefined }

const ZERO_SUMS: readonly Toast[] = []
const SHOWN_MS = 6_000
let toasts: readonly Toast[] = ZERO_SUMS
let lastId = 0
let spoken = ''
const listeners = new Set<() => void>()

function publish(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Tells what was done, at the foot of the page and to screen readers. Gone after six seconds; problems stay until dismissed. */
export function toast(text: string, tone: Toast['tone'] = 'neutral', action?: ToastAction): void {
  const id = ++lastId
  spoken = text
  publish([...toasts.slice(-2), { id, text, tone, action }])
  if (tone === 'neutral') setTimeout(() => dismiss(id), SHOWN_MS)
}

/** Tells screen readers something that the eye sees anyway: the row moved to, what was selected. */
export function announce(text: string): void {
  // The same words twice in a row are heard twice only if they differ.
  spoken = text === spoken ? `${text}\u00a0` : text
  publish([...toasts])
}

function dismiss(id: number): void {
  publish(toasts.filter((toast) => toast.id !== id))
}

/** Once per page: where toasts appear and what screen readers listen to. */
export function Toaster() {
  const t = useT()
  const shown = useSyncExternalStore(
    subscribe,
    () => toasts,
    () => ZERO_SUMS,
  )
  const words = useSyncExternalStore(
    subscribe,
    () => spoken,
    () => '',
  )
  return (
    <>
      <div role="status" aria-live="polite" className="sr-only">
        {words}
      </div>
      <section aria-label={t('ui.notices')}>
        <ul className="no-print pointer-events-none toasts fixed inset-x-4 bottom-20 z-50 flex flex-col items-center gap-2 md:bottom-6">
          {shown.map((item) => (
            <li
              key={item.id}
              className={`pointer-events-auto flex max-w-lg items-center gap-3 rounded-md border px-3.5 py-2 shadow-float ${item.tone === 'bad' ? 'border-bad bg-surface text-bad' : 'border-ink bg-ink text-paper'}`}
            >
              <span>{item.text}</span>
              {item.action && (
                <button
                  type="button"
                  onClick={() => {
                    dismiss(item.id)
                    item.action?.onPress()
                  }}
                  className="text-left font-strong underline"
                >
                  {item.action.label}
                </button>
              )}
              <button
                type="button"
                aria-label={t('ui.dismiss')}
                onClick={() => dismiss(item.id)}
                className="-mr-1.5 flex size-6 items-center justify-center rounded-sm"
              >
                <Icon name="close" className="size-3.5" />
              </button>
            </li>
          ))}
        </ul>
      </section>
    </>
  )
}

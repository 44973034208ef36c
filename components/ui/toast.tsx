'use client'

import { useSyncExternalStore } from 'react'
import { Icon } from './icon.tsx'
import { useT } from './translations.tsx'

type Toast = { id: number; text: string; tone: 'neutral' | 'bad' }

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

/** Shows a message at the bottom of the page and announces it. Disappears after six seconds; problems remain until dismissed. */
export function toast(text: string, tone: Toast['tone'] = 'neutral'): void {
  const id = ++lastId
  spoken = text
  publish([...toasts.slice(-2), { id, text, tone }])
  if (tone === 'neutral') setTimeout(() => dismiss(id), SHOWN_MS)
}

/** Announces to screen readers what is visible otherwise: the current row, the selection. */
export function announce(text: string): void {
  // Screen readers announce a repeated text only if it differs.
  spoken = text === spoken ? `${text}\u00a0` : text
  publish([...toasts])
}

function dismiss(id: number): void {
  publish(toasts.filter((toast) => toast.id !== id))
}

/** The region of toasts and announcements. Used once per page. */
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
        <ul className="no-print pointer-events-none fixed inset-x-4 bottom-20 z-40 flex flex-col items-center gap-2 md:bottom-6">
          {shown.map((item) => (
            <li
              key={item.id}
              className={`pointer-events-auto flex max-w-lg items-center gap-3 rounded-md border px-3.5 py-2 shadow-float ${item.tone === 'bad' ? 'border-bad bg-surface text-bad' : 'border-ink bg-ink text-paper'}`}
            >
              <span>{item.text}</span>
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

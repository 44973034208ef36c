import { type ReactNode, useSyncExternalStore } from 'react'
import { Icon } from '../display/icon.tsx'
import { useT } from '../translations.tsx'
import { currentToasts, dismiss, spokenText, subscribeToToasts, type Toast } from './toast.tsx'

const NO_TOASTS: readonly Toast[] = []

/**
 * Once per page: where toasts appear and what screen readers listen to. A toast from before it was loaded appears with it. `children`: items
 * that stay until somebody acts, above the toasts.
 */
export function Toaster({ children }: { children?: ReactNode }) {
  const t = useT()
  const shown = useSyncExternalStore(subscribeToToasts, currentToasts, () => NO_TOASTS)
  const words = useSyncExternalStore(subscribeToToasts, spokenText, () => '')
  return (
    <>
      <div role="status" aria-live="polite" className="sr-only">
        {words}
      </div>
      <section aria-label={t('ui.notices')}>
        <ul className="no-print pointer-events-none toasts fixed inset-x-4 bottom-20 z-50 flex flex-col items-center gap-2 md:bottom-6">
          {children}
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

'use client'

import { type ReactNode, useEffect, useRef } from 'react'
import { useT } from '#components/ui/translations.tsx'
import { PanelButton } from './panel-buttons.tsx'

type SidePanelProps = {
  /** The accessible name. */
  label: string
  /** Left of the close button, always in sight. */
  head: ReactNode
  onClose: () => void
  /** What is shown: the panel scrolls to its top when this changes. */
  contentKey: string
  children: ReactNode
}

/**
 * The details of a row over the side of its list, on a phone over all of it. Not modal: the list and its keys keep working. It takes the
 * focus when it opens; who closes it decides where the focus goes.
 */
export function SidePanel({ label, head, onClose, contentKey, children }: SidePanelProps) {
  const t = useT()
  const element = useRef<HTMLElement>(null)
  useEffect(() => element.current?.focus({ preventScroll: true }), [])
  return (
    <aside
      ref={element}
      tabIndex={-1}
      aria-label={label}
      className="no-print fixed inset-0 z-40 flex flex-col bg-surface shadow-float outline-none! sm:left-auto sm:w-[460px] sm:border-l sm:border-line"
    >
      <header className="flex items-center gap-1 border-b border-line py-2 pr-2.5 pl-4.5">
        {head}
        <PanelButton icon="close" label={t('ui.close')} onPress={onClose} />
      </header>
      <div
        key={contentKey}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain p-4.5 -outline-offset-2!"
      >
        {children}
      </div>
    </aside>
  )
}

import { type ReactNode, useEffect, useRef } from 'react'
import { Icon, type IconName } from '#components/ui/display/icon.tsx'
import { useT } from '#components/ui/translations.tsx'

type SidePanelProps = {
  /** The accessible name. */
  label: string
  /** Left of the close button, always in sight. */
  head: ReactNode
  onClose: () => void
  /** Identifies the content: the panel scrolls to its top when this changes. */
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

type PanelButtonProps = { icon: IconName; label: string; isDisabled?: boolean; onPress: () => void }

/** A button with an icon in the head of a panel beside a list. */
export function PanelButton({ icon, label, isDisabled = false, onPress }: PanelButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      disabled={isDisabled}
      onClick={onPress}
      className="flex size-8 shrink-0 items-center justify-center rounded-sm text-ink-2 hover:bg-sunken disabled:opacity-40 pointer-coarse:size-11"
    >
      <Icon name={icon} />
    </button>
  )
}

/** The position of the panel's row in the list, and the ways to the rows before and after it. */
export function PanelSteps({ index, total, onMove }: { index: number; total: number; onMove: (by: 1 | -1) => void }) {
  const t = useT()
  return (
    <>
      <span className="text-second whitespace-nowrap text-quiet tabular">{t('table.position', { position: index + 1, total })}</span>
      <PanelButton icon="chevron-left" label={t('table.previousRow')} isDisabled={index <= 0} onPress={() => onMove(-1)} />
      <PanelButton icon="chevron-right" label={t('table.nextRow')} isDisabled={index >= total - 1} onPress={() => onMove(1)} />
    </>
  )
}

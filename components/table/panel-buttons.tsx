'use client'

import { Icon, type IconName } from '#components/ui/icon.tsx'
import { useT } from '#components/ui/translations.tsx'

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

'use client'

import { Icon } from '#components/ui/icon.tsx'
import { MENU_ITEM } from '#components/ui/popover.tsx'
import { useT } from '#components/ui/translations.tsx'

/** Opens the list of keyboard shortcuts from the account menu. */
export function HelpButton({ menuId }: { menuId: string }) {
  const t = useT()
  return (
    <button
      type="button"
      popoverTarget={menuId}
      popoverTargetAction="hide"
      className={MENU_ITEM}
      onClick={() => dispatchEvent(new Event('countersign:help'))}
    >
      <Icon name="keyboard" className="size-4 text-ink-3" />
      {t('keys.open')}
    </button>
  )
}

'use client'

import { Dialog } from '#components/ui/dialog.tsx'
import { Kbd } from '#components/ui/kbd.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { MessageKey } from '#lib/i18n/translate.ts'

const GROUPS: readonly { heading: MessageKey; keys: readonly { keys: readonly string[]; does: MessageKey }[] }[] = [
  {
    heading: 'keys.anywhere',
    keys: [
      { keys: ['/'], does: 'keys.search' },
      { keys: ['G', 'O'], does: 'keys.goOverview' },
      { keys: ['G', 'T'], does: 'keys.goTransactions' },
      { keys: ['G', 'A'], does: 'keys.goApprovals' },
      { keys: ['G', 'F'], does: 'keys.goBatches' },
      { keys: ['G', 'S'], does: 'keys.goTotals' },
      { keys: ['G', 'B'], does: 'keys.goBalances' },
      { keys: ['Esc'], does: 'keys.escape' },
      { keys: ['?'], does: 'keys.help' },
    ],
  },
  {
    heading: 'keys.lists',
    keys: [
      { keys: ['J'], does: 'keys.next' },
      { keys: ['K'], does: 'keys.previous' },
      { keys: ['Enter'], does: 'keys.openRow' },
      { keys: ['X'], does: 'keys.select' },
    ],
  },
  {
    heading: 'keys.approvals',
    keys: [
      { keys: ['V'], does: 'keys.validate' },
      { keys: ['R'], does: 'keys.reject' },
    ],
  },
]

/** The keyboard shortcuts in a dialog. */
export function KeyboardHelp({ onClose }: { onClose: () => void }) {
  const t = useT()
  return (
    <Dialog title={t('keys.title')} onClose={onClose}>
      <div className="grid gap-5 sm:grid-cols-2">
        {GROUPS.map((group) => (
          <section key={group.heading} className="first:row-span-2">
            <h3 className="pb-2 text-second font-regular text-quiet">{t(group.heading)}</h3>
            <dl className="grid gap-2">
              {group.keys.map((line) => (
                <div key={line.does} className="flex items-center justify-between gap-4">
                  <dt>{t(line.does)}</dt>
                  <dd className="flex items-center gap-1 text-second text-quiet">
                    {line.keys.map((key, index) => (
                      <span key={key} className="flex items-center gap-1">
                        {index > 0 && t('keys.then')}
                        <Kbd>{key}</Kbd>
                      </span>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}

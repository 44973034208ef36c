import { useEffect, useState, useTransition } from 'react'
import { Kbd } from '#components/ui/display/badge.tsx'
import { Dialog } from '#components/ui/overlay/dialog.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import type { MessageKey } from '#lib/i18n/translate.ts'
import { isTyping } from '../keyboard.ts'

const SECOND_KEY_MS = 1_200

/** The keys that work on every page: `/` search, `?` help, G and a letter to go somewhere (`places`: letter to address). */
export function Shortcuts({ places, searchId }: { places: Readonly<Record<string, string>>; searchId: string }) {
  const router = useRouter()
  const [isHelpOpen, setIsHelpOpen] = useState(false)
  const [isLeaving, startTransition] = useTransition()
  useEffect(() => {
    let goingSinceMs = 0
    function onKeyDown(event: KeyboardEvent) {
      if (isTyping(event) || document.querySelector('dialog[open]')) return
      if (event.key === '/') {
        event.preventDefault()
        document.getElementById(searchId)?.focus()
      } else if (event.key === '?') {
        event.preventDefault()
        setIsHelpOpen(true)
      } else if (event.key === 'g') {
        goingSinceMs = Date.now()
        return
      } else if (Date.now() - goingSinceMs < SECOND_KEY_MS) {
        const place = places[event.key]
        if (place) startTransition(() => router.push(place))
      }
      goingSinceMs = 0
    }
    // The button of the account menu, which the server rendered without a script of its own.
    function onClick({ target }: MouseEvent) {
      if (target instanceof Element && target.closest('[data-keyboard-help]')) setIsHelpOpen(true)
    }
    addEventListener('keydown', onKeyDown)
    addEventListener('click', onClick)
    return () => {
      removeEventListener('keydown', onKeyDown)
      removeEventListener('click', onClick)
    }
  }, [places, router, searchId])
  return (
    <>
      {isLeaving && <span data-leaving hidden />}
      {isHelpOpen && <KeyboardHelp onClose={() => setIsHelpOpen(false)} />}
    </>
  )
}

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
function KeyboardHelp({ onClose }: { onClose: () => void }) {
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

import { type ComponentType, useEffect, useState, useTransition } from 'react'
import { Kbd } from '#components/ui/display/badge.tsx'
import { Dialog } from '#components/ui/overlay/dialog.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import type { MessageKey } from '#lib/i18n/translate.ts'
import type { PageLink } from '#lib/pages/palette.ts'
import { isTyping } from '../keyboard.ts'
import type { PaletteProps } from './command-palette.tsx'

const SECOND_KEY_MS = 1_200

// biome-ignore lint/plugin/no-silent-error: offline there is nothing to open: the next press loads it again.
const loadPalette = () => import('./command-palette.tsx').catch(() => undefined)

export type ShortcutsProps = { application: string; pages: readonly PageLink[]; mayPay: boolean; searchId: string }

/** The keys that work on every page: Ctrl K (⌘ K) everything, `/` search, `?` help, G and the letter of a page to go there. */
export function Shortcuts({ application, pages, mayPay, searchId }: ShortcutsProps) {
  const router = useRouter()
  const [isHelpOpen, setIsHelpOpen] = useState(false)
  const [palette, setPalette] = useState<{ Content: ComponentType<PaletteProps> }>()
  const [isLeaving, startTransition] = useTransition()
  useEffect(() => {
    let goingSinceMs = 0
    async function openPalette() {
      const loaded = await loadPalette()
      if (loaded && !document.querySelector('dialog[open]')) setPalette({ Content: loaded.CommandPalette })
    }
    function onKeyDown(event: KeyboardEvent) {
      if ((event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        if (!document.querySelector('dialog[open]')) void openPalette()
        return
      }
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
        const page = pages.find(({ key }) => key === event.key)
        if (page) startTransition(() => router.push(page.href))
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
  }, [pages, router, searchId])
  return (
    <>
      {isLeaving && <span data-leaving hidden />}
      {palette && (
        <palette.Content
          application={application}
          pages={pages}
          mayPay={mayPay}
          onOpen={(href) => startTransition(() => router.push(href))}
          onClose={() => setPalette(undefined)}
        />
      )}
      {isHelpOpen && <KeyboardHelp onClose={() => setIsHelpOpen(false)} />}
    </>
  )
}

const GROUPS: readonly { heading: MessageKey; keys: readonly { keys: readonly string[]; does: MessageKey }[] }[] = [
  {
    heading: 'keys.anywhere',
    keys: [
      { keys: ['Ctrl K'], does: 'keys.palette' },
      { keys: ['/'], does: 'keys.search' },
      { keys: ['G', 'O'], does: 'keys.goOverview' },
      { keys: ['G', 'W'], does: 'keys.goWaiting' },
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
      { keys: ['U'], does: 'keys.undo' },
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

import { useEffect, useState, useTransition } from 'react'
import { Button } from '#components/ui/button.tsx'
import { isPlainClick, isReachable, useIsReachable } from '#components/ui/link.tsx'
import { useIsOnline } from '#components/ui/online.tsx'
import { useT } from '#components/ui/translations.tsx'
import { HELD_EVENT, useRouter } from '#components/ui/use-router.ts'
import { findService, hasTypedText, keepPage, watchTyping } from './keep-page.ts'

/** Shown as busy for no longer than this: somebody may have stopped the load. */
const BUSY_MAX_MS = 10_000

/**
 * Guards links. If the service cannot be reached the page stays, with all that was typed in it, and the link, or
 * where a form or a key leads, is offered again; once it can, the link is followed unless something is typed. Every other link shows at once
 * that it was pressed.
 */
export function LinkGuard() {
  const t = useT()
  const router = useRouter()
  const isOnline = useIsOnline()
  const canOpen = useIsReachable()
  const [heldHref, setHeldHref] = useState<string>()
  const [isPending, startTransition] = useTransition()
  useEffect(watchTyping, [])
  useEffect(() => keepPage(() => router.refresh()), [router])
  useEffect(() => {
    // After the handlers of the links: what nobody prevented would load a page from the server.
    function onClick(event: MouseEvent) {
      const link = leavingLink(event)
      if (!link) return
      if (!isReachable()) {
        event.preventDefault()
        setHeldHref(link.href)
        return
      }
      // An export is a file: the page stays.
      if (link.pathname.startsWith('/api/')) return
      link.ariaBusy = 'true'
      setTimeout(() => link.removeAttribute('aria-busy'), BUSY_MAX_MS)
    }
    function onSubmit(event: SubmitEvent) {
      const href = addressOfForm(event)
      if (href === undefined || !(event.target instanceof HTMLFormElement)) return
      if (isReachable()) return showLeaving(event.target)
      event.preventDefault()
      setHeldHref(href)
    }
    const onHeld = (event: Event) => setHeldHref(event instanceof CustomEvent ? String(event.detail) : undefined)
    addEventListener('click', onClick)
    addEventListener('submit', onSubmit)
    addEventListener(HELD_EVENT, onHeld)
    return () => {
      removeEventListener('click', onClick)
      removeEventListener('submit', onSubmit)
      removeEventListener(HELD_EVENT, onHeld)
    }
  }, [])
  useEffect(() => {
    if (!canOpen || heldHref === undefined || hasTypedText()) return
    setHeldHref(undefined)
    startTransition(() => router.push(heldHref))
  }, [canOpen, heldHref, router])
  function open(href: string) {
    startTransition(async () => {
      // Asked, because somebody who presses knows more than the last attempt: their network is back.
      if (!canOpen && !(await findService())) return
      setHeldHref(undefined)
      startTransition(() => router.push(href))
    })
  }
  return (
    <div role="status" className="no-print">
      {heldHref !== undefined && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line bg-wait-soft px-4 py-2 text-wait md:px-6">
          <p className="basis-60 grow">{t(canOpen ? 'frame.heldOnline' : isOnline ? 'frame.heldLost' : 'frame.heldOffline')}</p>
          <Button size="small" disabled={!isOnline} isBusy={isPending} onClick={() => open(heldHref)}>
            {t(canOpen || !isOnline ? 'frame.heldOpen' : 'ui.retry')}
          </Button>
          <Button size="small" onClick={() => setHeldHref(undefined)}>
            {t('frame.heldStay')}
          </Button>
        </div>
      )}
    </div>
  )
}

/** Shows that the page is being left, in place of the link that shows it elsewhere. */
function showLeaving(form: HTMLFormElement): void {
  form.dataset['leaving'] = ''
  setTimeout(() => delete form.dataset['leaving'], BUSY_MAX_MS)
}

/** The address that a plain form, such as a search, leads to; undefined for any other form. */
function addressOfForm({ defaultPrevented, target }: SubmitEvent): string | undefined {
  if (defaultPrevented || !(target instanceof HTMLFormElement) || target.method !== 'get') return undefined
  const fields = [...new FormData(target)].map(([name, value]) => [name, String(value)])
  return `${target.action}?${new URLSearchParams(fields)}`
}

/** The link of a plain click that leaves this page, or undefined. */
function leavingLink(event: MouseEvent): HTMLAnchorElement | undefined {
  if (!isPlainClick(event)) return undefined
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (!link?.href || link.target || link.hasAttribute('download') || link.origin !== location.origin) return undefined
  return link.pathname === location.pathname && link.search === location.search ? undefined : link
}

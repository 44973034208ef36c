'use client'

import { usePathname } from 'next/navigation'
import { useEffect } from 'react'
import { toast } from '#components/ui/overlay/toast.tsx'
import { Toaster } from '#components/ui/overlay/toaster.tsx'
import { useT } from '#components/ui/translations.tsx'

/** Scrolls the navigation, and not the page, to the current page. */
function showCurrent(): void {
  const current = document.querySelector<HTMLElement>('aside [aria-current=page]')
  const side = current?.closest('aside')
  if (!current || !side) return
  const [inner, outer] = [current.getBoundingClientRect(), side.getBoundingClientRect()]
  if (inner.bottom > outer.bottom || inner.top < outer.top) side.scrollTop += inner.top - outer.top - outer.height / 2
}

/** Copies the address of a place in the page when somebody follows its link, and shows where the navigation is. */
export function LinkCopier() {
  const t = useT()
  const pathname = usePathname()
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each change of the page.
  useEffect(() => {
    document.getElementById('docs-contents')?.hidePopover()
    showCurrent()
  }, [pathname])
  useEffect(() => {
    const copy = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[data-place]') : null
      if (!link) return
      navigator.clipboard?.writeText(link.href).then(
        () => toast(t('docs.linkCopied')),
        // biome-ignore lint/plugin/no-silent-error: without permission the address is in the address bar all the same.
        () => undefined,
      )
    }
    document.addEventListener('click', copy)
    return () => document.removeEventListener('click', copy)
  }, [t])
  return <Toaster />
}

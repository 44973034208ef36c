'use client'

import { useEffect } from 'react'
import { toast } from '#components/ui/toast.tsx'
import { Toaster } from '#components/ui/toaster.tsx'
import { useT } from '#components/ui/translations.tsx'

/** Copies the address of a place in the page when somebody follows its link, and shows where the navigation is. */
export function LinkCopier() {
  const t = useT()
  useEffect(() => {
    document.querySelector('aside [aria-current=page]')?.scrollIntoView({ block: 'nearest' })
    const copy = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[data-place]') : null
      if (!link) return
      // Without permission the address is in the address bar all the same.
      navigator.clipboard?.writeText(link.href).then(
        () => toast(t('docs.linkCopied')),
        () => undefined,
      )
    }
    document.addEventListener('click', copy)
    return () => document.removeEventListener('click', copy)
  }, [t])
  return <Toaster />
}

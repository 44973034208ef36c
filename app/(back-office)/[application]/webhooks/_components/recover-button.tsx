'use client'

import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { definePart, LazyPart } from '#components/ui/lazy-part.tsx'
import { useT } from '#components/ui/translations.tsx'

const DIALOG = definePart(() => import('./recover-dialog.tsx'))

/** Opens the form that sends many webhooks again. */
export function RecoverButton({ application }: { application: string }) {
  const t = useT()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>{t('webhooks.recover')}</Button>
      {isOpen && <LazyPart part={DIALOG} props={{ application, onClose: () => setIsOpen(false) }} />}
    </>
  )
}

'use client'

import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { definePart, LazyPart } from '#components/ui/lazy-part.tsx'
import { useT } from '#components/ui/translations.tsx'

const DIALOG = definePart(() => import('./password-dialog.tsx'))

export function PasswordButton({ application, email }: { application: string; email: string }) {
  const t = useT()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>{t('settings.changePassword')}</Button>
      {isOpen && <LazyPart part={DIALOG} props={{ application, email, onClose: () => setIsOpen(false) }} />}
    </>
  )
}

'use client'

import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { definePart, LazyPart } from '#components/ui/lazy-part.tsx'
import { useT } from '#components/ui/translations.tsx'

const INVITE = definePart(() => import('./invite-dialog.tsx'))

/** Opens the form that proposes a new person. */
export function InviteButton({ application }: { application: string }) {
  const t = useT()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button variant="primary" onClick={() => setIsOpen(true)}>
        {t('people.invite')}
      </Button>
      {isOpen && <LazyPart part={INVITE} props={{ application, onClose: () => setIsOpen(false) }} />}
    </>
  )
}

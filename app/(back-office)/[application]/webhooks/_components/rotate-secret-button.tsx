'use client'

import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { definePart, LazyPart } from '#components/ui/lazy-part.tsx'
import { useT } from '#components/ui/translations.tsx'

const DIALOG = definePart(() => import('../../_components/changes/rotate-dialog.tsx'))
const SUBJECT = {}

/** Opens the form that proposes a new secret. */
export function RotateSecretButton({ application }: { application: string }) {
  const t = useT()
  const [isOpen, setIsOpen] = useState(false)
  const title = t('webhooks.rotateSecret')
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>{title}</Button>
      {isOpen && (
        <LazyPart
          part={DIALOG}
          props={{ application, title, kind: 'webhook_secret.rotate' as const, subject: SUBJECT, onClose: () => setIsOpen(false) }}
        />
      )}
    </>
  )
}

'use client'

import { lazy, Suspense, useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { useT } from '#components/ui/translations.tsx'

const PasswordDialog = lazy(() => import('./password-dialog.tsx'))

export function PasswordButton({ application, email }: { application: string; email: string }) {
  const t = useT()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>{t('settings.changePassword')}</Button>
      {isOpen && (
        <Suspense>
          <PasswordDialog application={application} email={email} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

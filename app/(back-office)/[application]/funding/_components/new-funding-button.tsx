'use client'

import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { definePart, LazyPart } from '#components/ui/overlay/lazy-part.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { ProposeDialogProps } from './propose-dialog.tsx'

const DIALOG = definePart(() => import('./propose-dialog.tsx'))

/** Opens the form of a funding. */
export function NewFundingButton({ application, accounts }: Omit<ProposeDialogProps, 'onClose'>) {
  const t = useT()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button variant="primary" onClick={() => setIsOpen(true)}>
        {t('funding.new')}
      </Button>
      {isOpen && <LazyPart part={DIALOG} props={{ application, accounts, onClose: () => setIsOpen(false) }} />}
    </>
  )
}

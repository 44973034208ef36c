'use client'

import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { definePart, LazyPart } from '#components/ui/overlay/lazy-part.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { AdjustDialogProps } from './adjust-dialog.tsx'

const DIALOG = definePart(() => import('./adjust-dialog.tsx'))

/** Opens the form of an adjustment: of this transaction, or of these fees. */
export function AdjustButton(props: Omit<AdjustDialogProps, 'onClose'>) {
  const t = useT()
  const isOfFees = 'earned' in props.subject
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>{t(isOfFees ? 'funding.takeFees' : 'funding.adjust')}</Button>
      {isOpen && <LazyPart part={DIALOG} props={{ ...props, onClose: () => setIsOpen(false) }} />}
    </>
  )
}

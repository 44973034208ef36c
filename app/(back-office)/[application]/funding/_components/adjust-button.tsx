'use client'

import { useState } from 'react'
import { usePageKeys } from '#components/frame/use-page-keys.ts'
import { Button } from '#components/ui/button.tsx'
import { definePart, LazyPart } from '#components/ui/overlay/lazy-part.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { AdjustDialogProps } from './adjust-dialog.tsx'

const DIALOG = definePart(() => import('./adjust-dialog.tsx'))

type Props = Omit<AdjustDialogProps, 'onClose'> & {
  /** P opens it too: where it is the only one of its page. */
  hasKey?: boolean
}

/** Opens the form of an adjustment: of this transaction, or of these fees. */
export function AdjustButton({ hasKey = false, ...props }: Props) {
  const t = useT()
  const isOfFees = 'earned' in props.subject
  const [isOpen, setIsOpen] = useState(false)
  usePageKeys({ p: hasKey && (() => setIsOpen(true)) })
  return (
    <>
      <Button aria-keyshortcuts={hasKey ? 'P' : undefined} onClick={() => setIsOpen(true)}>
        {t(isOfFees ? 'funding.takeFees' : 'funding.adjust')}
      </Button>
      {isOpen && <LazyPart part={DIALOG} props={{ ...props, onClose: () => setIsOpen(false) }} />}
    </>
  )
}

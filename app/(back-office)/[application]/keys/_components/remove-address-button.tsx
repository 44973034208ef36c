'use client'

import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { definePart, LazyPart } from '#components/ui/lazy-part.tsx'
import { useT } from '#components/ui/translations.tsx'

const QUESTION = definePart(() => import('./proposal-question.tsx'))

/** Proposes to take an address off the list. The last one says what follows. */
export function RemoveAddressButton({ application, network, isLast }: { application: string; network: string; isLast: boolean }) {
  const t = useT()
  const [isOpen, setIsOpen] = useState(false)
  const title = t('credentials.removeAddress', { network })
  const text = t(isLast ? 'credentials.removeLastText' : 'credentials.removeText')
  return (
    <>
      <Button size="small" aria-label={title} onClick={() => setIsOpen(true)}>
        {t('credentials.remove')}
      </Button>
      {isOpen && (
        <LazyPart
          part={QUESTION}
          props={{ application, kind: 'address.deny', input: { network }, title, text, onClose: () => setIsOpen(false) }}
        />
      )}
    </>
  )
}
